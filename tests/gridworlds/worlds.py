"""The four worlds, and short ways to play them."""

import numpy as np

from ecumene.gridworlds import Gathering, IceDuel, MarkovStagHunt, Pursuit

CLASSES = {cls.__name__: cls for cls in (MarkovStagHunt, IceDuel, Pursuit, Gathering)}

LEFT, RIGHT, UP, DOWN, STAY, TAG_LEFT, TAG_RIGHT, TAG_UP, TAG_DOWN = range(9)


def begin(cls, **parameters):
    """Return a world after a reset."""
    env = cls(**parameters)
    env.reset(seed=0)
    return env


def play(env, *actions):
    """Step with one action per live agent, in order."""
    return env.step(dict(zip(env.agents, actions, strict=True)))


def random_play(env, steps, seed=0):
    """Yield the five dicts of random steps, with resets as episodes end."""
    generator = np.random.default_rng(seed)
    env.reset(seed=seed)
    for _ in range(steps):
        if not env.agents:
            env.reset()
        most = env.action_space("player_0").n
        yield play(env, *generator.integers(0, most, len(env.agents)).tolist())


def grid(env, seen):
    """Return an observation as [row, column, channel]."""
    simulation = env.simulation
    return seen.reshape(simulation.rows, simulation.columns, env.n_obs_types)


def where(env, channel):
    """Return the cells (row, column) at which a named channel of the state is 1."""
    index = env.channel_names().index(channel)
    return [tuple(cell) for cell in np.argwhere(grid(env, env.state())[:, :, index]).tolist()]


def as_tuple(value):
    """Return nested lists as nested tuples."""
    return tuple(map(as_tuple, value)) if isinstance(value, list) else value
