"""The environments of battles under the names that their users know."""

import inspect
from typing import Any

from pettingzoo.utils.conversions import parallel_to_aec
from pettingzoo.utils.env import AECEnv
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper

from ecumene.api.parallel import ParallelEnv
from ecumene.battle.simulation import BattleSimulation
from ecumene.engine import InvalidParameter, random
from ecumene.engine.errors import near_match

FRAMES_PER_SECOND = 5
_RESERVED = ("copies", "num_threads")


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


def open_world(
    name: str,
    kind: type[BattleSimulation],
    render_mode: str | None,
    seed: int | None,
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


def turns(env: BattleEnv) -> AECEnv[str, Any, Any]:
    """Return an environment whose agents act in turn, PettingZoo's `AECEnv`."""
    return parallel_to_aec(env)


def checked_turns(env: BattleEnv) -> AECEnv[str, Any, Any]:
    """Return `turns` with PettingZoo's checks of actions and of the order of calls."""
    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(turns(env)))
