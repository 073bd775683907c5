"""Episodes on streams of their own are, on average, like those drawn from NumPy's generator."""

import numpy as np
import pytest
from foundation.batch.economies import IDS, WORLDS, draw_actions, simulation

from ecumene import foundation

EPISODES, STEPS = 150, 30
MEASURES = (
    "social/productivity",
    "social/equality",
    "endow/0/Wood",
    "endow/1/Stone",
    "endogenous/2/Labor",
    "Build/total_builds",
    "wood on the map",
    "stone on the map",
    "row of agent 3",
    "payment of agent 0",
    "skill of agent 1",
)


def of_a_batch(world, seed):
    here = simulation(world, EPISODES, episode_length=STEPS)
    here.reset(seed=seed)
    generator = np.random.default_rng(seed)
    for _ in range(STEPS):
        here.step(draw_actions(here, generator))
    metrics, channels, state = here.metrics(), here.world.maps.channel, here.state
    return [
        *(metrics[name] for name in MEASURES[:6]),
        *(state.tile[:, channels[name]].sum(axis=(1, 2)) for name in ("Wood", "Stone")),
        state.location[:, 3, 0],
        state.parts["Build"].payment[:, 0],
        state.parts["Gather"].bonus[:, 1],
    ]


def of_single_episodes(world, seed):
    id_of = {"foundation/layout-v0": "layout_from_file"}
    name = id_of.get(world, world.split("/")[1][:-3].replace("-", "_"))
    parameters = dict(WORLDS[world])
    if "world_size" in parameters:
        parameters["world_size"] = list(parameters["world_size"])
    env = foundation.make_env_instance(
        f"{name}/simple_wood_and_stone", n_agents=4, episode_length=STEPS, **parameters
    )
    env.seed(seed)
    generator = np.random.default_rng(seed)
    rows = []
    for _ in range(EPISODES):
        env.reset()
        for actions in generator.integers(0, 6, (STEPS, 4)):
            env.step(dict(enumerate(actions.tolist())))
        maps, agents = env.world.maps, env.world.agents
        rows.append(
            [
                *(env.previous_episode_metrics[name] for name in MEASURES[:6]),
                maps.get("Wood").sum(),
                maps.get("Stone").sum(),
                agents[3].loc[0],
                agents[0].state["build_payment"],
                agents[1].state["bonus_gather_prob"],
            ]
        )
    return np.array(rows).T


@pytest.mark.parametrize("world", IDS)
def test_means_agree_within_their_error(world):
    for name, one, other in zip(
        MEASURES, of_a_batch(world, 100), of_single_episodes(world, 200), strict=True
    ):
        error = np.sqrt((np.var(one) + np.var(other)) / EPISODES)
        assert abs(np.mean(one) - np.mean(other)) <= 4 * error + 1e-12, name
        assert np.var(one) > 0 or np.var(other) == 0, name
