"""Small and busy economies for tests of batches."""

import numpy as np

import ecumene

SKILLED = (
    ("Build", {"skill_dist": "pareto", "payment_max_skill_multiplier": 3}),
    ("Gather", {"skill_dist": "lognormal"}),
)
BUSY = {
    "starting_wood_coverage": 0.12,
    "starting_stone_coverage": 0.12,
    "wood_regen_weight": 0.1,
    "stone_regen_weight": 0.2,
    "stone_regen_halfwidth": 1,
    "wood_max_health": 2,
}
LAYOUT = {"env_layout_file": "env-pure_and_mixed-15x15.txt", "resource_regen_prob": 0.1}
SHARED = {"components": SKILLED, "mobile_agent_observation_range": 2}
WORLDS = {
    "foundation/uniform-v0": {**SHARED, **BUSY, "world_size": (8, 9)},
    "foundation/quadrant-v0": {**SHARED, **BUSY, "world_size": (9, 9)},
    "foundation/multi-zone-v0": {**SHARED, **BUSY, "world_size": (8, 8)},
    "foundation/layout-v0": {**SHARED, **LAYOUT},
    "foundation/split-layout-v0": {**SHARED, **LAYOUT},
}
IDS = sorted(WORLDS)
UNIFORM = "foundation/uniform-v0"


def simulation(world, copies=1, **parameters):
    return ecumene.make_simulation(world, copies, **{**WORLDS[world], **parameters})


def draw_actions(simulation, generator, masked=False):
    """Draw an action for everybody, of those that masks allow if `masked`."""
    actions = {}
    for group in simulation.spec.groups:
        shape = (simulation.copies, len(group.agents), *group.action_shape)
        actions[group.name] = generator.integers(
            0, group.action_sizes, shape + (1,) * (not group.action_shape)
        )
        if not group.action_shape:
            actions[group.name] = actions[group.name][..., 0]
        if masked:
            mask = simulation.out[group.name].action_mask
            allowed = np.take_along_axis(mask, actions[group.name][..., None], -1)[..., 0]
            actions[group.name] *= allowed
    return actions


def idle(simulation):
    """Return NO-OP for everybody."""
    return {
        group.name: np.zeros((simulation.copies, len(group.agents), *group.action_shape), int)
        for group in simulation.spec.groups
    }


def told(simulation, copy):
    """Return all that a copy's agents are told, as bytes by name."""
    found = {}
    for name, output in simulation.out.items():
        flags = output._asdict()
        observation = flags.pop("observation")
        arrays = {**flags, **{f"observation/{key}": each for key, each in observation.items()}}
        found |= {f"{name}/{key}": each[copy].tobytes() for key, each in arrays.items()}
    return found


def same_future(one, copy, other, twin, steps=8, seed=0):
    """Step a copy of each of two simulations under the same actions; tell whether they agree."""
    generator = np.random.default_rng(seed)
    for _ in range(steps):
        actions = draw_actions(one, generator)
        mirrored = idle(other)
        for name, given in actions.items():
            mirrored[name][twin] = given[copy]
        for each, act, place in ((one, actions, copy), (other, mirrored, twin)):
            if not each.out["agents"].alive[place].any():
                each.reset(copies=np.arange(each.copies) == place)
            each.step(act, np.arange(each.copies) == place)
        if told(one, copy) != told(other, twin) or one.state_hash(copy) != other.state_hash(twin):
            return False
    return True
