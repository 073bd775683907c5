"""Random streams: one row of 32-bit words per copy of a world, and draws from it.

A row of `PHILOX_WORDS` words is a counter-based Philox4x32-10 stream (Salmon et al., "Parallel
random numbers: as easy as 1, 2, 3", 2011). A row of `TWISTER_WORDS` words is an MT19937 stream in
NumPy's own layout, so a row can be NumPy's global generator itself. A row of one word is the
"minimal standard" generator of Park and Miller (1988), for replays that were recorded with it.
Rules draw from all of them through the same functions; the derived draws follow NumPy's legacy
algorithms, and so give, on an MT19937 row, exactly what `numpy.random` gives.
"""

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from ecumene.engine.compile import helper, inlined, rule
from ecumene.engine.errors import InvalidSeed

# Layout of a Philox row: the key, the number of the next block, how many words of the buffered
# block are used up (0 = none buffered), and the four words of that block.
KEY, BLOCK, USED, BUFFER = 0, 2, 4, 5
PHILOX_WORDS = 9
TWISTER_WORDS = 625
MINIMAL_WORDS = 1

_MINIMAL_MULTIPLIER = np.uint64(16807)
_MINIMAL_MODULUS = np.uint64(2147483647)
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_MULTIPLIER_0 = np.uint64(0xD2511F53)
_MULTIPLIER_1 = np.uint64(0xCD9E8D57)
_WEYL_0 = np.uint64(0x9E3779B9)
_WEYL_1 = np.uint64(0xBB67AE85)
_ONE = np.uint32(1)
_PLACES = tuple(np.uint64(k) for k in range(4))  # in a block


@inlined
def philox4x32(c0, c1, c2, c3, k0, k1):
    """Return the four words of one Philox4x32-10 block, all words as uint64 below 2**32."""
    for _ in range(10):
        product_0 = _MULTIPLIER_0 * c0
        product_1 = _MULTIPLIER_1 * c2
        c0 = (product_1 >> _HALF) ^ c1 ^ k0
        c1 = product_1 & _LOW
        c2 = (product_0 >> _HALF) ^ c3 ^ k1
        c3 = product_0 & _LOW
        k0 = (k0 + _WEYL_0) & _LOW
        k1 = (k1 + _WEYL_1) & _LOW
    return c0, c1, c2, c3


@helper
def _keys(row):
    return np.uint64(row[KEY]), np.uint64(row[KEY + 1])


@inlined
def _block(number, k0, k1):
    """Return block `number` (uint64) of a Philox row with some keys."""
    zero = np.uint64(0)
    return philox4x32(number & _LOW, number >> _HALF, zero, zero, k0, k1)


@helper
def _next_block_number(row):
    return np.uint64(row[BLOCK]) | (np.uint64(row[BLOCK + 1]) << _HALF)


@helper
def _set_next_block_number(row, number):
    row[BLOCK] = np.uint32(number & _LOW)
    row[BLOCK + 1] = np.uint32(number >> _HALF)


@helper
def _refill_twister(row):
    for i in range(624):
        word = (row[i] & np.uint32(0x80000000)) | (row[(i + 1) % 624] & np.uint32(0x7FFFFFFF))
        mixed = row[(i + 397) % 624] ^ (word >> _ONE)
        if word & _ONE:
            mixed ^= np.uint32(0x9908B0DF)
        row[i] = mixed
    row[624] = 0


@helper
def next_minimal(row):
    """Draw from a row of one word: uniform in 1..2147483646."""
    row[0] = np.uint32(np.uint64(row[0]) * _MINIMAL_MULTIPLIER % _MINIMAL_MODULUS)
    return row[0]


@rule
def next_uint32(row):
    """Draw one uniform 32-bit word (from a row of one word: what `next_minimal` draws)."""
    if row.shape[0] == MINIMAL_WORDS:
        return next_minimal(row)
    if row.shape[0] == TWISTER_WORDS:
        if row[624] >= 624:
            _refill_twister(row)
        word = row[row[624]]
        row[624] += _ONE
        word ^= word >> np.uint32(11)
        word ^= (word << np.uint32(7)) & np.uint32(0x9D2C5680)
        word ^= (word << np.uint32(15)) & np.uint32(0xEFC60000)
        return np.uint32(word ^ (word >> np.uint32(18)))
    used = row[USED]
    if used == 0:
        number = _next_block_number(row)
        w0, w1, w2, w3 = _block(number, *_keys(row))
        row[BUFFER] = np.uint32(w0)
        row[BUFFER + 1] = np.uint32(w1)
        row[BUFFER + 2] = np.uint32(w2)
        row[BUFFER + 3] = np.uint32(w3)
        _set_next_block_number(row, number + np.uint64(1))
    row[USED] = (used + _ONE) & np.uint32(3)
    return row[BUFFER + used]


@helper
def _fill_blocks(words, number, k0, k1):
    """Write whole Philox blocks; the compiler makes several of them at a time."""
    first, second, third, fourth = _PLACES
    for block in range(np.uint64(words.shape[0] // 4)):
        w0, w1, w2, w3 = _block(number + block, k0, k1)
        k = block << np.uint64(2)
        words[k + first] = np.int32(w0)
        words[k + second] = np.int32(w1)
        words[k + third] = np.int32(w2)
        words[k + fourth] = np.int32(w3)


@helper
def fill_uint32(row, words):
    """Fill ``int32[n]`` with the bits of the next n words, faster than one by one."""
    count = words.shape[0]
    k = 0
    if row.shape[0] == PHILOX_WORDS:
        while k < count and row[USED] != 0:
            words[k] = np.int32(next_uint32(row))
            k += 1
        number = _next_block_number(row)
        blocks = (count - k) // 4
        _fill_blocks(words[k : k + 4 * blocks], number, *_keys(row))
        k += 4 * blocks
        if blocks > 0:
            for i in range(4):
                row[BUFFER + i] = np.uint32(words[k - 4 + i])
            _set_next_block_number(row, number + np.uint64(blocks))
    for i in range(k, count):
        words[i] = np.int32(next_uint32(row))


@helper
def _double(first, second):
    """Make a double in [0, 1) of two words, 53 bits, as NumPy does for MT19937."""
    high = np.float64(np.uint32(first) >> np.uint32(5))
    low = np.float64(np.uint32(second) >> np.uint32(6))
    return (high * 67108864.0 + low) / 9007199254740992.0


@helper
def uniform(row):
    """Draw a double, uniform in [0, 1)."""
    if row.shape[0] == MINIMAL_WORDS:
        return (next_minimal(row) - 1) / 2147483646.0
    first = next_uint32(row)
    return _double(first, next_uint32(row))


@helper
def bounded(row, n):
    """Draw an integer, uniform in 0..n-1 (n >= 1); draws nothing for n = 1.

    From a row of one word it is the remainder of a draw by n, also for n = 1.
    """
    if row.shape[0] == MINIMAL_WORDS:
        return np.int64(next_minimal(row)) % np.int64(n)
    largest = np.uint32(n - 1)
    if largest == 0:
        return 0
    mask = largest
    mask |= mask >> np.uint32(1)
    mask |= mask >> np.uint32(2)
    mask |= mask >> np.uint32(4)
    mask |= mask >> np.uint32(8)
    mask |= mask >> np.uint32(16)
    value = next_uint32(row) & mask
    while value > largest:
        value = next_uint32(row) & mask
    return np.int64(value)


@helper
def shuffle(row, values):
    """Put the entries of a vector in a random order (Fisher-Yates from the end)."""
    for i in range(values.shape[0] - 1, 0, -1):
        j = bounded(row, i + 1)
        kept = values[i]
        values[i] = values[j]
        values[j] = kept


@helper
def permutation(row, order):
    """Fill `order` with 0..n-1 in a random order."""
    for i in range(order.shape[0]):
        order[i] = i
    shuffle(row, order)


@helper
def gauss(row, spare):
    """Draw from the standard normal distribution (polar method).

    `spare` is ``float64[2]``: whether a second value is kept from the last draw, and that value.
    """
    if spare[0] != 0.0:
        spare[0] = 0.0
        return spare[1]
    x1 = 0.0
    x2 = 0.0
    r2 = 0.0
    while r2 >= 1.0 or r2 == 0.0:
        x1 = 2.0 * uniform(row) - 1.0
        x2 = 2.0 * uniform(row) - 1.0
        r2 = x1 * x1 + x2 * x2
    factor = math.sqrt(-2.0 * math.log(r2) / r2)
    spare[0] = 1.0
    spare[1] = factor * x1
    return factor * x2


@helper
def pareto(row, shape):
    """Draw from the Pareto II (Lomax) distribution."""
    return math.exp(-math.log(1.0 - uniform(row)) / shape) - 1.0


@helper
def lognormal(row, spare, mean, sigma):
    """Draw from a log-normal distribution; `spare` as in `gauss`."""
    return math.exp(mean + sigma * gauss(row, spare))


@helper
def open_field(row, size, scratch):
    """Draw `size` doubles that are looked at one by one with `field_value`.

    On a Philox row nothing is computed yet: the stream skips ahead, and only the values looked
    at cost anything. Any other row fills ``scratch[:size]``. Returns the key for `field_value`.
    """
    if row.shape[0] != PHILOX_WORDS:
        for i in range(size):
            scratch[i] = uniform(row)
        return np.uint64(0)
    first = _next_block_number(row)
    _set_next_block_number(row, first + np.uint64((size + 1) // 2))
    row[USED] = 0
    return first


@helper
def field_value(row, field, i, scratch):
    """Return the double number `i` of a field made by `open_field`."""
    if row.shape[0] != PHILOX_WORDS:
        return scratch[i]
    w0, w1, w2, w3 = _block(np.uint64(field) + np.uint64(i >> 1), *_keys(row))
    if i & 1:
        return _double(w2, w3)
    return _double(w0, w1)


def philox_streams(copies: int) -> NDArray[np.uint32]:
    """Allocate one unseeded Philox row per copy, ``uint32[copies, PHILOX_WORDS]``."""
    return np.zeros((copies, PHILOX_WORDS), np.uint32)


def minimal_streams(copies: int) -> NDArray[np.uint32]:
    """Allocate one unseeded row of the minimal standard generator per copy."""
    return np.ones((copies, MINIMAL_WORDS), np.uint32)


def seed_streams(streams: NDArray[np.uint32], copies: Iterable[int], seeds: Iterable[int]) -> None:
    """Start the rows of the given copies afresh, one seed each."""
    if streams.shape[1] == MINIMAL_WORDS:
        for copy, seed in zip(copies, seeds, strict=True):
            streams[copy, 0] = seed % int(_MINIMAL_MODULUS) or 1
        return
    for copy, seed in zip(copies, seeds, strict=True):
        # Two's worth of words fit the key as they are; larger seeds are hashed down to it.
        words = (
            (seed & 0xFFFFFFFF, seed >> 32)
            if seed < 1 << 64
            else np.random.SeedSequence(seed).generate_state(2, np.uint32)
        )
        streams[copy] = 0
        streams[copy, KEY : KEY + 2] = words


def parse_seed(seed: object) -> int:
    """Return a seed as a Python int, or raise `InvalidSeed`.

    Every Python or NumPy integer from 0 up is a seed; bools and floats are not.
    """
    if isinstance(seed, bool | np.bool_) or not isinstance(seed, int | np.integer):
        raise InvalidSeed(f"a seed is an integer from 0 up, not {seed!r} ({type(seed).__name__}).")
    if seed < 0:
        raise InvalidSeed(f"a seed is an integer from 0 up, not {seed}.")
    return int(seed)


def parse_seeds(seed: object, copies: int) -> list[int]:
    """Return one seed per copy: ``s, s+1, ...`` for an integer s, or those of a sequence."""
    if isinstance(seed, list | tuple | range | np.ndarray):
        if len(seed) != copies:
            raise InvalidSeed(f"{len(seed)} seeds were given for {copies} copies.")
        return [parse_seed(each) for each in seed]
    first = parse_seed(seed)
    return [first + copy for copy in range(copies)]


def entropy_seed() -> int:
    """Return a fresh seed below 2**63 from the operating system."""
    return int(np.random.SeedSequence().generate_state(1, np.uint64)[0] >> 1)
