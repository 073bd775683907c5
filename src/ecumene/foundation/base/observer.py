"""Turn what the parts of a world show into the documented observation dicts."""

from copy import deepcopy
from typing import Any

import numpy as np

from ecumene.foundation.base import observation
from ecumene.foundation.base.errors import UnknownName
from ecumene.foundation.base.observation import AGENTS, PLANNER, SEEN, TIME, Observations, Slots
from ecumene.foundation.rules import episode


class Observer:
    """Makes observations by the documented methods, and by arrays once it knows their layout.

    Parameters
    ----------
    environment
        The scenario.
    stages
        Its stages, which write the arrays.
    """

    def __init__(self, environment: Any, stages: Any) -> None:
        self._environment = environment
        self._stages = stages
        self.observations: Observations | None = None
        self._uniform = True
        self._rows: list[Any] = []

    # By the documented methods.

    def collect(self) -> dict[str, dict[str, Any]]:
        """Return every observer's fields under their full names, planner's views included."""
        environment = self._environment
        everyone = [str(agent.idx) for agent in environment.all_agents]
        seen = [f"p{i}" for i in range(environment.n_agents)]
        fields: dict[str, dict[str, Any]] = {idx: {} for idx in (*everyone, *seen)}
        of_scenario = environment.generate_observations()
        for idx, values in of_scenario.items():
            own = self._of(fields, idx)
            own.update({f"world-{name}": independent(value) for name, value in values.items()})
            if str(idx) not in seen:
                own[TIME] = [self._time()]
        for component in environment.components:
            for idx, values in component.obs().items():
                own = self._of(fields, idx)
                for name, value in values.items():
                    own[f"{component.name}-{name}"] = independent(value)
        return fields

    @staticmethod
    def _of(fields: dict[str, dict[str, Any]], idx: Any) -> dict[str, Any]:
        if str(idx) not in fields:
            raise UnknownName("agent to observe", idx, fields)
        return fields[str(idx)]

    def _time(self) -> float:
        return self._environment.world.timestep / self._time_scale

    @property
    def _time_scale(self) -> int:
        environment = self._environment
        return environment.episode_length if environment.inv_scale != 1 else 1

    def collect_masks(self) -> dict[str, dict[str, Any]]:
        """Return every agent's masks by subspace."""
        environment = self._environment
        masks: dict[str, dict[str, Any]] = {str(a.idx): {} for a in environment.all_agents}
        for component in environment.components:
            made = component.generate_masks(completions=environment.world.completed)
            for idx, mask in made.items():
                if isinstance(mask, dict):
                    named = {f"{component.name}.{sub}": part for sub, part in mask.items()}
                else:
                    named = {component.name: mask}
                self._of(masks, idx).update(named)
        return masks

    def documented(self, flatten_observations: bool, flatten_masks: bool) -> dict[str, Any]:
        """Return the observations of all agents, made by the documented methods alone."""
        fields = self.collect()
        if flatten_observations:
            if self.observations is None and self._uniform:
                self.learn(fields)
            fields = {idx: observation.flatten(values) for idx, values in fields.items()}
        obs = {str(agent.idx): fields[str(agent.idx)] for agent in self._environment.all_agents}
        for i in range(self._environment.n_agents):
            if fields[f"p{i}"]:
                seen = fields[f"p{i}"]
                obs["p"][f"p{i}"] = seen["flat"] if flatten_observations else seen
        for idx, mask in self._masks(flatten_masks).items():
            obs[idx]["action_mask"] = mask
        return obs

    def _masks(self, flatten_masks: bool) -> dict[str, Any]:
        masks = self.collect_masks()
        if flatten_masks:
            agents = self._environment.all_agents
            return {str(agent.idx): agent.flatten_masks(masks[str(agent.idx)]) for agent in agents}
        return {
            idx: {name: np.array(mask, np.uint8).tolist() for name, mask in parts.items()}
            for idx, parts in masks.items()
        }

    # By arrays.

    def learn(self, fields: dict[str, dict[str, Any]]) -> None:
        """Lay out the arrays after an example of all observers' fields.

        Where mobile agents differ in what they observe there is no layout, and every observation
        is made by the documented methods.
        """
        environment = self._environment
        rows = range(environment.n_agents)
        observers = {
            AGENTS: [fields[str(i)] for i in rows],
            PLANNER: [fields["p"]],
            SEEN: [fields[f"p{i}"] for i in rows],
        }
        shared = environment.shared_observations()
        tables = {
            kind: observation.learn_table(
                examples,
                environment.world.copies,
                {f"world-{name}": array for (k, name), array in shared.items() if k == kind},
            )
            for kind, examples in observers.items()
        }
        layout = environment.world.mask_layout()
        self._uniform = layout is not None and None not in tables.values()
        if layout is None or not self._uniform:
            return
        masks, columns = layout
        self.observations = Observations(tables, masks, columns)  # type: ignore[arg-type]
        focus = environment.world.focus
        environment.slots = Slots(self.observations, "world-", environment.name, focus)
        environment.bind()
        for component in environment.components:
            prefix = f"{component.name}-"
            component.slots = Slots(self.observations, prefix, component.name, focus)
            component.bind()
        self._stages.forget()
        self._find_rows()

    def share_again(self) -> None:
        """Point shared fields to their arrays once more: views do not survive pickling."""
        if self.observations is not None:
            for (kind, name), array in self._environment.shared_observations().items():
                self.observations.tables[kind].kept[f"world-{name}"] = array
            self._find_rows()

    def write(self, lo: int, hi: int) -> None:
        """Write the arrays for the chosen copies of a range."""
        self._stages.observe(lo, hi)
        assert self.observations is not None
        clock, scale = self._environment.world.clock, self._time_scale
        for table in self.observations.tables.values():
            if TIME in table.columns:
                column = table.columns[TIME].start
                episode.tell_time(clock, scale, table.kept[TIME], table.flat, column, lo, hi)

    def _find_rows(self) -> None:
        # The arrays stay where they are, so each agent's part of them is looked up once.
        assert self.observations is not None
        tables, masks = self.observations.tables, self.observations.masks
        kinds = [(AGENTS, i) for i in range(self._environment.n_agents)] + [(PLANNER, 0)]
        self._rows = []
        for kind, row in kinds:
            kept = [(n, None if n == TIME else a[0, row]) for n, a in tables[kind].kept.items()]
            if tables[kind].columns:
                kept.append(("flat", tables[kind].flat[0, row]))
            if kind == PLANNER and tables[SEEN].columns:
                kept += [(f"p{i}", each) for i, each in enumerate(tables[SEEN].flat[0])]
            self._rows.append((kept, masks[kind][0, row]))

    def from_arrays(self) -> dict[str, Any]:
        """Return the flat observations of all agents of the single copy."""
        self.write(0, 1)
        now = self._time()
        obs = {}
        for agent, (kept, mask) in zip(self._environment.all_agents, self._rows, strict=True):
            own: dict[str, Any] = {
                name: [now] if view is None else view.copy() for name, view in kept
            }
            own["action_mask"] = mask.astype(np.float32)
            obs[str(agent.idx)] = own
        return obs

    def observe(self, flatten_observations: bool, flatten_masks: bool) -> dict[str, Any]:
        """Return the observations of all agents of the single copy."""
        if self.observations is None or not (flatten_observations and flatten_masks):
            return self.documented(flatten_observations, flatten_masks)
        return self.from_arrays()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_rows": []}


def independent(value: Any) -> Any:
    """Return a value that shares no memory with what a part of the world keeps."""
    return deepcopy(value) if isinstance(value, np.ndarray | list | dict) else value
