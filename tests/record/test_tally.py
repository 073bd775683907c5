"""Running statistics against NumPy's over everything at once."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ecumene.record import Tally

chunks = st.lists(
    st.lists(st.floats(-1e6, 1e6) | st.just(math.nan), min_size=1, max_size=6),
    min_size=1,
    max_size=6,
)


@given(chunks)
def test_equals_numpy_over_all_values_that_are_not_nan(parts):
    tally = Tally()
    for part in parts:
        tally.add({"x": np.array(part)})
    values = np.array([x for part in parts for x in part if not math.isnan(x)])
    got = tally["x"]
    assert got.n == len(values)
    if len(values):
        assert got.mean == pytest.approx(values.mean(), rel=1e-9, abs=1e-6)
        assert got.spread == pytest.approx(values.std(), rel=1e-6, abs=1e-3)
        assert (got.least, got.most) == (values.min(), values.max())
    else:
        assert all(math.isnan(x) for x in got[1:])


def test_a_quantity_may_appear_later():
    tally = Tally()
    tally.add({"a": np.array([1.0, 3.0])})
    tally.add({"a": np.array([5.0]), "b": np.array([7.0])})
    assert tally.names == ("a", "b")
    assert (tally["a"].mean, tally["b"].n, tally["b"].mean) == (3.0, 1, 7.0)
    assert "c" not in tally


def test_large_means_lose_no_digits():
    tally = Tally()
    for x in (1e9 + 1, 1e9 + 2, 1e9 + 3):
        tally.add({"x": np.array([x])})
    assert tally["x"].spread == pytest.approx(math.sqrt(2 / 3))


def test_infinite_values_do_not_warn():
    tally = Tally()
    tally.add({"x": np.array([math.inf, 1.0])})
    tally.add({"x": np.array([math.inf])})
    assert tally["x"].most == math.inf
    assert tally["x"].least == 1.0
