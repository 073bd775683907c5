"""Plain Python values and arrays as JSON, and back exactly.

Numbers, texts, None, lists and dicts with text keys stand for themselves. What JSON does not know
is an object with one key that begins with ``!``: ``!array`` (dtype, shape, and the bytes as base64
of zlib), ``!scalar`` (a NumPy scalar, in the same way), ``!tuple``, ``!dict`` (pairs), ``!float``
(nan, inf, -inf), ``!path``, and ``!shared`` (something that all copies of the world share).
"""

import base64
import binascii
import math
import operator
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecumene.engine import EcumeneError
from ecumene.engine.state import Shared

_PLAIN = (type(None), bool, int, str)
_KINDS = "biuf"  # of dtypes: booleans, integers, floats


class NotEncodable(EcumeneError, TypeError):
    """A value is of a kind that no file can hold exactly."""


class NotDecodable(EcumeneError, ValueError):
    """A value from a file is not what `encode` makes."""


def encode(value: Any, place: str) -> Any:
    """Return a value as JSON can take it.

    Parameters
    ----------
    value
        Anything.
    place
        Where the value is found, for the error.

    Raises
    ------
    NotEncodable
        Naming the place of a part that cannot be held: sets, functions, objects of other classes.
    """
    try:
        return _encode(value, place)
    except RecursionError:
        raise NotEncodable(f"{place} contains itself.") from None


def _encode(value: Any, place: str) -> Any:
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is float:
        return value if math.isfinite(value) else {"!float": str(value)}
    if kind is list:
        return _encode_items(value, place)
    if kind is tuple:
        return {"!tuple": _encode_items(value, place)}
    if kind is dict:
        return _encode_dict(value, place)
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in _KINDS:
        tag = "!array" if isinstance(value, np.ndarray) else "!scalar"
        return {tag: _encode_array(np.asarray(value))}
    if isinstance(value, Path):
        return {"!path": str(value)}
    if isinstance(value, Shared):
        return {"!shared": value.place}
    raise NotEncodable(f"{place} is a {kind.__name__}, which cannot be written to a file exactly.")


def _encode_items(values: Any, place: str) -> list[Any]:
    return [_encode(each, f"{place}[{i}]") for i, each in enumerate(values)]


def _encode_dict(value: dict[Any, Any], place: str) -> Any:
    pairs = [(key, _encode(part, f"{place}[{key!r}]")) for key, part in value.items()]
    if all(type(key) is str and not key.startswith("!") for key in value):
        return dict(pairs)
    return {"!dict": [[_encode(key, f"a key of {place}"), part] for key, part in pairs]}


def _encode_array(array: NDArray[Any]) -> dict[str, Any]:
    packed = zlib.compress(np.ascontiguousarray(array).tobytes())
    return {
        "dtype": array.dtype.str,
        "shape": list(array.shape),
        "zlib": base64.b64encode(packed).decode("ascii"),
    }


def decode(value: Any) -> Any:
    """Return what `encode` was given.

    Raises
    ------
    NotDecodable
        If it never returned that.
    """
    if isinstance(value, list):
        return [decode(each) for each in value]
    if not isinstance(value, dict):
        return value
    tags = [key for key in value if key.startswith("!")]
    if not tags:
        return {key: decode(part) for key, part in value.items()}
    if len(value) != 1 or tags[0] not in _DECODERS:
        raise NotDecodable(f"there is no value of kind `{tags[0]}`.")
    try:
        return _DECODERS[tags[0]](value[tags[0]])
    except NotDecodable:
        raise
    except (ValueError, TypeError, KeyError, zlib.error, binascii.Error) as error:
        raise NotDecodable(f"a value of kind `{tags[0]}` is damaged: {error!r}.") from error


def _decode_array(value: dict[str, Any]) -> NDArray[Any]:
    dtype, shape = np.dtype(value["dtype"]), tuple(value["shape"])
    if dtype.kind not in _KINDS or not all(type(side) is int and side >= 0 for side in shape):
        raise ValueError(f"{dtype}{list(shape)}")
    size = dtype.itemsize * math.prod(shape)
    reader = zlib.decompressobj()
    # A damaged or hostile file shall not fill the memory: at most one byte too many is unpacked.
    data = reader.decompress(base64.b64decode(value["zlib"], validate=True), size + 1)
    if len(data) != size:
        raise ValueError(f"{dtype}{list(shape)} takes {size} bytes")
    return np.frombuffer(data, dtype).reshape(shape).copy()


def _decode_dict(pairs: list[Any]) -> dict[Any, Any]:
    return {decode(key): decode(part) for key, part in pairs}


_DECODERS = {
    "!array": _decode_array,
    "!scalar": lambda value: _decode_array(value)[()],
    "!tuple": lambda value: tuple(decode(value)),
    "!dict": _decode_dict,
    "!float": float,
    "!path": Path,
    "!shared": lambda place: Shared(operator.index(place)),
}
