"""Running statistics of named quantities, in memory that does not grow with what is added."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Statistics(NamedTuple):
    """What is known of one quantity; all but `n` are NaN where nothing was seen."""

    n: int
    mean: float
    spread: float  # standard deviation over everything added
    least: float
    most: float


class Tally:
    """Mean, spread and extremes of named quantities; NaN values do not count."""

    def __init__(self) -> None:
        self._place: dict[str, int] = {}
        self._count = np.zeros(0)
        self._mean = np.zeros(0)
        self._squares = np.zeros(0)  # sum of squared distances from the mean
        self._least = np.zeros(0)
        self._most = np.zeros(0)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the quantities in the order in which they were first added."""
        return tuple(self._place)

    def add(self, columns: Mapping[str, NDArray[np.floating]]) -> None:
        """Add several values of each quantity: name -> vector, all of one length."""
        self._make_room(columns)
        length = len(next(iter(columns.values()), ()))
        values = np.full((length, len(self._place)), np.nan)
        for name, column in columns.items():
            values[:, self._place[name]] = column
        self._merge(values)

    def __getitem__(self, name: str) -> Statistics:
        """Return the statistics of one quantity."""
        i = self._place[name]
        count = int(self._count[i])
        if count == 0:
            return Statistics(0, np.nan, np.nan, np.nan, np.nan)
        spread = float(np.sqrt(self._squares[i] / count))
        return Statistics(
            count, float(self._mean[i]), spread, float(self._least[i]), float(self._most[i])
        )

    def __contains__(self, name: str) -> bool:
        return name in self._place

    def _make_room(self, columns: Mapping[str, NDArray[np.floating]]) -> None:
        new = [name for name in columns if name not in self._place]
        if not new:
            return
        for name in new:
            self._place[name] = len(self._place)
        zeros, unknown = np.zeros(len(new)), np.full(len(new), np.nan)
        self._count = np.append(self._count, zeros)
        self._mean = np.append(self._mean, zeros)
        self._squares = np.append(self._squares, zeros)
        self._least = np.append(self._least, unknown)
        self._most = np.append(self._most, unknown)

    def _merge(self, values: NDArray[np.float64]) -> None:
        # Chan, Golub and LeVeque's way to join two sets: no cancellation for large means.
        counts = ~np.isnan(values)
        count = counts.sum(axis=0)
        with np.errstate(invalid="ignore"):  # infinite values make an unknown spread
            mean = np.where(counts, values, 0.0).sum(axis=0) / np.maximum(count, 1)
            squares = np.where(counts, (values - mean) ** 2, 0.0).sum(axis=0)
            total = self._count + count
            shift = mean - self._mean
            share = count / np.maximum(total, 1)
            self._mean = np.where(count > 0, self._mean + shift * share, self._mean)
            self._squares += squares + shift**2 * self._count * share
        self._count = total
        self._least = np.fmin(self._least, np.fmin.reduce(values, axis=0, initial=np.nan))
        self._most = np.fmax(self._most, np.fmax.reduce(values, axis=0, initial=np.nan))
