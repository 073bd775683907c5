"""Values go to JSON and come back exactly, or are refused."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from ecumene.engine.state import Shared
from ecumene.record.encoding import NotDecodable, NotEncodable, decode, encode

numbers = st.floats(allow_nan=False) | st.integers() | st.booleans() | st.none()
arrays = hnp.arrays(
    st.sampled_from(["<f4", "<f8", "|b1", "|u1", "<i2", ">i8"]), hnp.array_shapes(min_dims=0)
)
values = st.recursive(
    numbers | st.text() | arrays,
    lambda part: (
        st.lists(part)
        | st.lists(part).map(tuple)
        | st.dictionaries(st.text() | st.integers() | st.tuples(st.integers()), part)
    ),
    max_leaves=8,
)


def through_json(value):
    return decode(json.loads(json.dumps(encode(value, "it"), allow_nan=False)))


def same(one, other):
    if isinstance(one, np.ndarray | np.generic):
        alike = type(one) is type(other) and (one.dtype, one.shape) == (other.dtype, other.shape)
        return alike and one.tobytes() == other.tobytes()
    if isinstance(one, dict):
        return list(map(type, one)) == list(map(type, other)) and same(
            [*one.items()], [*other.items()]
        )
    if isinstance(one, list | tuple):
        alike = type(one) is type(other) and len(one) == len(other)
        return alike and all(map(same, one, other))
    return type(one) is type(other) and repr(one) == repr(other)


@given(values)
def test_what_is_encoded_comes_back_exactly(value):
    assert same(value, through_json(value))


@pytest.mark.parametrize(
    "value",
    [math.nan, math.inf, -math.inf, -0.0, np.float32(0.1), np.bool_(True), Path("a/b"), {"!": 1}],
)
def test_special_values_come_back_exactly(value):
    assert same(value, through_json(value))


class Number(int):
    """A class of the user's."""


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({"a": [1, {2}]}, r"it\['a'\]\[1\] is a set"),
        ([print], r"it\[0\] is a builtin_function_or_method"),
        (Number(3), "it is a Number"),
        (np.array([None]), "it is a ndarray"),
        (np.array(["text"]), "it is a ndarray"),
        ({frozenset(): 1}, "a key of it is a frozenset"),
        (1j, "it is a complex"),
    ],
)
def test_what_no_file_holds_exactly_is_refused_with_its_place(value, said):
    with pytest.raises(NotEncodable, match=said):
        encode(value, "it")


def test_what_contains_itself_is_refused():
    ring = []
    ring.append(ring)
    with pytest.raises(NotEncodable, match="it contains itself"):
        encode(ring, "it")


def test_a_stand_in_for_a_shared_object_comes_back():
    kept = through_json({"world": Shared(4)})["world"]
    assert (type(kept), kept.place) == (Shared, 4)


GOOD = encode(np.arange(6, dtype=np.int64), "it")["!array"]


@pytest.mark.parametrize(
    ("damaged", "said"),
    [
        ({"!arry": GOOD}, "no value of kind `!arry`"),
        ({"!array": GOOD, "!tuple": []}, "no value of kind"),
        ({"!array": {**GOOD, "zlib": "x"}}, "`!array` is damaged"),
        ({"!array": {**GOOD, "zlib": "AAAA"}}, "`!array` is damaged"),
        ({"!array": {**GOOD, "zlib": GOOD["zlib"][:8]}}, "takes 48 bytes"),
        ({"!array": {**GOOD, "shape": [5]}}, "takes 40 bytes"),
        ({"!array": {**GOOD, "shape": [7]}}, "takes 56 bytes"),
        ({"!array": {**GOOD, "shape": [-1]}}, "`!array` is damaged"),
        ({"!array": {**GOOD, "dtype": "|O"}}, "`!array` is damaged"),
        ({"!array": {**GOOD, "dtype": "<q9"}}, "`!array` is damaged"),
        ({"!array": {"dtype": "<i8"}}, "`!array` is damaged"),
        ({"!array": 3}, "`!array` is damaged"),
        ({"!dict": [1]}, "`!dict` is damaged"),
        ({"!dict": [[[], 1]]}, "`!dict` is damaged"),
        ({"!tuple": 3}, "`!tuple` is damaged"),
        ({"!float": "one"}, "`!float` is damaged"),
        ([{"a": {"!path": 3}}], "`!path` is damaged"),
        ({"!shared": "4"}, "`!shared` is damaged"),
    ],
)
def test_damage_is_told(damaged, said):
    with pytest.raises(NotDecodable, match=said):
        decode(damaged)


def test_a_small_file_does_not_unpack_to_a_large_array():
    array = encode(np.zeros(10_000_000, np.uint8), "it")["!array"]
    with pytest.raises(NotDecodable, match="takes 3 bytes"):
        decode({"!array": {**array, "shape": [3]}})
