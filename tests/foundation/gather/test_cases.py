"""Faults that people met elsewhere: agents unlike one another, forms of actions, shut-in agents."""

import enum
import json
from itertools import combinations

import numpy as np
import pytest
from foundation.boards import BUILD, DOWN, GATHER, RIGHT, UP, at, board, put, stand

import ecumene
from ecumene import foundation

# C18: agents with and without a component.

LANES = [f"{i}" + "." * 39 for i in range(6)]
MIXES = list(combinations(range(6), 3))


@pytest.fixture
def draw_mixed(draw, monkeypatch):
    """Draw a board on which some agents are of a class that neither Gather nor Build serves."""
    registry = foundation.agents
    monkeypatch.setattr(registry, "_classes", dict(registry._classes))
    base = registry.get("BasicMobileAgent")
    sitting: set[int] = set()

    class MaybeSitter(base):
        def __init__(self, idx=None, multi_action_mode=None):
            super().__init__(idx, multi_action_mode)
            if idx in sitting:
                self.name = "Sitter"

    registry.add(MaybeSitter, override=True)

    def draw_with(sitters, *rows, **kwargs):
        sitting.clear()
        sitting.update(sitters)
        return draw(*rows, **kwargs)

    return draw_with


@pytest.mark.parametrize("sitters", MIXES)
def test_c18_all_who_can_walk_arrive_and_only_they(draw_mixed, sitters):
    env = draw_mixed(sitters, *LANES, mobile_agent_observation_range=1)
    walkers = [i for i in range(6) if i not in sitters]
    for seed in range(5):
        env.reset()
        stand(env, *((i, 0) for i in range(6)))
        np.random.set_state(at(seed))
        for _ in range(20):
            env.step({str(i): RIGHT for i in walkers})
        assert [env.get_agent(i).loc[1] for i in range(6)] == [
            20 * (i in walkers) for i in range(6)
        ]


def test_c18_for_every_seed(draw_mixed):
    env = draw_mixed((0, 2, 3), *LANES, mobile_agent_observation_range=1)
    for seed in range(50):
        env.reset()
        stand(env, *((i, 0) for i in range(6)))
        np.random.set_state(at(seed))
        for _ in range(20):
            env.step({"1": RIGHT, "4": RIGHT, "5": RIGHT})
        assert [env.get_agent(i).loc[1] for i in range(6)] == [0, 20, 0, 0, 20, 20]


@pytest.mark.parametrize("sitters", [(0,), (1,), (0, 2)])
def test_c18_agents_without_the_component_have_nothing_of_it(draw_mixed, sitters):
    rows = ["0W.", "1..", "2.."]
    env = draw_mixed(sitters, *rows, components=[BUILD, GATHER], flatten_observations=False)
    obs, _, _, _ = env.step()
    for i in range(3):
        agent, seen = env.get_agent(i), obs[str(i)]
        serves = i not in sitters
        assert agent.action_spaces == (6 if serves else 1)
        assert agent.has_component("Gather") == agent.has_component("Build") == serves
        assert seen["action_mask"].shape == (agent.action_spaces,)
        assert ("Gather-bonus_gather_prob" in seen) == serves
        assert ("Build-build_payment" in seen) == serves
        assert {"bonus_gather_prob", "build_skill"} <= set(agent.state) or not serves
        assert not {"bonus_gather_prob", "build_skill"} & set(agent.state) or serves


@pytest.mark.parametrize("sitters", [(0,), (1,)])
def test_c18_they_neither_collect_nor_build(draw_mixed, sitters):
    env = draw_mixed(sitters, "0.", "1.", components=[BUILD, GATHER])
    for i in range(2):
        put(env, (i, 0), Wood=1)
    env.step()
    (walker,) = {0, 1} - set(sitters)
    assert env.get_agent(walker).inventory["Wood"] == 1
    assert env.get_agent(sitters[0]).inventory["Wood"] == 0
    with pytest.raises(TypeError, match=f"agent {sitters[0]}"):
        env.step({str(sitters[0]): 1})


@pytest.mark.parametrize("sitters", [(0,), (1,)])
def test_c18_in_multi_action_mode(draw_mixed, sitters):
    env = draw_mixed(sitters, "0..", "1..", multi_action_mode_agents=True)
    (walker,) = {0, 1} - set(sitters)
    env.step({str(walker): [RIGHT], str(sitters[0]): [0]})
    assert env.get_agent(walker).loc == [walker, 1]
    assert env.get_agent(sitters[0]).loc == [sitters[0], 0]
    assert env.get_agent(sitters[0]).action_spaces.tolist() == [1]


def test_c18_observations_of_a_component_for_some_agents_only(draw, monkeypatch):
    # The agents are of one class here, and a component of the user's tells them apart.
    registry = foundation.components
    monkeypatch.setattr(registry, "_classes", dict(registry._classes))

    @registry.add
    class Compass(foundation.base.base_component.BaseComponent):
        name = "Compass"
        required_entities = []
        agent_subclasses = ["BasicMobileAgent"]

        def get_n_actions(self, agent_cls_name):
            return None

        def get_additional_state_fields(self, agent_cls_name):
            return {}

        def component_step(self):
            pass

        def generate_observations(self):
            return {1: {"north": 1.0}}

    env = draw("0.", "1.", components=[("Compass", {}), GATHER])
    obs, _, _, _ = env.step({"0": RIGHT, "1": RIGHT})
    assert obs["1"]["flat"].size == obs["0"]["flat"].size + 1
    assert [env.get_agent(i).loc for i in range(2)] == [[0, 1], [1, 1]]


# C19: forms of actions.


class Move(enum.IntEnum):
    STAY = 0
    BUILD = 1
    LEFT = 2
    RIGHT = 3
    UP = 4
    DOWN = 5


class DeviceScalar:
    """A scalar as other array libraries have them: an index, but no number of NumPy's."""

    shape = ()
    dtype = "int32"

    def __init__(self, value):
        self._value = value

    def __index__(self):
        return int(self._value)


SCALARS = {
    "int": int,
    "int64": np.int64,
    "int32": np.int32,
    "uint8": np.uint8,
    "0-d array": np.array,
    "0-d int8 array": lambda value: np.array(value, np.int8),
    "IntEnum": Move,
    "device scalar": DeviceScalar,
}
LISTS = {
    "list": list,
    "tuple": tuple,
    "int32 array": lambda parts: np.array(parts, np.int32),
    "uint8 array": lambda parts: np.array(parts, np.uint8),
    "list of scalars": lambda parts: [np.int64(part) for part in parts],
    "list of 0-d arrays": lambda parts: [np.array(part) for part in parts],
}
PLAN = [(3, 2), (5, 4), (0, 1), (2, 3), (4, 5), (1, 0), (5, 5)]


def logged(folder, form, split, **kwargs):
    """Return the dense log of an episode of the same actions, given in some form."""
    rows = ["0W.S", "....", "S.W1"]
    env = board(folder, *rows, components=[BUILD, GATHER], episode_length=len(PLAN), **kwargs)
    env.reset(seed_state=at(3), force_dense_logging=True)
    stand(env, (0, 0), (2, 3))
    for pair in PLAN:
        parts = [[min(a, 1) * (a == 1), max(0, a - 1)] if split else a for a in pair]
        env.step({str(i): form(part) for i, part in enumerate(parts)})
    return json.dumps(env.previous_episode_dense_log)


@pytest.mark.parametrize("form", SCALARS)
def test_c19_every_form_of_an_integer_is_the_same_action(tmp_path, form):
    assert logged(tmp_path, SCALARS[form], False) == logged(tmp_path, int, False)


@pytest.mark.parametrize("form", LISTS)
def test_c19_every_form_of_a_list_is_the_same_action(tmp_path, form):
    expected = logged(tmp_path, list, True, multi_action_mode_agents=True)
    assert logged(tmp_path, LISTS[form], True, multi_action_mode_agents=True) == expected
    moved = [len(each) for step in json.loads(expected)["actions"] for each in step.values()]
    assert sum(moved) == sum(a > 0 for pair in PLAN for a in pair)


@pytest.mark.parametrize(
    "action", [2.0, np.float32(2), np.array([2]), [2], "2", True, np.True_, np.array(True), None]
)
def test_c19_anything_else_is_refused_by_name(draw, action):
    env = draw("0..", "1..")
    with pytest.raises(TypeError, match="agent 0: an action is an integer in 0..4, not"):
        env.step({"1": RIGHT, "0": action})
    env.step()
    assert [env.get_agent(i).loc for i in range(2)] == [[0, 0], [1, 0]]


@pytest.mark.parametrize("action", [[0], [0, 0, 0], 2, "ab", [0, 2.0], [0, [1]], None, {}])
def test_c19_anything_else_is_refused_in_multi_action_mode(draw, action):
    env = draw("0..", "1..", components=[BUILD, GATHER], multi_action_mode_agents=True)
    with pytest.raises(TypeError, match="agent 0"):
        env.step({"1": [0, RIGHT], "0": action})
    env.step()
    assert [env.get_agent(i).loc for i in range(2)] == [[0, 0], [1, 0]]


# C23: an agent that can do nothing.

CAGE = [".@.", "@0@", ".@1"]


def entries(mask, sizes):
    """Split a flat mask of a multi-action agent into those of its subspaces."""
    return np.split(mask, np.cumsum(sizes)[:-1])


def test_c23_a_shut_in_agent_can_still_do_nothing(draw):
    env = draw(*CAGE, components=[BUILD, GATHER])
    for obs in (env.step()[0], env.step({"0": 2})[0], env.step({"0": 1})[0]):
        assert obs["0"]["action_mask"].tolist() == [1, 0, 0, 0, 0, 0]
    assert env.get_agent(0).loc == [1, 1]


def test_c23_in_every_subspace_of_multi_action_agents(draw):
    env = draw(*CAGE, components=[BUILD, GATHER], multi_action_mode_agents=True)
    obs, _, _, _ = env.step({"0": [0, UP], "1": [0, DOWN]})
    parts = entries(obs["0"]["action_mask"], env.get_agent(0).action_spaces)
    assert [part.tolist() for part in parts] == [[1, 0], [1, 0, 0, 0, 0]]


@pytest.mark.parametrize("multi", [False, True])
def test_c23_a_planner_without_actions_can_do_nothing(draw, multi):
    env = draw(*CAGE, multi_action_mode_planner=multi)
    obs, _, _, _ = env.step({"p": [0] if multi else 0})
    assert obs["p"]["action_mask"].tolist() == [1]


@pytest.mark.parametrize("multi", [False, True])
def test_c23_masks_of_a_crowd_always_leave_something(draw, multi):
    env = draw(
        "0@1",
        "23@",
        "@45",
        components=[BUILD, GATHER],
        multi_action_mode_agents=multi,
    )
    np.random.seed(0)
    for _ in range(40):
        for agent in env.world.agents:
            agent.populate_random_actions()
        obs, _, _, _ = env.step()
        for agent in env.all_agents:
            mask, sizes = obs[str(agent.idx)]["action_mask"], agent.action_spaces
            parts = entries(mask, sizes) if agent.multi_action_mode else [mask]
            assert all(part[0] == 1 for part in parts)


@pytest.mark.parametrize("multi", [False, True])
def test_c23_spaces_can_be_sampled_with_the_masks(tmp_path, multi):
    layout = tmp_path / "cages.txt"
    layout.write_text("\n".join([" @ @", "@@@@", " @ @"]))
    env = ecumene.make(
        "foundation/layout-v0",
        env_layout_file=str(layout),
        multi_action_mode_agents=multi,
        episode_length=3,
    )
    _, infos = env.reset(seed=5)
    while env.agents:
        actions = {}
        for agent in env.agents:
            actions[agent] = env.action_space(agent).sample(infos[agent]["action_mask"])
            assert not np.any(actions[agent])  # shut in, nothing but NO-OP is left
        _, _, _, truncations, infos = env.step(actions)
    assert set(truncations.values()) == {True}
