"""Whole episodes, recorded to the last bit."""

import hashlib
import json
from typing import Any

import numpy as np

from ecumene import foundation

UNIFORM = "uniform/simple_wood_and_stone"
QUADRANT = "quadrant/simple_wood_and_stone"
#: Plenty of both resources, near to each other.
RICH = {
    "starting_wood_coverage": 0.2,
    "starting_stone_coverage": 0.2,
    "wood_regen_weight": 0.3,
    "stone_regen_weight": 0.3,
    "gradient_steepness": 1,
}


def play(
    components: list[Any],
    scenario: str = UNIFORM,
    seed: int = 1,
    steps: int = 80,
    episodes: int = 2,
    **kwargs: Any,
) -> list[Any]:
    """Return all there is to see of some episodes of random actions, possible or not."""
    kwargs = {**RICH, "n_agents": 4, "world_size": [8, 8], **kwargs}
    env = foundation.make_env_instance(
        scenario,
        components=components,
        seed=seed,
        episode_length=steps,
        dense_log_frequency=1,
        world_dense_log_frequency=10,
        **kwargs,
    )
    chooser = np.random.RandomState(seed)
    seen: list[Any] = []
    for _ in range(episodes):
        seen.append(env.reset())
        for _ in range(steps):
            actions = {str(agent.idx): choose(agent, chooser) for agent in env.world.agents}
            obs, rew, done, info = env.step(actions)
            state = {str(agent.idx): agent.state.plain() for agent in env.all_agents}
            seen.append((obs, rew, done, info, state, np.random.get_state()))
        seen += [env.metrics, env.previous_episode_metrics, env.dense_log]
    return seen


def choose(agent: Any, chooser: np.random.RandomState) -> Any:
    """Choose evenly among all actions of an agent."""
    if agent.multi_action_mode:
        return [int(chooser.randint(size)) for size in agent.action_spaces]
    return int(chooser.randint(agent.action_spaces))


def digest(value: Any) -> str:
    """Return a digest of recorded episodes in which every bit counts, but no order of keys.

    Names of twins count as those of what they are twins of.
    """
    text = json.dumps(value, default=_exactly, sort_keys=True).replace("Twin", "")
    return hashlib.sha256(text.encode()).hexdigest()


def _exactly(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return [str(value.dtype), list(value.shape), value.tobytes().hex()]
    return value.item()


def differences(one: Any, other: Any) -> list[int]:
    """Return the frames in which two recordings differ: a help to see where it began."""
    pairs = zip(one, other, strict=True)
    return [i for i, (a, b) in enumerate(pairs) if digest(a) != digest(b)]
