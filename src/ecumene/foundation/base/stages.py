"""The stages of an episode, in their documented order, for a range of copies.

Each part of an economy (the scenario, every component) gives, for each stage, either rules that
handle a range of copies, or a documented method in plain Python for the one copy in view. Where a
user's class is derived from one of the library, whichever it defines itself counts. Either way a
stage becomes a list of calls ``function(*arguments, lo, hi)``.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Call = tuple[Callable[..., Any], tuple[Any, ...]]
Copies = Sequence[int] | NDArray[np.int64]

# Method that gives the rules -> documented methods that stand for the same, and how to run them.
OF_COMPONENTS = {
    "reset_rules": ("reset", ("reset", "additional_reset_steps", "get_additional_state_fields")),
    "step_rules": ("component_step", ("component_step",)),
    "observe_rules": ("observe", ("generate_observations", "generate_masks")),
}
OF_SCENARIOS = {
    "layout_rules": ("reset_starting_layout", ("reset_starting_layout",)),
    "agents_rules": ("reset_agent_states", ("reset_agent_states",)),
    "finish_rules": ("additional_reset_steps", ("additional_reset_steps",)),
    "step_rules": ("scenario_step", ("scenario_step",)),
    "observe_rules": ("observe", ("generate_observations",)),
    "reward_rules": ("write_rewards", ("compute_reward",)),
}


def run(calls: Sequence[Call], lo: int, hi: int) -> None:
    """Make the calls of a stage for a range of copies."""
    for function, arguments in calls:
        function(*arguments, lo, hi)


class Stages:
    """Runs the stages of an environment.

    Parameters
    ----------
    environment
        The scenario, which knows its world and components.

    Attributes
    ----------
    plain_parts : list
        Parts of which at least one stage is plain Python.
    """

    def __init__(self, environment: Any) -> None:
        self._environment = environment
        self.plain_parts: list[Any] = []
        self._calls: dict[str, list[Call]] = {}
        self._streams: Any = None

    def _find(self) -> None:
        # Arguments are looked up once; of all arrays only NumPy's own generator can be exchanged.
        environment = self._environment
        self.plain_parts = []
        scenario = self._of(environment, OF_SCENARIOS)
        components = [self._of(part, OF_COMPONENTS) for part in environment.components]
        together = {
            name: [call for stages in components for call in stages[name]] for name in OF_COMPONENTS
        }
        self._calls = {
            "begin": [
                *scenario["layout_rules"],
                *scenario["agents_rules"],
                *together["reset_rules"],
                *scenario["finish_rules"],
            ],
            "advance": [*together["step_rules"], *scenario["step_rules"]],
            "reward": scenario["reward_rules"],
        }
        if environment.observes_by_arrays:
            self._calls["observe"] = [*scenario["observe_rules"], *together["observe_rules"]]
        self._streams = environment.world.streams

    def _of(self, part: Any, stages: dict[str, Any]) -> dict[str, list[Call]]:
        found: dict[str, list[Call]] = {}
        for rules, (method, documented) in stages.items():
            if is_plain(part, rules, documented):
                world = self._environment.world
                calling = world.each_looks if rules == "observe_rules" else world.each
                found[rules] = [(calling, (getattr(part, method),))]
                if part not in self.plain_parts:
                    self.plain_parts.append(part)
            elif rules != "observe_rules" or self._environment.observes_by_arrays:
                found[rules] = getattr(part, rules)()
            else:
                found[rules] = []
        return found

    def calls(self, stage: str) -> list[Call]:
        """Return the calls of a stage."""
        if self._streams is not self._environment.world.streams:
            self._find()
        return self._calls[stage]

    def forget(self) -> None:
        """Look all arguments up anew at the next call."""
        self._streams = None

    def begin(self, lo: int, hi: int) -> None:
        """Begin an episode in the chosen copies of a range."""
        world = self._environment.world
        chosen = world.chosen[lo:hi]
        world.clock[lo:hi][chosen] = 0
        self._tell_loggers("clear_log", lo, hi)
        with world.gaussians():
            run(self.calls("begin"), lo, hi)
        world.action[lo:hi][chosen] = 0

    def advance(self, lo: int, hi: int) -> None:
        """Make one step of the world in the chosen copies of a range."""
        world = self._environment.world
        world.clock[lo:hi] += world.chosen[lo:hi]
        run(self.calls("advance"), lo, hi)
        if world.logged:
            self._tell_loggers("keep_log", lo, hi)

    def observe(self, lo: int, hi: int) -> None:
        """Write observations and masks of the chosen copies of a range."""
        run(self.calls("observe"), lo, hi)

    def reward(self, lo: int, hi: int) -> None:
        """Write rewards of the chosen copies of a range."""
        run(self.calls("reward"), lo, hi)

    def metrics(self, copies: Copies) -> dict[str, NDArray[Any]]:
        """Return metric -> one value per copy, the components' behind their shorthands."""
        environment, world = self._environment, self._environment.world
        values = dict(metrics_of(environment, "scenario_metrics", world, copies))
        for component in environment.components:
            for name, column in metrics_of(component, "get_metrics", world, copies).items():
                values[f"{component.shorthand}/{name}"] = column
        return {name: np.asarray(column) for name, column in values.items()}

    def _tell_loggers(self, method: str, lo: int, hi: int) -> None:
        world = self._environment.world
        for copy in world.logged:
            if lo <= copy < hi and world.chosen[copy]:
                with world.plain.in_view(copy):
                    for component in self._environment.components:
                        getattr(component, method)(copy)

    def __getstate__(self) -> dict[str, Any]:
        return {"_environment": self._environment, "plain_parts": self.plain_parts}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _calls={}, _streams=None)


def is_plain(part: Any, rules: str, documented: Sequence[str]) -> bool:
    """Tell whether a part gives a stage by documented methods rather than by rules."""
    for cls in type(part).__mro__:
        if rules in cls.__dict__:
            return False
        if any(name in cls.__dict__ for name in documented):
            return True
    return True


def metrics_of(part: Any, documented: str, world: Any, copies: Copies) -> dict[str, Any]:
    """Return metric -> one value per copy, for one part."""
    if is_plain(part, "metrics_copies", (documented,)):
        return world.collect(copies, getattr(part, documented))
    return part.metrics_copies(copies)
