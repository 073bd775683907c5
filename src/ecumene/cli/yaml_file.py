"""Read a YAML file and remember on which line each value stands."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from ecumene.engine import EcumeneError

KeyPath = tuple[str | int, ...]


class DamagedFile(EcumeneError, ValueError):
    """A file is not what it should be; the message begins with file, line and column."""


class YamlFile:
    """A YAML file's data, with the place of every value.

    Parameters
    ----------
    path
        The file.

    Raises
    ------
    DamagedFile
        If it cannot be read, is no YAML, holds no mapping, or names a key twice.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        text = _read(path)
        try:
            root = yaml.compose(text, Loader=yaml.SafeLoader)
            data = yaml.safe_load(text)
        except yaml.YAMLError as error:
            raise DamagedFile(f"{path}{_mark(error)}: {_problem(error)}") from error
        except (ValueError, RecursionError) as error:  # such as the date 2024-99-99
            raise DamagedFile(f"{path}: {error}.") from error
        if root is None:
            raise DamagedFile(f"{path}: the file is empty; at least `world: ...` is needed.")
        if not isinstance(data, dict):
            raise DamagedFile(f"{path}:1:1: the file holds no `key: value` lines.")
        self.data: dict[str, Any] = data
        self._marks: dict[KeyPath, yaml.Mark] = {}
        self._walk(root, (), set())

    def place(self, path: KeyPath) -> str:
        """Return ``file:line:column`` of a key or item, or of the nearest one around it."""
        while path and path not in self._marks:
            path = path[:-1]
        mark = self._marks.get(path)
        return str(self.path) if mark is None else f"{self.path}:{_position(mark)}"

    def paths(self) -> Iterator[KeyPath]:
        """Yield the path of every key and item in the order of the file."""
        yield from self._marks

    def _walk(self, node: yaml.Node, path: KeyPath, above: set[int]) -> None:
        if id(node) in above:
            raise DamagedFile(f"{self.path}:{_position(node.start_mark)}: it contains itself.")
        above = above | {id(node)}
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                here = (*path, key.value) if isinstance(key, yaml.ScalarNode) else path
                if here in self._marks and key.value != "<<":
                    raise DamagedFile(
                        f"{self.path}:{_position(key.start_mark)}: `{key.value}` is given twice."
                    )
                self._marks[here] = key.start_mark
                self._walk(value, here, above)
        elif isinstance(node, yaml.SequenceNode):
            for i, item in enumerate(node.value):
                self._marks[*path, i] = item.start_mark
                self._walk(item, (*path, i), above)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise DamagedFile(f"{path}: there is no such file.") from error
    except UnicodeDecodeError as error:
        raise DamagedFile(f"{path}: the file is not UTF-8 text (byte {error.start}).") from error
    except OSError as error:
        raise DamagedFile(f"{path}: {error.strerror}.") from error


def _mark(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    return "" if mark is None else f":{_position(mark)}"


def _position(mark: yaml.Mark) -> str:
    return f"{mark.line + 1}:{mark.column + 1}"


def _problem(error: yaml.YAMLError) -> str:
    if isinstance(error, yaml.MarkedYAMLError):
        parts = [part for part in (error.context, error.problem) if part]
        return f"this is not YAML: {', '.join(parts)}."
    return f"this is not YAML: {' '.join(str(error).split())}."
