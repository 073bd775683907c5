"""The step log: a Parquet file with one row per copy, step and agent."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from ecumene.engine import MissingExtra, Simulation, Spec
from ecumene.record.rollout import StepRecord
from ecumene.record.writing import writing

ROWS_PER_GROUP = 1 << 17


class ParquetLog:
    """Writes a row for every agent that acted, in row groups, while the episodes go on.

    Columns: ``copy``, ``episode``, ``step`` (int32, from 0), ``agent`` (string), ``action``
    (int64; a list of int64 where some group's actions have parts), ``reward`` (float64),
    ``terminated``, ``truncated`` (bool). Within a step, rows are ordered by copy, then by agent.
    The metadata entry ``ecumene`` holds world, version, parameters and seed as JSON.

    `close` completes the file, whatever was written so far; before that it cannot be read.

    Parameters
    ----------
    path
        The file; an existing one is replaced.
    simulation
        The world that is going to be played.
    facts
        Put into the metadata.

    Raises
    ------
    MissingExtra
        Without pyarrow.
    EcumeneError
        When the file cannot be written.
    """

    def __init__(
        self, path: str | Path, simulation: Simulation, facts: dict[str, Any] | None = None
    ) -> None:
        try:
            import pyarrow
            import pyarrow.parquet
        except ModuleNotFoundError as error:
            raise MissingExtra("a Parquet log needs pyarrow", "logs") from error
        self._arrow = pyarrow
        self.path = Path(path)
        self.rows = 0
        self._groups = simulation.spec.groups
        self._names = pyarrow.array(simulation.spec.agents, pyarrow.string())
        self._parts = _parts(simulation.spec)
        per_step = simulation.copies * len(simulation.spec.agents)
        self._capacity = max(ROWS_PER_GROUP, per_step)
        self._filled = 0
        self._columns = self._allocate()
        schema = self._schema().with_metadata({"ecumene": json.dumps(facts or {}, default=str)})
        with writing(self.path):
            self._writer: Any = pyarrow.parquet.ParquetWriter(str(self.path), schema)

    def episodes_begun(self, simulation: Simulation, copies: NDArray[np.int64]) -> None:
        """Nothing to do: the rows tell it."""

    def step_made(self, simulation: Simulation, record: StepRecord) -> None:
        """Append the rows of one step."""
        acted = self._joined(record.acted)
        copy, agent = np.nonzero(acted)
        if self._filled + len(copy) > self._capacity:
            self._flush()
        rows = slice(self._filled, self._filled + len(copy))
        columns, out = self._columns, simulation.out
        columns["copy"][rows] = copy
        columns["episode"][rows] = record.episode[copy]
        columns["step"][rows] = record.step[copy]
        columns["agent"][rows] = agent
        columns["action"][rows] = self._actions(record.actions)[acted]
        for name in ("reward", "terminated", "truncated"):
            joined = self._joined({group: getattr(each, name) for group, each in out.items()})
            columns[name][rows] = joined[acted]
        # Last, so that an interruption leaves no half-written step.
        self._filled += len(copy)

    def episodes_ended(self, simulation: Simulation, copies: NDArray[np.int64]) -> None:
        """Nothing to do: the rows tell it."""

    def close(self) -> None:
        """Write what is left and complete the file."""
        if self._writer is None:
            return
        writer, self._writer = self._writer, None
        try:
            self._write(writer)
        finally:
            with writing(self.path):
                writer.close()

    def _allocate(self) -> dict[str, NDArray[Any]]:
        width = () if self._parts == 0 else (self._parts,)
        dtypes = {
            "copy": np.int32,
            "episode": np.int32,
            "step": np.int32,
            "agent": np.int32,
            "reward": np.float64,
            "terminated": np.bool_,
            "truncated": np.bool_,
        }
        columns: dict[str, NDArray[Any]] = {
            name: np.zeros(self._capacity, dtype) for name, dtype in dtypes.items()
        }
        columns["action"] = np.zeros((self._capacity, *width), np.int64)
        return columns

    def _schema(self) -> Any:
        pa = self._arrow
        return pa.schema(
            [
                ("copy", pa.int32()),
                ("episode", pa.int32()),
                ("step", pa.int32()),
                ("agent", pa.dictionary(pa.int32(), pa.string())),
                ("action", pa.int64() if self._parts == 0 else pa.list_(pa.int64())),
                ("reward", pa.float64()),
                ("terminated", pa.bool_()),
                ("truncated", pa.bool_()),
            ]
        )

    def _joined(self, by_group: dict[str, Any]) -> NDArray[Any]:
        if len(self._groups) == 1:
            return by_group[self._groups[0].name]
        return np.concatenate([by_group[group.name] for group in self._groups], axis=1)

    def _actions(self, actions: Any) -> NDArray[Any]:
        if self._parts == 0:
            return self._joined({name: np.asarray(each) for name, each in actions.items()})
        padded = {}
        for group in self._groups:
            given = np.asarray(actions[group.name])
            wide = np.full((*given.shape[:2], self._parts), -1, np.int64)
            wide[..., : group.action_sizes.size] = given.reshape(*given.shape[:2], -1)
            padded[group.name] = wide
        return self._joined(padded)

    def _flush(self) -> None:
        self._write(self._writer)
        self._filled = 0

    def _write(self, writer: Any) -> None:
        if self._filled == 0:
            return
        pa, schema = self._arrow, writer.schema
        rows = slice(0, self._filled)
        arrays = {name: values[rows] for name, values in self._columns.items()}
        arrays["agent"] = pa.DictionaryArray.from_arrays(arrays["agent"], self._names)
        if self._parts:
            arrays["action"] = self._action_lists(arrays["action"])
        columns = [pa.array(arrays[field.name], field.type) for field in schema]
        table = pa.Table.from_arrays(columns, schema=schema)
        with writing(self.path):
            writer.write_table(table)
        self.rows += self._filled

    def _action_lists(self, wide: NDArray[np.int64]) -> Any:
        pa = self._arrow
        used = wide >= 0
        offsets = np.zeros(len(wide) + 1, np.int32)
        np.cumsum(used.sum(axis=1), out=offsets[1:])
        return pa.ListArray.from_arrays(pa.array(offsets), pa.array(wide[used]))


def _parts(spec: Spec) -> int:
    """Return the most parts an action has, or 0 if every action is one number."""
    if all(isinstance(group.action_space, spaces.Discrete) for group in spec.groups):
        return 0
    return max(group.action_sizes.size for group in spec.groups)
