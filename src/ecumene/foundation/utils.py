"""Saving and loading episode logs."""

import json
from pathlib import Path
from typing import Any

from ecumene.engine.errors import EcumeneError, MissingExtra
from ecumene.foundation.base.errors import ensure
from ecumene.foundation.base.logs import empty_dense_log

STRONGEST_COMPRESSION = 16


def save_episode_log(env: Any, filepath: str | Path, compression_level: int = 16) -> None:
    """Write the last logged episode of an environment to a file.

    The file is an LZ4 frame that holds ``env.previous_episode_dense_log`` as JSON.

    Parameters
    ----------
    env
        An environment.
    filepath
        The file; an existing one is replaced.
    compression_level
        From 0 (fast) to 16 (small); values outside count as the nearest of these.

    Raises
    ------
    MissingExtra
        Without lz4.
    EcumeneError
        When the file cannot be written.
    """
    ensure(
        isinstance(compression_level, int) and not isinstance(compression_level, bool),
        f"compression_level is an integer in 0..{STRONGEST_COMPRESSION}, "
        f"not {compression_level!r}.",
    )
    level = min(max(compression_level, 0), STRONGEST_COMPRESSION)
    text = json.dumps(env.previous_episode_dense_log)
    frame = _lz4_frame().compress(text.encode(), compression_level=level)
    try:
        Path(filepath).write_bytes(frame)
    except OSError as error:
        raise EcumeneError(f"cannot write {filepath}: {error}") from error


def load_episode_log(filepath: str | Path) -> dict[str, Any]:
    """Return the dense log that `save_episode_log` wrote to a file.

    Raises
    ------
    MissingExtra
        Without lz4.
    EcumeneError
        When the file cannot be read, or is damaged.
    """
    lz4_frame = _lz4_frame()
    try:
        frame = Path(filepath).read_bytes()
    except OSError as error:
        raise EcumeneError(f"cannot read {filepath}: {error}") from error
    try:
        log = json.loads(lz4_frame.decompress(frame))
    except (RuntimeError, ValueError) as error:
        raise EcumeneError(f"{filepath} is no episode log, or a damaged one: {error}") from error
    missing = [key for key in empty_dense_log() if not isinstance(log, dict) or key not in log]
    if missing:
        raise EcumeneError(f"{filepath} is no episode log: it has no {', '.join(missing)}.")
    return log


def _lz4_frame() -> Any:
    try:
        import lz4.frame
    except ModuleNotFoundError as error:
        raise MissingExtra("an episode log file needs lz4", "logs") from error
    return lz4.frame
