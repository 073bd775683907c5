"""Episode logs as files: rows in Parquet."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ecumene.engine import MissingExtra
from ecumene.record.episode_log import EpisodeLog
from ecumene.record.writing import writing


def write_records(path: str | Path, logs: Iterable[EpisodeLog]) -> int:
    """Write the `records` of episodes to a Parquet file; an existing one is replaced.

    Parameters
    ----------
    path
        The file.
    logs
        Logs that hold their steps.

    Returns
    -------
    int
        Number of rows.

    Raises
    ------
    MissingExtra
        Without pyarrow.
    EcumeneError
        When the file cannot be written.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ModuleNotFoundError as error:
        raise MissingExtra("a Parquet file needs pyarrow", "logs") from error
    rows = [row for log in logs for row in log.records()]
    parts = any(isinstance(row["action"], list) for row in rows)
    whole = pyarrow.int64()
    action = pyarrow.list_(whole) if parts else whole
    schema = pyarrow.schema(
        [
            ("episode", whole),
            ("t", whole),
            ("agent", pyarrow.string()),
            ("submitted", action),
            ("action", action),
            ("reward", pyarrow.float64()),
            ("cost", pyarrow.float64()),
            ("safe", pyarrow.bool_()),
            ("labels", pyarrow.string()),
            ("level", whole),
            ("intervened", pyarrow.bool_()),
        ]
    )
    if parts:
        rows = [{**row, "submitted": _list(row["submitted"]), "action": _list(row["action"])}
                for row in rows]  # fmt: skip
    table = pyarrow.Table.from_pylist(rows, schema)
    with writing(Path(path)):
        pyarrow.parquet.write_table(table, str(path))
    return len(rows)


def _list(action: Any) -> list[int] | None:
    return [action] if isinstance(action, int) else action
