"""The running episode of an environment made through the documented interface."""

from typing import Any

import numpy as np

from ecumene.engine.errors import ResetNeeded
from ecumene.foundation.base.collate import collate_info, collate_observations, collate_rewards
from ecumene.foundation.base.global_stream import (
    GlobalStream,
    SeedState,
    global_state,
    parse_seed_state,
)
from ecumene.foundation.base.logs import DenseLog, RecordedState, ReplayLog, empty_dense_log
from ecumene.foundation.base.observer import Observer
from ecumene.foundation.base.stages import Stages


class Runtime:
    """Resets and steps the single copy, and keeps its logs.

    Parameters
    ----------
    environment
        The scenario.
    world_log_every
        Steps between snapshots of the world in the dense log.

    Attributes
    ----------
    rewards : ndarray
        ``float64[copy, agent]``, mobile agents then the planner.
    """

    def __init__(self, environment: Any, world_log_every: int) -> None:
        self._environment = environment
        self.rows = {str(agent.idx): row for row, agent in enumerate(environment.all_agents)}
        self.stages = Stages(environment)
        self.observer = Observer(environment, self.stages)
        self.rewards = np.zeros((environment.world.copies, len(self.rows)))
        self.stream = GlobalStream()
        if not environment._batched:
            environment.world.source = self.stream
            environment.world.streams = self.stream.row()
        self.dense = DenseLog(environment, world_log_every)
        self.replay = ReplayLog(self.stream, None, ())
        self.last_dense_log = empty_dense_log()
        self.last_replay: ReplayLog | None = None
        self.last_metrics: dict[str, Any] | None = None
        self._started = False

    def begin(self, state: SeedState | None, given: Any, force_dense_logging: bool) -> Any:
        """Begin an episode; see `BaseEnvironment.reset`."""
        environment, world = self._environment, self._environment.world
        if state is not None:
            np.random.set_state(state)
        if isinstance(given, RecordedState):
            for name, array in environment.carried_over().items():
                array[0] = given.carried[name]
        carried = {name: array[0].copy() for name, array in environment.carried_over().items()}
        every = environment._create_dense_log_every
        due = every is not None and world.completed % every == 0
        self.dense.begin(force_dense_logging or due)
        world.streams = self.stream.row()
        world.logged = [0]
        before = RecordedState(global_state(), carried)
        self.stages.begin(0, 1)
        self.replay = ReplayLog(self.stream, before, global_state()[3:])
        self._started = True
        observed = self._observe()
        collating = environment.collate_agent_step_and_reset_data
        return collate_observations(observed) if collating else observed

    def step(self, actions: Any, seed_state: Any) -> tuple[Any, Any, Any, Any]:
        """Make one step; see `BaseEnvironment.step`."""
        environment, world = self._environment, self._environment.world
        if not self._started:
            raise ResetNeeded("call reset() before the first step().")
        state = None if seed_state is None else parse_seed_state(seed_state)
        if actions is not None:
            environment.parse_actions(actions)
        if state is not None:
            np.random.set_state(state)
        world.streams = self.stream.row()
        self.replay.add(actions)
        self.dense.before_step()
        self.stages.advance(0, 1)
        obs = self._observe()
        rew = self._reward()
        done = bool(world.clock[0] >= environment.episode_length)
        self.dense.after_step(rew)
        info: dict[str, Any] = {idx: {} for idx in self.rows}
        world.action[:] = 0
        if done:
            self._finish()
        if environment.collate_agent_step_and_reset_data:
            obs, rew, info = collate_observations(obs), collate_rewards(rew), collate_info(info)
        return obs, rew, {"__all__": done}, info

    def _observe(self) -> dict[str, Any]:
        environment = self._environment
        return self.observer.observe(environment._flatten_observations, environment._flatten_masks)

    def _reward(self) -> dict[str, float]:
        self.stages.reward(0, 1)
        return dict(zip(self.rows, self.rewards[0].tolist(), strict=True))

    def _finish(self) -> None:
        self.last_replay = self.replay
        self.last_metrics = self._environment.metrics
        if self.dense.active:
            self.last_dense_log = self.dense.finish()
        self._environment.world.completions[0] += 1

    def after_unpickling(self) -> None:
        """Rebuild what does not survive pickling: hooks and views."""
        self.stages.forget()
        self.observer.share_again()
