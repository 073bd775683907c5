"""Files that a run will write: refused before it begins if they cannot be."""

from collections.abc import Mapping
from pathlib import Path

from ecumene.engine import EcumeneError


class UnwritableOutput(EcumeneError, OSError):
    """A file that was asked for cannot be written."""


def check_writable(files: Mapping[str, Path]) -> None:
    """Raise `UnwritableOutput` unless every file can be written and no two are the same.

    Parameters
    ----------
    files
        Option -> path. Existing files are left as they are.
    """
    seen: dict[Path, str] = {}
    for option, path in files.items():
        flag = f"--{option.replace('_', '-')}"
        reason = _why_not(path)
        if reason:
            raise UnwritableOutput(f"{flag} {path}: {reason}. Nothing was run.")
        other = seen.setdefault(path.resolve(), flag)
        if other != flag:
            raise UnwritableOutput(f"{flag} and {other} name the same file {path}.")


def _why_not(path: Path) -> str:
    if path.is_dir():
        return "it is a folder"
    if not path.parent.is_dir():
        return f"there is no folder {path.parent}"
    existed = path.exists()
    if existed and not (path.is_file() or path.is_char_device()):
        return "it is no ordinary file"
    try:
        # The one sure way to know; appending changes nothing of what is there.
        with path.open("ab"):
            pass
        if not existed:
            path.unlink()
    except OSError as error:
        return error.strerror or str(error)
    return ""
