"""The nine labelled worlds, small, and plain Python that says again what a shield means."""

import itertools

from ecumene import gridworlds, matrix

WORLDS = {
    "MarkovStagHunt": (gridworlds.MarkovStagHunt, {"grid_size": (3, 3), "num_plants": 1}),
    "IceDuel": (gridworlds.IceDuel, {"grid_size": (3, 4), "max_moves": 30}),
    "Pursuit": (gridworlds.Pursuit, {"layout": "...G/.##./...."}),
    "Gathering": (
        gridworlds.Gathering,
        {"grid_size": (3, 5), "apple_sites": [(1, 2)], "hits_to_freeze": 1, "freeze_time": 2},
    ),
    "BertrandMatrix": (matrix.BertrandMatrix, {}),
    "ChickenMatrix": (matrix.ChickenMatrix, {}),
    "CongestionMatrix": (matrix.CongestionMatrix, {"num_agents": 3, "jam_threshold": 2}),
    "DPGGMatrix": (matrix.DPGGMatrix, {"pot_cap": 30}),
    "InspectionMatrix": (matrix.InspectionMatrix, {}),
}


def make(name, **parameters):
    cls, given = WORLDS[name]
    return cls(**{**given, **parameters})


def random_actions(env, generator):
    return {name: int(generator.integers(env.action_space(name).n)) for name in env.agents}


def joint_actions(env):
    """Return every joint action as a dict, in the order of the agents."""
    names = env.possible_agents
    ranges = [range(env.action_space(name).n) for name in names]
    return [dict(zip(names, actions, strict=True)) for actions in itertools.product(*ranges)]


def is_safe(env):
    return not any("unsafe" in held for held in env.labels().values())


def plain_q(env, actions, depth, controlled):
    """Return whether a joint action is let through at a level of a shield, by stepping the world.

    For worlds in which chance has no say in safety. The world is left as it was.
    """
    here = env.snapshot()
    env.step(actions)
    safe = is_safe(env)
    if safe and depth > 1 and env.agents:
        safe = plain_v(env, depth - 1, controlled)
    env.restore(here)
    return safe


def plain_v(env, depth, controlled):
    theirs = [name for name in env.possible_agents if name not in controlled]
    found = {}
    for actions in joint_actions(env):
        ours = tuple(actions[name] for name in controlled)
        answer = tuple(actions[name] for name in theirs)
        found.setdefault(ours, {})[answer] = plain_q(env, actions, depth, controlled)
    return any(all(answers.values()) for answers in found.values())
