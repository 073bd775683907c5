"""NumPy's global generator as a stream that rules draw from."""

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecumene.engine.errors import EcumeneError
from ecumene.engine.random import TWISTER_WORDS
from ecumene.foundation.base.errors import Refused, ensure

SeedState = tuple[Any, ...]


class GlobalStream:
    """A row ``uint32[1, 625]`` that is the memory of NumPy's global MT19937 generator.

    What a rule draws from the row is drawn from ``numpy.random``, and the other way round. The
    spare Gaussian of the legacy generator is not in that memory; `lend_spare` and `take_spare`
    carry it over for rules that draw Gaussians.
    """

    def __init__(self) -> None:
        self._generator: Any = None
        self._row = np.zeros((0, TWISTER_WORDS), np.uint32)
        self._spare: tuple[int, float] = (0, 0.0)

    def row(self) -> NDArray[np.uint32]:
        """Return the row of the generator that is NumPy's global one at the moment."""
        generator = np.random.get_bit_generator()  # type: ignore[attr-defined]
        if generator is not self._generator:
            if not isinstance(generator, np.random.MT19937):
                raise EcumeneError(
                    "the economy draws from NumPy's global generator, which must be an MT19937, "
                    f"not a {type(generator).__name__}: see numpy.random.set_bit_generator."
                )
            memory = ctypes.c_uint32 * TWISTER_WORDS
            words: Any = memory.from_address(generator.ctypes.state_address)
            self._row = np.frombuffer(words, np.uint32).reshape(1, -1)
            self._generator = generator
        return self._row

    def lend_spare(self, spare: NDArray[np.float64]) -> None:
        """Write the spare Gaussian into ``float64[1, 2]``."""
        state = global_state()
        self._spare = (int(state[3]), float(state[4]))
        spare[0] = self._spare

    def take_spare(self, spare: NDArray[np.float64]) -> None:
        """Give a changed spare Gaussian back to the generator."""
        now = (int(spare[0, 0]), float(spare[0, 1]) if spare[0, 0] else 0.0)
        if now != self._spare:
            state = global_state()
            np.random.set_state((*state[:3], *now))

    def bytes(self) -> bytes:
        """Return the words of the generator: cheaper than `numpy.random.get_state` by far."""
        return self.row().tobytes()

    def __getstate__(self) -> dict[str, Any]:
        return {"_spare": self._spare}  # memory of this process means nothing in another

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__()  # type: ignore[misc]
        self.__dict__.update(state)


def global_state() -> SeedState:
    """Return the state of NumPy's global generator, of length 5."""
    state: Any = np.random.get_state()
    return state


def parse_seed_state(seed_state: Any) -> SeedState:
    """Check a generator state of length 5 and convert its parts (JSON gives lists)."""
    ensure(
        isinstance(seed_state, tuple | list) and len(seed_state) == 5,
        "seed_state is a tuple or list of length 5, as numpy.random.get_state() returns it.",
    )
    name, key, position, has_gauss, gauss = seed_state
    try:
        words = np.array(key, np.uint32)
        numbers = (int(position), int(has_gauss), float(gauss))
    except (TypeError, ValueError, OverflowError) as error:
        raise Refused(f"seed_state is not a state of numpy.random: {error}.") from error
    ensure(
        str(name) == "MT19937" and words.shape == (624,) and 0 <= numbers[0] <= 624,
        'seed_state is ("MT19937", 624 words, position in 0..624, 0 or 1, number), '
        f"not ({name!r}, {words.size} words, {position}, {has_gauss}, {gauss}).",
    )
    return str(name), words, *numbers
