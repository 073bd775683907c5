"""Random streams against published vectors, NumPy, and plain-Python twins."""

import ctypes

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ecumene.engine import random

MASK = 0xFFFFFFFF


def twin_philox(counter, key):
    """Philox4x32-10 in unbounded Python integers."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(10):
        p0, p1 = 0xD2511F53 * c0, 0xCD9E8D57 * c2
        c0, c1, c2, c3 = (p1 >> 32) ^ c1 ^ k0, p1 & MASK, (p0 >> 32) ^ c3 ^ k1, p0 & MASK
        k0, k1 = (k0 + 0x9E3779B9) & MASK, (k1 + 0xBB67AE85) & MASK
    return c0, c1, c2, c3


def twin_words(seed):
    """Words of the stream of a seed below 2**64, one after the other."""
    block = 0
    while True:
        yield from twin_philox((block & MASK, block >> 32, 0, 0), (seed & MASK, seed >> 32))
        block += 1


def twin_uniform(words):
    high, low = next(words) >> 5, next(words) >> 6
    return (high * 2**26 + low) / 2**53


def philox_row(seed):
    streams = random.philox_streams(1)
    random.seed_streams(streams, [0], [seed])
    return streams[0]


def twister_row(seed):
    """Return a row in the state that NumPy's legacy generator has after seeding."""
    _, key, position, _, _ = np.random.RandomState(seed).get_state()
    return np.append(key, position).astype(np.uint32)


@pytest.mark.parametrize(
    ("counter", "key", "words"),
    [
        ((0,) * 4, (0,) * 2, (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
        ((MASK,) * 4, (MASK,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
        (
            (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
            (0xA4093822, 0x299F31D0),
            (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
        ),
    ],
)
def test_philox_gives_the_published_vectors(counter, key, words):
    given_words = [np.uint64(word) for word in (*counter, *key)]
    assert tuple(map(int, random.philox4x32(*given_words))) == words
    assert twin_philox(counter, key) == words


@given(seed=st.integers(0, 2**64 - 1))
def test_a_philox_row_gives_the_words_of_consecutive_blocks(seed):
    row, words = philox_row(seed), twin_words(seed)
    assert [int(random.next_uint32(row)) for _ in range(11)] == [next(words) for _ in range(11)]


def test_the_block_counter_carries_into_its_second_word():
    row = philox_row(5)
    row[random.BLOCK] = MASK
    drawn = [int(random.next_uint32(row)) for _ in range(8)]
    assert drawn == [
        *twin_philox((MASK, 0, 0, 0), (5, 0)),
        *twin_philox((0, 1, 0, 0), (5, 0)),
    ]


@given(seed=st.integers(0, 2**32 - 1))
def test_uniform_twin(seed):
    row, words = philox_row(seed), twin_words(seed)
    assert [random.uniform(row) for _ in range(7)] == [twin_uniform(words) for _ in range(7)]


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 2**31))
def test_bounded_twin(seed, n):
    row, words = philox_row(seed), twin_words(seed)

    def twin():
        if n == 1:
            return 0
        mask = (1 << (n - 1).bit_length()) - 1
        return next(word & mask for word in words if word & mask < n)

    assert [random.bounded(row, n) for _ in range(5)] == [twin() for _ in range(5)]


@given(seed=st.integers(0, 2**32 - 1), size=st.integers(0, 20))
def test_permutation_twin(seed, size):
    row, twin_row = philox_row(seed), philox_row(seed)
    order = np.empty(size, np.int64)
    random.permutation(row, order)
    expected = list(range(size))
    for i in reversed(range(1, size)):
        j = random.bounded(twin_row, i + 1)
        expected[i], expected[j] = expected[j], expected[i]
    assert order.tolist() == expected


@given(seed=st.integers(0, 2**32 - 1))
def test_a_twister_row_draws_what_numpy_draws(seed):
    row, numpy = twister_row(seed), np.random.RandomState(seed)
    spare = np.zeros(2)
    order = np.empty(9, np.int64)
    for n in (1, 2, 5, 1000):
        assert random.uniform(row) == numpy.random_sample()
        # NumPy itself draws bounded legacy integers of this size from 32-bit words.
        assert random.bounded(row, n) == numpy.randint(0, n, dtype=np.int64)
        random.permutation(row, order)
        assert order.tolist() == numpy.permutation(9).tolist()
        assert random.gauss(row, spare) == numpy.standard_normal()
        assert random.pareto(row, 3.0) == numpy.pareto(3)
        assert random.lognormal(row, spare, -2.022, 0.938) == numpy.lognormal(-2.022, 0.938)


def test_a_twister_row_outlasts_its_words():
    row, numpy = twister_row(8), np.random.RandomState(8)
    drawn = [random.uniform(row) for _ in range(2000)]
    assert drawn == numpy.random_sample(2000).tolist()


def test_numpys_global_generator_is_a_row():
    """The generator's memory, key and position, has the layout of a row."""
    kept = np.random.get_state()
    try:
        np.random.seed(12)
        address = np.random.get_bit_generator().ctypes.state_address
        memory = (ctypes.c_uint32 * random.TWISTER_WORDS).from_address(address)
        row = np.frombuffer(memory, np.uint32)
        mixed = [random.uniform(row), np.random.rand(), random.uniform(row), np.random.rand()]
        assert mixed == np.random.RandomState(12).random_sample(4).tolist()
        assert random.bounded(row, 77) == int(_continued(12, 4).randint(77))
    finally:
        np.random.set_state(kept)


def _continued(seed, draws):
    numpy = np.random.RandomState(seed)
    numpy.random_sample(draws)
    return numpy


@given(size=st.integers(1, 9), drawn_before=st.integers(0, 5))
def test_a_field_on_a_philox_row_starts_at_the_next_block(size, drawn_before):
    """At the border of a block, a field holds the very doubles that would be drawn in turn."""
    row, twin = philox_row(4), philox_row(4)
    for each in (row, twin):
        for _ in range(drawn_before):
            random.uniform(each)
    if drawn_before % 2:
        random.uniform(twin)  # the rest of the begun block is skipped
    scratch = np.empty(0)
    field = random.open_field(row, size, scratch)
    values = [random.field_value(row, field, i, scratch) for i in range(size)]
    assert values == [random.uniform(twin) for _ in range(size)]
    if size % 2:
        random.uniform(twin)  # so is the rest of its last block
    assert random.uniform(row) == random.uniform(twin)


def test_a_field_on_a_twister_row_is_drawn_in_turn():
    row, numpy = twister_row(3), np.random.RandomState(3)
    scratch = np.empty(8)
    field = random.open_field(row, 5, scratch)
    values = [random.field_value(row, field, i, scratch) for i in range(5)]
    assert [*values, random.uniform(row)] == numpy.random_sample(6).tolist()


@pytest.mark.parametrize("seed", [0, 1, 2**32, 2**40, 2**64 - 1, 2**64, 2**200])
def test_large_seeds_have_streams_of_their_own(seed):
    row, neighbour = philox_row(seed), philox_row(seed + 1)
    assert random.uniform(row) != random.uniform(neighbour)
    assert random.uniform(philox_row(seed)) != random.uniform(row)


def test_drawing_is_even():
    """A coarse check that nothing is off by a factor: mean and range of 4,000 draws."""
    row = philox_row(99)
    draws = np.array([random.uniform(row) for _ in range(4000)])
    assert 0 <= draws.min() < 0.01
    assert 0.99 < draws.max() < 1
    assert abs(draws.mean() - 0.5) < 0.02


def minimal_row(seed):
    streams = random.minimal_streams(1)
    random.seed_streams(streams, [0], [seed])
    return streams[0]


def test_the_minimal_standard_generator():
    row = minimal_row(3)
    assert [int(random.next_uint32(row)) for _ in range(4)] == [
        50421, 847425747, 572982925, 807347327
    ]  # fmt: skip
    # Park and Miller's check: from 1, the ten thousandth draw.
    row = minimal_row(1)
    for _ in range(9_999):
        random.next_minimal(row)
    assert random.next_minimal(row) == 1043618065
    assert minimal_row(0).tolist() == minimal_row(2147483647).tolist() == [1]


def test_derived_draws_from_the_minimal_standard_generator():
    row, twin = minimal_row(5), 5
    for n in (1, 7, 2**31):
        twin = 16807 * twin % 2147483647
        assert random.bounded(row, n) == twin % n
    values = [random.uniform(row) for _ in range(2_000)]
    assert 0 <= min(values)
    assert max(values) < 1
    assert np.mean(values) == pytest.approx(0.5, abs=0.03)
    order = np.zeros(9, np.int64)
    random.permutation(row, order)
    assert sorted(order.tolist()) == list(range(9))
    scratch = np.zeros(4)
    other = row.copy()
    field = random.open_field(row, 4, scratch)
    found = [random.field_value(row, field, i, scratch) for i in range(4)]
    assert found == [random.uniform(other) for _ in range(4)]


@pytest.mark.parametrize("length", [0, 1, 2, 3, 5, 8, 21])
@pytest.mark.parametrize("before", [0, 1, 3, 4])
def test_words_filled_in_are_those_drawn_one_by_one(length, before):
    rows = [philox_row(11), philox_row(11), np.array([5], np.uint32), np.array([5], np.uint32)]
    for bulk, single in (rows[:2], rows[2:]):
        for row in (bulk, single):
            for _ in range(before):
                random.next_uint32(row)
        words = np.zeros(length, np.int32)
        random.fill_uint32(bulk, words)
        assert words.view(np.uint32).tolist() == [random.next_uint32(single) for _ in words]
        assert bulk.tolist() == single.tolist()
