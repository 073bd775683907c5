"""What a run is made of, whether it is said with flags or in a YAML file."""

import re
from collections.abc import Iterable, Mapping
from operator import itemgetter
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ecumene.cli.yaml_file import DamagedFile, KeyPath, YamlFile
from ecumene.engine import EcumeneError, EnvironmentNotFound, InvalidParameter
from ecumene.engine.errors import near_match

_Positive = Annotated[int, Field(ge=1)]


class RunOptions(BaseModel):
    """A run: which world, with which parameters, played how often and by whom, logged where."""

    model_config = ConfigDict(extra="forbid", strict=True)

    world: str
    parameters: dict[str, Any] = {}
    policy: str = "random"
    copies: _Positive = 1
    threads: _Positive | None = None
    episodes: _Positive = 1
    seed: Annotated[int, Field(ge=0)] | None = None
    log: str | None = None
    dense_log: str | None = None
    replay: str | None = None
    all_metrics: bool = False
    labels: bool = False
    shield: Annotated[int, Field(ge=0)] | None = None
    delta: Annotated[float, Field(ge=0, le=1)] = 0.0

    def outputs(self) -> dict[str, Path]:
        """Return the files to be written: option -> path."""
        names = ("log", "dense_log", "replay")
        return {name: Path(value) for name in names if (value := getattr(self, name))}


class RunFile:
    """A YAML file that states a run.

    Raises
    ------
    DamagedFile
        Naming every key that is unknown, missing, of a wrong type or out of range, with its line.
    """

    def __init__(self, path: Path) -> None:
        self.file = YamlFile(path)
        try:
            options = RunOptions.model_validate(self.file.data)
        except ValidationError as error:
            lines = [self._explain(problem) for problem in error.errors()]
            raise DamagedFile("\n".join(lines)) from error
        self.options = self._with_paths_from_here(options)

    def locate(self, error: EcumeneError) -> DamagedFile:
        """Return a world's refusal with the place of the parameter it speaks of in front."""
        if isinstance(error, EnvironmentNotFound):
            return DamagedFile(f"{self.file.place(('world',))}: {error}")
        words = re.findall(r"\w+", str(error))
        # The key that is named first counts, if need be the one below others that are named, too.
        places = [
            (-sum(part in words for part in path), words.index(path[-1]), path)
            for path in self.file.paths()
            if path[0] == "parameters" and path[-1] in words
        ]
        path: KeyPath = min(places, key=itemgetter(0, 1))[2] if places else ("parameters",)
        return DamagedFile(f"{self.file.place(path)}: {error}")

    def _explain(self, problem: Mapping[str, Any]) -> str:
        path = tuple(problem["loc"])
        name = ".".join(map(str, path))
        return f"{self.file.place(path)}: {_sentence(name, problem)}"

    def _with_paths_from_here(self, options: RunOptions) -> RunOptions:
        folder = self.file.path.parent
        update: dict[str, Any] = {
            name: str(folder / path) for name, path in options.outputs().items()
        }
        update["parameters"] = resolve_files(options.parameters, folder)
        return options.model_copy(update=update)


def _sentence(name: str, problem: Mapping[str, Any]) -> str:
    given = problem.get("input")
    match problem["type"]:
        case "missing":
            return f"`{name}` is missing."
        case "extra_forbidden":
            known = RunOptions.model_fields
            hint = near_match(name, known) or f" The keys are {', '.join(known)}."
            return f"there is no option `{name}`.{hint}"
        case "float_type":
            return f"`{name}` is a number, not {given!r}."
        case "less_than_equal":
            return f"`{name}` is at most {problem['ctx']['le']}, not {given}."
        case "int_type":
            return f"`{name}` is an integer, not {given!r}."
        case "bool_type":
            return f"`{name}` is true or false, not {given!r}."
        case "string_type":
            return f"`{name}` is a text, not {given!r}."
        case "dict_type":
            return f"`{name}` holds `key: value` lines, not {given!r}."
        case "greater_than_equal":
            return f"`{name}` is an integer from {problem['ctx']['ge']} up, not {given}."
    return f"`{name}`: {problem['msg']}."


def parse_parameters(texts: Iterable[str]) -> dict[str, Any]:
    """Read ``key=value`` texts; the values are YAML (numbers, true, [1, 2], {a: b}, text).

    Raises
    ------
    InvalidParameter
        For a text without ``=``, a key given twice, or a value that is no YAML.
    """
    parameters: dict[str, Any] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        key = key.strip()
        if not equals or not key.isidentifier():
            raise InvalidParameter(f"-p takes key=value, not `{text}`.")
        if key in parameters:
            raise InvalidParameter(f"-p {key} is given twice.")
        try:
            parameters[key] = yaml.safe_load(value)
        except (yaml.YAMLError, ValueError) as error:
            raise InvalidParameter(f"-p {key}: `{value}` is not YAML.") from error
    return resolve_files(parameters, Path())


def resolve_files(value: Any, folder: Path, key: object = "") -> Any:
    """Make the names of files that stand in `folder` absolute.

    Parameters called ``..._file`` are meant. A name that is no file there is left as it is: it
    may be one that comes with the world.
    """
    if isinstance(value, dict):
        return {name: resolve_files(part, folder, name) for name, part in value.items()}
    if isinstance(value, list):
        return [resolve_files(part, folder) for part in value]
    if isinstance(value, str) and str(key).endswith("_file") and (folder / value).is_file():
        return str((folder / value).resolve())
    return value
