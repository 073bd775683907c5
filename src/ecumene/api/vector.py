"""Many copies of a world, stepped together with arrays."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from ecumene.api.labels import cost_arrays
from ecumene.api.policies import random_actions
from ecumene.engine import Group, InvalidParameter, ResetNeeded, Simulation, Snapshot, check

Arrays = dict[str, Any]
Batch = tuple[Arrays, Arrays, Arrays, Arrays, dict[str, Any]]


class VectorEnv:
    """Copies of one world behind an interface like that of `gymnasium.vector`.

    Everything is a dict keyed by group, of arrays ``[num_envs, agents, ...]`` (for a `Dict`
    observation space: a dict of such arrays). Agents that are not live keep their place; their
    actions must be in range and are ignored. A copy's episode is over when none of its agents
    is live. What happens then is Gymnasium's:

    ``NEXT_STEP``
        The next step ignores the copy's actions, resets it and returns its first observation
        with reward 0 and all flags False.
    ``SAME_STEP``
        The copy is reset at once. The step returns the first observation of the new episode
        with the last reward and flags of the old one; `infos` holds the last observation and
        infos of the old one as `final_obs` and `final_info`, filled in the rows that the masks
        `_final_obs` and `_final_info` mark. ``final_info["metrics"]`` holds the world's metrics.
    ``DISABLED``
        The copy must be reset with ``reset(options={"reset_mask": mask})`` before it is stepped.

    `infos[group]` holds `action_mask` (int8, 1 = allowed), `alive` and what else the world tells;
    with `labels` also ``labels`` (bool[num_envs, agents, proposition], over `propositions`) and
    ``cost`` (float64[num_envs, agents]).

    Copy k of a batch that is reset with an integer seed s is the single world with seed s + k.

    Parameters
    ----------
    simulation
        The copies.
    autoreset_mode
        A `gymnasium.vector.AutoresetMode` or its value.
    copy
        Whether observations and infos are copies. False hands out the world's own arrays, which
        the next step overwrites, as read-only views. Rewards and flags are always copies.
    labels
        Whether `infos` hold labels and costs.

    Attributes
    ----------
    num_envs
        Number of copies.
    groups
        The groups of agents, `ecumene.engine.Group`.
    single_observation_space, single_action_space
        Spaces of one agent, by group.
    """

    def __init__(
        self,
        simulation: Simulation,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        labels: bool = False,
    ) -> None:
        self.simulation = simulation
        self._labelled = check.flag("labels", labels)
        self.autoreset_mode = _parse_mode(autoreset_mode)
        self.copy = copy
        self.num_envs = simulation.copies
        self.groups: tuple[Group, ...] = simulation.spec.groups
        self.single_observation_space: dict[str, spaces.Space[Any]] = {
            group.name: group.observation_space for group in self.groups
        }
        self.single_action_space: dict[str, spaces.Space[Any]] = {
            group.name: group.action_space for group in self.groups
        }
        self.metadata = {
            "name": simulation.spec.id,
            "render_modes": [],
            "autoreset_mode": self.autoreset_mode,
        }
        self._ended = np.zeros(self.num_envs, np.bool_)
        self._generator = np.random.default_rng()

    def reset(
        self,
        seed: int | Sequence[int] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> tuple[Arrays, dict[str, Any]]:
        """Start a new episode in every copy, or in those that a mask marks.

        Parameters
        ----------
        seed
            An integer s gives copy k the seed s + k; a sequence gives one seed per copy. None:
            each copy's stream goes on (from the operating system's entropy the first time).
        options
            ``{"reset_mask": bool[num_envs]}`` with at least one True; other keys are ignored.

        Returns
        -------
        observations, infos

        Raises
        ------
        InvalidSeed, InvalidParameter
            Nothing has changed then.
        """
        mask = self._parse_mask((options or {}).get("reset_mask"))
        self.simulation.reset(seed, mask)
        self._ended[slice(None) if mask is None else mask] = False
        return self._observations(), self._infos()

    def step(self, actions: Mapping[str, Any]) -> Batch:
        """Advance every copy by one step.

        Parameters
        ----------
        actions
            Group -> integers ``[num_envs, agents]``, or ``[num_envs, agents, parts]`` for
            `MultiDiscrete`.

        Returns
        -------
        observations, rewards, terminations, truncations, infos
            Dicts keyed by group.

        Raises
        ------
        InvalidAction
            Naming copy, agent, value and what is allowed. Nothing was stepped then.
        ResetNeeded
            Before the first reset; with autoreset disabled, also if an episode is over.
        """
        ended = self._ended if self._ended.any() else None
        if ended is not None and self.autoreset_mode is AutoresetMode.DISABLED:
            raise ResetNeeded(self._describe_ended())
        self.simulation.step(actions, None if ended is None else ~ended)
        if ended is not None:
            self.simulation.reset(copies=ended)
        self._ended = ~self._live()
        rewards, terminations, truncations = (
            {name: getattr(output, flag).copy() for name, output in self.simulation.out.items()}
            for flag in ("reward", "terminated", "truncated")
        )
        final = {}
        if self.autoreset_mode is AutoresetMode.SAME_STEP and self._ended.any():
            final = self._final()
            self.simulation.reset(copies=self._ended)
            self._ended = np.zeros(self.num_envs, np.bool_)
        infos = {**self._infos(), **final}
        return self._observations(), rewards, terminations, truncations, infos

    def sample_actions(self, rng: np.random.Generator | None = None) -> Arrays:
        """Draw actions that the present masks allow, from `rng` or a generator of its own."""
        masks = {name: output.action_mask for name, output in self.simulation.out.items()}
        return random_actions(masks, self.groups, rng or self._generator)

    def _live(self) -> NDArray[np.bool_]:
        """Return which copies have a live agent."""
        outputs = self.simulation.out.values()
        if any(output.alive.all() for output in outputs):  # by far the fastest look
            return np.ones(self.num_envs, np.bool_)
        live = np.zeros(self.num_envs, np.bool_)
        for output in outputs:
            live |= output.alive.any(axis=1)
        return live

    def _observations(self) -> Arrays:
        hand_out = np.copy if self.copy else _read_only
        return {
            name: _map(hand_out, output.observation) for name, output in self.simulation.out.items()
        }

    def _infos(self) -> dict[str, Any]:
        return _map(np.copy if self.copy else _read_only, self._facts())

    def _facts(self) -> dict[str, dict[str, Any]]:
        """Return the world's own arrays of which infos are made, by group."""
        further = self.simulation.info_arrays()
        facts = {
            name: {
                "action_mask": output.action_mask,
                "alive": output.alive,
                **further.get(name, {}),
            }
            for name, output in self.simulation.out.items()
        }
        if self._labelled:
            labels = self.simulation.labels()
            costs = cost_arrays(self.propositions, labels)
            for name, arrays in facts.items():
                arrays.update(labels=labels[name], cost=costs[name])
        return facts

    @property
    def labelled(self) -> bool:
        """Whether infos hold labels and costs."""
        return self._labelled

    @property
    def propositions(self) -> tuple[str, ...]:
        """Everything that labels can say."""
        return self.simulation.spec.propositions

    def _final(self) -> dict[str, Any]:
        """Return the last observations and infos of the copies that have just ended."""
        ended = self._ended

        def last(array: NDArray[Any]) -> NDArray[Any]:
            kept = np.zeros_like(array)
            kept[ended] = array[ended]
            return kept

        info: dict[str, Any] = _map(last, self._facts())
        outputs = self.simulation.out
        info["metrics"] = self._final_metrics()
        return {
            "final_obs": {name: _map(last, output.observation) for name, output in outputs.items()},
            "_final_obs": ended.copy(),
            "final_info": info,
            "_final_info": ended.copy(),
        }

    def _final_metrics(self) -> dict[str, NDArray[np.float64]]:
        which = np.flatnonzero(self._ended)
        metrics = {}
        for name, values in self.simulation.metrics(which.tolist()).items():
            metrics[name] = np.zeros(self.num_envs)
            metrics[name][which] = values
        return metrics

    def _describe_ended(self) -> str:
        which = np.flatnonzero(self._ended).tolist()
        listed = ", ".join(map(str, which[:8])) + (", ..." if len(which) > 8 else "")
        return (
            f"{self.simulation.spec.id}: the episodes of copies {listed} are over and autoreset "
            'is disabled: call reset(options={"reset_mask": ...}). Nothing was stepped.'
        )

    def _parse_mask(self, mask: Any) -> NDArray[np.bool_] | None:
        if mask is None:
            return None
        fits = isinstance(mask, np.ndarray) and mask.dtype == np.bool_
        if not fits or mask.shape != (self.num_envs,) or not mask.any():
            raise InvalidParameter(
                f'options["reset_mask"] is a boolean array of shape ({self.num_envs},) with at '
                f"least one True, not {mask!r}."
            )
        return mask

    def snapshot(self, copy: int = 0) -> Snapshot:
        """Return everything about one copy, random stream and clock included."""
        return self.simulation.snapshot(self._parse_copy(copy))

    def restore(self, copy: int, snapshot: Snapshot) -> None:
        """Put one copy into the moment of a snapshot; see `Simulation.restore`."""
        self.simulation.restore(self._parse_copy(copy), snapshot)
        self._ended[copy] = not self._live()[copy]

    def state_hash(self, copy: int = 0) -> str:
        """Return a digest of the state of one copy."""
        return self.simulation.state_hash(self._parse_copy(copy))

    def _parse_copy(self, copy: int) -> int:
        return check.integer("copy", copy, 0, self.num_envs - 1)

    def metrics(self, copies: Sequence[int] | None = None) -> dict[str, NDArray[np.float64]]:
        """Return the world's metrics: name -> one value per chosen copy (default: all)."""
        return self.simulation.metrics(copies)

    def close(self) -> None:
        """Let go of threads; may be called more than once."""
        self.simulation.close()


def _parse_mode(mode: AutoresetMode | str) -> AutoresetMode:
    try:
        return AutoresetMode(mode)
    except ValueError:
        values = [each.value for each in AutoresetMode]
        return check.one_of("autoreset_mode", mode, tuple(values))


def _map(function: Any, arrays: Any) -> Any:
    """Apply a function to every array of nested dicts."""
    if isinstance(arrays, dict):
        return {name: _map(function, part) for name, part in arrays.items()}
    return function(arrays)


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    view = array.view()
    view.flags.writeable = False
    return view
