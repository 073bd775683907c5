"""The environments of battles under the names that their users know."""

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

from pettingzoo.utils.conversions import parallel_to_aec
from pettingzoo.utils.env import AECEnv
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper

from ecumene.api.parallel import ParallelEnv
from ecumene.battle.simulation import BattleSimulation
from ecumene.engine import InvalidParameter, random
from ecumene.engine.errors import near_match

FRAMES_PER_SECOND = 5
_RESERVED = ("copies", "num_threads")
_BY_POSITION = (
    "map_size",
    "max_cycles",
    "minimap_mode",
    "extra_features",
    "render_mode",
    "seed",
)


class BattleEnv(ParallelEnv):
    """A battle as a PettingZoo `ParallelEnv`.

    Parameters
    ----------
    simulation
        One copy of a battle.
    render_mode
        See `ParallelEnv`.
    seed
        Seed of the first `reset` that is given none.
    name
        What the metadata call it; None: the id of the world.
    """

    simulation: BattleSimulation

    def __init__(
        self,
        simulation: BattleSimulation,
        render_mode: str | None = None,
        seed: int | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(simulation, render_mode)
        self.metadata = {
            **self.metadata,
            "name": name or simulation.spec.id,
            "render_fps": FRAMES_PER_SECOND,
        }
        self._first_seed = None if seed is None else random.parse_seed(seed)

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Start a new episode; see `ParallelEnv.reset`."""
        result = super().reset(self._first_seed if seed is None else seed, options)
        self._first_seed = None
        return result


class Makers(NamedTuple):
    """The functions by which users make a named world."""

    parallel_env: Callable[..., BattleEnv]
    raw_env: Callable[..., "AECEnv[str, Any, Any]"]
    env: Callable[..., "AECEnv[str, Any, Any]"]


def makers(kind: type[BattleSimulation]) -> Makers:
    """Return the makers of a named world, whose name is that of the module of its class.

    All of them take the parameters of the class but for those of batches, and `render_mode` and
    `seed`; which can be given by position, and in which order, is the same for all worlds.
    """
    module = kind.__module__
    signature = _signature(kind)

    def parallel_env(*args: Any, **parameters: Any) -> BattleEnv:
        """Return the world as a PettingZoo `ParallelEnv`; parameters: see the settings."""
        named = signature.bind_partial(*args).arguments
        return open_world(module.rpartition(".")[2], kind, **named, **parameters)

    def raw_env(*args: Any, **parameters: Any) -> AECEnv[str, Any, Any]:
        """Return the world as a PettingZoo `AECEnv`, whose agents act in turn."""
        return parallel_to_aec(parallel_env(*args, **parameters))

    def env(*args: Any, **parameters: Any) -> AECEnv[str, Any, Any]:
        """Return `raw_env` with PettingZoo's checks of actions and of the order of calls."""
        return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(raw_env(*args, **parameters)))

    result = Makers(parallel_env, raw_env, env)
    for maker in result:
        returned = signature.replace(return_annotation=maker.__annotations__["return"])
        maker.__signature__ = returned  # type: ignore[attr-defined]
        maker.__module__ = module
        maker.__qualname__ = maker.__name__
    return result


def _signature(kind: type[BattleSimulation]) -> inspect.Signature:
    known = inspect.signature(kind).parameters
    own = {
        name: inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation
        )
        for name, annotation in (("render_mode", str | None), ("seed", int | None))
    }
    offered = {name: each for name, each in known.items() if name not in _RESERVED} | own
    by_position = [
        offered.pop(name).replace(kind=inspect.Parameter.POSITIONAL_OR_KEYWORD)
        for name in _BY_POSITION
        if name in offered
    ]
    return inspect.Signature([*by_position, *offered.values()])


def open_world(
    name: str,
    kind: type[BattleSimulation],
    /,
    render_mode: str | None = None,
    seed: int | None = None,
    **parameters: Any,
) -> BattleEnv:
    """Return a named world as a `BattleEnv`.

    Raises
    ------
    InvalidParameter
        For a parameter that does not exist, or one of a wrong type or out of range.
    """
    known = [each for each in inspect.signature(kind).parameters if each not in _RESERVED]
    for each in parameters:
        if each not in known:
            raise InvalidParameter(
                f"{name} has no parameter `{each}`.{near_match(each, known)} "
                f"Parameters: {', '.join(known)}."
            )
    return BattleEnv(kind(**parameters), render_mode, seed, name)
