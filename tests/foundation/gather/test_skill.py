"""The chance of a bonus unit, drawn at each reset."""

import numpy as np
import pytest
from foundation.boards import at, same_state, stream

SKILLS = ["none", "pareto", "lognormal"]


def skilled(draw, skill_dist, n_agents=5):
    rows = ["." * n_agents, "@" * n_agents, "".join(str(i) for i in range(n_agents))]
    return draw(*rows, components=[("Gather", {"skill_dist": skill_dist})])


def skills(env):
    return [agent.state["bonus_gather_prob"] for agent in env.world.agents]


def redraw(twin, skill_dist, n):
    """Return n skills by NumPy's own functions."""
    if skill_dist == "pareto":
        return [np.minimum(2, twin.pareto(3)) / 2 for _ in range(n)]
    if skill_dist == "lognormal":
        return [np.minimum(2, twin.lognormal(-2.022, 0.938)) / 2 for _ in range(n)]
    return [0.0] * n


@pytest.mark.parametrize("skill_dist", SKILLS)
def test_g_33_every_mobile_agent_has_a_skill_from_0_to_1(draw, skill_dist):
    env = skilled(draw, skill_dist)
    for seed in range(100):
        env.reset(seed_state=at(seed))
        for agent in env.world.agents:
            assert "bonus_gather_prob" in agent.state
            assert type(agent.state["bonus_gather_prob"]) is float
            assert 0 <= agent.state["bonus_gather_prob"] <= 1


def test_g_33_it_is_the_component_s_only_field(draw):
    env = skilled(draw, "pareto")
    component = env.get_component("Gather")
    assert component.get_additional_state_fields("BasicMobileAgent") == {"bonus_gather_prob": 0.0}
    assert list(env.get_agent(0).state) == [
        "loc",
        "inventory",
        "escrow",
        "endogenous",
        "bonus_gather_prob",
    ]


def test_g_34_none_leaves_everyone_at_0(draw):
    env = skilled(draw, "none")
    for _ in range(5):
        env.reset()
        assert skills(env) == [0.0] * 5


def test_g_34_none_draws_nothing_and_undoes_what_was_set(draw):
    env = skilled(draw, "none")
    env.get_agent(2).state["bonus_gather_prob"] = 0.7
    np.random.set_state(at(1))
    env.get_component("Gather").reset()
    assert skills(env) == [0.0] * 5
    assert same_state(np.random.get_state(), at(1))


@pytest.mark.parametrize("seed", range(20))
def test_g_35_pareto_as_documented(draw, seed):
    assert drawn_like_numpy(draw, "pareto", seed)


@pytest.mark.parametrize("seed", range(20))
def test_g_36_lognormal_as_documented(draw, seed):
    # Five Gaussians come in pairs: one is left over for the second reset.
    assert drawn_like_numpy(draw, "lognormal", seed)


def drawn_like_numpy(draw, skill_dist, seed):
    env, twin = skilled(draw, skill_dist), stream(seed)
    component = env.get_component("Gather")
    np.random.set_state(at(seed))
    for _ in range(3):
        component.additional_reset_steps()
        if skills(env) != redraw(twin, skill_dist, 5):
            return False
        if not same_state(np.random.get_state(), twin.get_state()):
            return False
    return True


def test_g_35_skill_is_clipped_to_1(draw):
    env = skilled(draw, "pareto")
    found = set()
    for seed in range(300):
        np.random.set_state(at(seed))
        env.get_component("Gather").additional_reset_steps()
        found |= set(zip(skills(env), (x > 2 for x in stream(seed).pareto(3, 5)), strict=True))
    assert {clipped for skill, clipped in found if skill == 1.0} == {True}
    assert {clipped for skill, clipped in found if skill < 1.0} == {False}


@pytest.mark.parametrize("skill_dist", SKILLS)
@pytest.mark.parametrize("seed", range(10))
def test_g_35_g_36_at_their_place_in_a_reset(draw, skill_dist, seed):
    env = skilled(draw, skill_dist)
    env.reset(seed_state=at(seed))
    twin, taken = stream(seed), set()
    for _ in range(5):  # agents are placed in index order, on a free tile
        while True:
            place = (twin.randint(0, 3), twin.randint(0, 5))
            if place not in taken and place[0] != 1:
                break
        taken.add(place)
    assert {tuple(agent.loc) for agent in env.world.agents} == taken
    assert skills(env) == redraw(twin, skill_dist, 5)
    assert same_state(np.random.get_state(), twin.get_state())


@pytest.mark.parametrize("skill_dist", ["pareto", "lognormal"])
def test_g_37_skills_are_drawn_anew_at_every_reset(draw, skill_dist):
    env = skilled(draw, skill_dist)
    np.random.seed(3)
    seen = []
    for _ in range(6):
        env.reset()
        seen += skills(env)
    below = [skill for skill in seen if skill < 1]
    assert len(below) > 20
    assert len(set(below)) == len(below)


@pytest.mark.parametrize("skill_dist", ["pareto", "lognormal"])
def test_g_37_steps_leave_them_alone_and_the_method_redraws(draw, skill_dist):
    env = skilled(draw, skill_dist)
    env.reset(seed_state=at(2))
    before = skills(env)
    for _ in range(5):
        env.step({"0": 1, "1": 2, "2": 3})
    assert skills(env) == before
    env.get_component("Gather").additional_reset_steps()
    assert not set(skills(env)) & {skill for skill in before if skill < 1}
