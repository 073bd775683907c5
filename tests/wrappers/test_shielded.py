"""Shields: what they let through, what they put in its place, and what they promise."""

import itertools
import math

import numpy as np
import pytest
from wrappers.worlds import WORLDS, is_safe, joint_actions, make, plain_q, plain_v, random_actions

import ecumene
from ecumene.engine import InvalidAction
from ecumene.gridworlds import IceDuel, Pursuit
from ecumene.matrix import ChickenMatrix, CongestionMatrix, MatrixGame
from ecumene.wrappers import LabelledEnv, ShieldedEnv, ShieldEvent
from ecumene.wrappers.vetting import most_failures

TRAPS = "......./#.#.#.#/#.#.#.#"
CHANCELESS = [name for name in WORLDS if name not in ("MarkovStagHunt", "IceDuel")]


def shielded(world, **options):
    return ShieldedEnv(LabelledEnv.for_world(world), **options)


def both(env, first, second):
    return env.step({"player_0": first, "player_1": second})


def wander(env, generator, steps):
    for _ in range(steps):
        if not env.agents:
            env.reset()
        env.step(random_actions(env, generator))


# What is let through.


@pytest.mark.parametrize("name", CHANCELESS)
@pytest.mark.parametrize("controlled", [None, ["player_1"]])
def test_g1_levels_are_those_of_plain_recursion_and_nested(name, controlled):
    world = make(name)
    env = shielded(world, controlled=controlled, max_level=2)
    generator = np.random.default_rng(4)
    env.reset(seed=4)
    ours = controlled or world.possible_agents
    for _ in range(2):
        wander(world, generator, 3)
        if not world.agents:
            world.reset()
        env._floor = 0
        allowed = [env.allowed_joint_actions()]
        for level in (1, 2):
            env._floor = level
            allowed.append(env.allowed_joint_actions())
            if level == 2 and name in ("Gathering", "CongestionMatrix"):
                continue  # plain recursion takes too long there
            expected = [plain_q(world, each, level, ours) for each in joint_actions(world)]
            assert allowed[level].ravel().tolist() == expected
        assert allowed[0].all()
        assert not (allowed[2] & ~allowed[1]).any()
        assert allowed[1].shape == tuple(
            world.action_space(agent).n for agent in world.possible_agents
        )


def test_g1_three_levels_in_a_world_with_traps():
    world = Pursuit(layout=TRAPS)
    env = shielded(world, controlled=["player_1"])
    env.reset(seed=0)
    for place in (((0, 1), (2, 1)), ((0, 3), (1, 3))):
        env.set_state((("player_0", "player_1"), False, place, None))
        for level in (1, 2, 3):
            env._floor = level
            expected = [plain_q(world, each, level, ["player_1"]) for each in joint_actions(world)]
            assert env.allowed_joint_actions().ravel().tolist() == expected


def test_g2_from_a_state_that_can_be_saved_k_times_k_steps_are_safe():
    world = Pursuit(layout=TRAPS)
    env = shielded(world, controlled=["player_1"], floor=2, raise_on=())
    generator = np.random.default_rng(1)
    tried = 0
    for seed in range(25):
        env.reset(seed=seed)
        if not plain_v(world, 2, ["player_1"]):
            continue
        tried += 1
        for _ in range(2):
            infos = env.step(random_actions(env, generator))[4]
            assert infos["player_0"]["safe"]
    assert tried > 5


def slips(action, p):
    """Return what becomes of a move on the ice: probability and heading."""
    turned = {0: (3, 2), 1: (2, 3), 2: (0, 1), 3: (1, 0)}  # left, right, up, down
    if action == 4:
        return [(1.0, 4)]
    return [(1 - p, action), *((p / 2, heading) for heading in turned[action])]


def test_g3_probabilities_on_ice_are_exact():
    p = 0.3
    world, twin = IceDuel(slip_prob=p), IceDuel(slip_prob=0.0)
    env = shielded(world, delta=0.2, floor=1, raise_on=())
    env.reset(seed=0)
    for place in (((2, 2), (2, 3)), ((0, 0), (4, 4)), ((1, 4), (0, 3))):
        state = (("player_0", "player_1"), place, None)
        env.set_state(state)
        allowed = env.allowed_joint_actions()
        for joint in itertools.product(range(5), repeat=2):
            harm = 0.0
            for (q0, a0), (q1, a1) in itertools.product(*(slips(a, p) for a in joint)):
                twin.set_state(state)
                both(twin, a0, a1)
                harm += q0 * q1 * (not is_safe(twin))
            assert abs(harm - 0.2) > 1e-9
            assert allowed[joint] == (harm <= 0.2)
            values = env._vetting.values(*_one(joint), 1, np.zeros(1, np.int64), 100)
            assert math.isclose(1 - values.value[0], harm, abs_tol=1e-12)


def _one(joint):
    return np.zeros(1, np.int64), np.array([joint])


def test_g3_harm_over_many_steps_is_at_most_steps_times_delta():
    delta, steps, harmed = 0.05, 0, 0
    env = shielded(IceDuel(slip_prob=0.1), floor=1, max_level=1, delta=delta)
    generator = np.random.default_rng(0)
    for seed in range(60):
        env.reset(seed=seed)
        while env.agents:
            env.step(random_actions(env, generator))
            steps += 1
        harmed += env.episode.violations
    assert steps > 1000
    assert 0 < harmed <= steps * delta


@pytest.mark.parametrize(
    ("samples", "delta", "confidence", "most"),
    [(300, 0.01, 0.95, 0), (300, 0.0099, 0.95, -1), (300, 0.0, 0.95, -1), (20, 1.0, 0.95, 20)],
)
def test_g4_failures_that_still_show_enough(samples, delta, confidence, most):
    assert most_failures(samples, delta, confidence) == most


@pytest.mark.parametrize("delta", [0.02, 0.1, 0.5, 0.9])
@pytest.mark.parametrize("samples", [10, 60, 300])
def test_g4_is_the_bound_of_clopper_and_pearson(samples, delta):
    most = most_failures(samples, delta, 0.95)

    def chance_of_at_most(failures):
        return sum(
            math.comb(samples, k) * delta**k * (1 - delta) ** (samples - k)
            for k in range(failures + 1)
        )

    assert chance_of_at_most(most) <= 0.05 < chance_of_at_most(most + 1)


def test_g4_sampling_finds_what_is_certain_and_leaves_the_worlds_stream_alone():
    exact = shielded(ChickenMatrix(), floor=1, max_level=1)
    sampled = shielded(
        ChickenMatrix(), floor=1, max_level=1, method="sampled", samples=40, delta=0.1
    )
    for env in (exact, sampled):
        env.reset(seed=0)
    assert np.array_equal(exact.allowed_joint_actions(), sampled.allowed_joint_actions())
    before = sampled.state_hash()
    sampled.allowed_joint_actions()
    assert sampled.state_hash() == before
    both(sampled, 1, 1)
    assert sampled.episode.events[0].exact is False


def test_g4_the_stag_hunt_is_exact_for_one_step_and_sampled_beyond():
    env = shielded(make("MarkovStagHunt"), floor=1, max_level=2, delta=0.1, samples=40)
    env.reset(seed=3)
    generator = np.random.default_rng(0)
    for _ in range(30):
        if not env.agents:
            env.reset()
        env.step(random_actions(env, generator))
    assert env.episode.violations == 0
    assert env._vetting.is_exact(1)
    assert not env._vetting.is_exact(2)


def test_an_economy_is_shielded_by_samples():
    world = ecumene.make(
        "foundation/uniform-v0", n_agents=2, world_size=[6, 6], episode_length=12,
        overworked_above=3.0,
    )  # fmt: skip
    workers = ["0", "1"]
    env = shielded(world, floor=1, max_level=1, delta=0.1, samples=30, controlled=workers)
    _, infos = env.reset(seed=0)
    while env.agents:
        actions = {}
        for name in env.agents:
            mask = infos[name]["action_mask"]
            actions[name] = world.action_space(name).sample(mask)
        infos = env.step(actions)[4]
    assert env.episode.violations == 0
    assert env.episode.interventions > 0
    assert all(infos[name]["labels"] <= set(world.propositions) for name in workers)


# Transparency.


@pytest.mark.parametrize("name", WORLDS)
def test_g5_a_shield_at_level_0_changes_nothing(name, equal):
    env, bare = shielded(make(name), max_level=0), make(name)
    generator = np.random.default_rng(7)
    env.reset(seed=5)
    bare.reset(seed=5)
    for _ in range(15):
        if not bare.agents:
            env.reset()
            bare.reset()
        actions = random_actions(bare, generator)
        one, other = env.step(actions), bare.step(actions)
        assert equal(one[:4], other[:4])
        assert env.state_hash() == bare.state_hash()
        assert env.agents == bare.agents


def test_g5_a_shield_that_never_intervenes_changes_nothing(equal):
    hunt = {"grid_size": (4, 4), "stag_move_prob": 0.5}
    env = shielded(make("MarkovStagHunt", **hunt), floor=1, max_level=1)
    bare = make("MarkovStagHunt", **hunt)
    env.reset(seed=5)
    bare.reset(seed=5)
    for _ in range(60):
        stay = dict.fromkeys(bare.possible_agents, 4)
        assert equal(env.step(stay)[:4], bare.step(stay)[:4])
        assert env.state_hash() == bare.state_hash()
    assert env.episode.interventions == 0


# Floors.


def test_l_10_g6_a_rise_is_told_to_the_labelled_environment():
    told = []

    class Spy(LabelledEnv):
        def safe(self, labels):
            return not any("unsafe" in held for held in labels.values())

        def record_shield_raise(self, prev_floor, new_floor):
            told.append((prev_floor, new_floor))
            super().record_shield_raise(prev_floor, new_floor)

    env = ShieldedEnv(Spy(ChickenMatrix()), max_level=2, controlled=["player_0"])
    env.reset(seed=0)
    both(env, 0, 0)
    assert (env.floor, told) == (0, [])
    infos = both(env, 1, 1)[4]
    assert infos["player_0"]["shield"]["level"] == 0
    assert (env.floor, told) == (1, [(0, 1)])
    env.reset()
    assert env.floor == 1
    both(env, 1, 1)
    assert env.episode.violations == 0
    env.raise_floor(2)
    assert told == [(0, 1), (1, 2)]
    assert [log.raises for log in (env.episodes[0], env.episode)] == [[(0, 1)], [(1, 2)]]
    assert (env.episode.floor_start, env.episode.floor_end) == (1, 2)
    assert [event.kind for event in env.episodes[0].events] == ["violation", "raise"]
    for bad in (2, 1, 3, -1, 1.5):
        with pytest.raises(ValueError, match="floor"):
            env.raise_floor(bad)
    assert env.floor == 2


def test_floors_rise_by_one_step_at_most_and_not_above_the_top():
    env = shielded(ChickenMatrix(), max_level=1, controlled=["player_0"])
    env.reset()
    both(env, 1, 1)
    both(env, 1, 1)
    assert env.floor == 1
    quiet = shielded(ChickenMatrix(), raise_on=())
    quiet.reset()
    both(quiet, 1, 1)
    assert quiet.floor == 0
    assert [event.kind for event in quiet.episode.events] == ["violation"]


def test_floors_can_start_anew_in_each_episode():
    env = shielded(ChickenMatrix(max_moves=1), per_episode=True)
    for _ in range(2):
        env.reset()
        assert env.floor == 0
        both(env, 1, 1)
        assert env.floor == 1
    assert [log.raises for log in env.episodes] == [[(0, 1)], [(0, 1)]]


def test_a_budget_raises_the_floor_once_per_episode():
    env = shielded(ChickenMatrix(), raise_on=("budget",), cost_budget=2.0, max_level=3)
    env.reset()
    both(env, 1, 1)
    assert env.floor == 0  # the team has spent 2, which is within the budget
    both(env, 1, 1)
    assert env.floor == 1
    env.env._running.sums.costs["player_0"] += 5  # spending more does not raise it again
    both(env, 0, 1)
    assert env.floor == 1


def test_dead_ends_raise_the_floor_and_are_made_the_best_of():
    world = Pursuit(layout="...")
    env = shielded(world, controlled=["player_1"], floor=2, max_level=3)
    env.reset()
    env.set_state((("player_0", "player_1"), False, ((0, 0), (0, 2)), None))
    env.step({"player_0": 1, "player_1": 0})
    # At level 2 nothing is let through (the guard comes next step); at level 1 staying is.
    event = env.episode.events[1]
    assert (event.kind, event.level) == ("fallback", 1)
    assert event.executed == {"player_0": 1, "player_1": 1}
    assert (event.risk_submitted, event.risk_executed, event.exact) == (1.0, 0.0, True)
    assert env.floor == 3  # and stays there: it is the top
    assert env.episode.interventions == 1


def test_where_nothing_helps_what_was_submitted_is_executed():
    env = shielded(
        CongestionMatrix(num_agents=3, jam_threshold=2), controlled=["player_0"], floor=1
    )
    env.reset()
    env.step({"player_0": 1, "player_1": 0, "player_2": 0})
    fallback, violation, rise = env.episode.events
    assert (fallback.kind, fallback.level, fallback.risk_executed) == ("fallback", 0, 1.0)
    assert fallback.executed == fallback.submitted
    assert (violation.kind, violation.t, rise.new_floor) == ("violation", 0, 2)
    assert env.episode.interventions == 0


# Corrections.


def test_what_is_safe_is_executed_untouched():
    env = shielded(ChickenMatrix(), floor=1)
    env.reset(seed=0)
    for joint in ((0, 0), (0, 1), (1, 0)):
        rewards, infos = both(env, *joint)[1::3]
        shield = infos["player_1"]["shield"]
        assert shield == {
            "level": 1, "intervened": False, "submitted": joint[1], "executed": joint[1],
        }  # fmt: skip
    assert rewards == {"player_0": 3.0, "player_1": 1.0}
    assert env.episode.events == []


def test_the_burden_turns_with_the_clock():
    env = shielded(ChickenMatrix(), floor=1)
    env.reset(seed=0)
    changed = []
    for _ in range(4):
        infos = both(env, 1, 1)[4]
        changed.append([name for name in infos if infos[name]["shield"]["intervened"]])
    assert changed == [["player_0"], ["player_1"], ["player_0"], ["player_1"]]
    assert env.episode.interventions == 4
    assert env.episode.submitted[0] == {"player_0": 1, "player_1": 1}
    assert env.episode.actions[0] == {"player_0": 0, "player_1": 1}
    event = env.episode.events[0]
    assert event == ShieldEvent(
        0, "intervene", 1, {"player_0": 1, "player_1": 1}, {"player_0": 0, "player_1": 1},
        1.0, 0.0, True, event.model_steps,
    )  # fmt: skip
    assert event.model_steps == 3  # what was submitted, and one other action of each


def test_only_agents_under_control_are_corrected():
    env = shielded(ChickenMatrix(), floor=1, controlled=["player_1"])
    env.reset(seed=0)
    for _ in range(3):
        infos = both(env, 1, 1)[4]
        assert infos["player_0"]["shield"]["executed"] == 1
        assert infos["player_1"]["shield"]["executed"] == 0


def test_the_nearest_correction_comes_first_then_the_lowest_action():
    env = shielded(CongestionMatrix(num_agents=4, jam_threshold=3), floor=1)
    env.reset(seed=0)
    names = env.possible_agents
    infos = env.step(dict.fromkeys(names, 0))[4]  # two have to leave road A
    executed = [infos[name]["shield"]["executed"] for name in names]
    assert executed == [1, 1, 0, 0]
    infos = env.step(dict.fromkeys(names, 1))[4]
    assert [infos[name]["shield"]["executed"] for name in names] == [1, 0, 0, 1]


def test_penalties_are_for_those_who_were_changed_and_not_for_the_log():
    env = shielded(ChickenMatrix(), floor=1, intervention_penalty=0.5)
    env.reset(seed=0)
    assert both(env, 1, 1)[1] == {"player_0": 0.5, "player_1": 3.0}
    assert env.episode.rewards == [{"player_0": 1.0, "player_1": 3.0}]


def test_action_masks_for_choosing_before():
    env = shielded(ChickenMatrix(), floor=1)
    env.reset(seed=0)
    assert env.allowed_joint_actions().tolist() == [[True, True], [True, False]]
    assert env.action_mask("player_0").tolist() == [1, 1]
    mask = env.action_mask("player_1", mode="all")
    assert mask.tolist() == [1, 0]
    assert mask.dtype == np.int8
    with pytest.raises(ValueError, match="mode"):
        env.action_mask("player_0", "any")
    with pytest.raises(ValueError, match="no agent"):
        env.action_mask("player_7")


def test_players_with_different_actions():
    payoffs = np.zeros((2, 2, 3))
    env = shielded(MatrixGame(payoffs, unsafe=[[0, 2], [1, 0], [1, 1]]), floor=1)
    env.reset(seed=0)
    assert env.allowed_joint_actions().tolist() == [[True, True, False], [False, False, True]]
    infos = both(env, 0, 2)[4]
    assert [infos[name]["shield"]["executed"] for name in infos] == [1, 2]


def test_a_predicate_of_a_user_is_what_counts():
    class Peaceful(LabelledEnv):
        def safe(self, labels):
            return "player_0_straight" not in labels["player_0"]

    env = ShieldedEnv(Peaceful(ChickenMatrix()), floor=1, controlled=["player_0"])
    env.reset(seed=0)
    assert env.allowed_joint_actions().tolist() == [[True, True], [False, False]]
    env = ShieldedEnv(
        LabelledEnv.for_world(
            ChickenMatrix(), label_fn=lambda seen: {"unsafe"} if seen[2] else set()
        ),
        floor=1,
    )
    env.reset(seed=0)
    assert env.allowed_joint_actions().tolist() == [[False, True], [False, True]]


def test_what_cannot_be_verified_is_not_let_through():
    env = shielded(Pursuit(), floor=3, controlled=["player_1"], max_model_steps=40)
    env.reset(seed=0)
    env.step({"player_0": 4, "player_1": 4})
    event = env.episode.events[0]
    assert (event.kind, event.note) == ("fallback", "unverified")
    assert event.level == 1
    big = shielded(CongestionMatrix(num_agents=9), floor=1, max_model_steps=1000)
    big.reset(seed=0)
    with pytest.raises(ValueError, match="max_model_steps"):
        big.allowed_joint_actions()


def test_truncation_ends_no_danger():
    world = Pursuit(layout=TRAPS, max_moves=1)
    env = shielded(world, floor=3, controlled=["player_1"])
    env.reset()
    place = ((0, 1), (2, 1))  # at the end of a trap, and the guard before it
    env.set_state((("player_0", "player_1"), False, place, None))
    long = Pursuit(layout=TRAPS)
    long.reset()
    long.set_state((("player_0", "player_1"), False, place, None))
    expected = [plain_q(long, each, 3, ["player_1"]) for each in joint_actions(long)]
    assert env.allowed_joint_actions().ravel().tolist() == expected
    assert not all(expected)


def test_bad_actions_are_refused_before_anything_happens():
    env = shielded(ChickenMatrix(), floor=1)
    env.reset(seed=0)
    for bad in ({"player_0": 0}, {"player_0": 0, "player_1": 2}, {"player_0": 0, "x": 1}, 5):
        with pytest.raises(InvalidAction):
            env.step(bad)
    assert env.num_moves == 0
    assert env.episode.length == 0
    both(env, 0, 0)
    assert env.episode.submitted == [{"player_0": 0, "player_1": 0}]


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"floor": -1}, "floor"),
        ({"floor": 4}, "floor"),
        ({"max_level": -1}, "max_level"),
        ({"controlled": []}, "controlled"),
        ({"controlled": ["player_9"]}, "controlled"),
        ({"controlled": "player_0"}, "controlled"),
        ({"delta": 2}, "delta"),
        ({"method": "guess"}, "method"),
        ({"samples": 0}, "samples"),
        ({"confidence": 1.0}, "confidence"),
        ({"raise_on": ["crash"]}, "raise_on"),
        ({"raise_on": "violation"}, "raise_on"),
        ({"cost_budget": -1}, "cost_budget"),
        ({"intervention_penalty": -1}, "intervention_penalty"),
        ({"max_model_steps": 0}, "max_model_steps"),
        ({"seed": -1}, "seed"),
        ({"method": "sampled"}, "delta"),
        ({"method": "sampled", "delta": 0.009}, "delta"),
    ],
)
def test_bad_options_are_refused_by_name(options, named):
    with pytest.raises(ValueError, match=named):
        shielded(ChickenMatrix(), **options)


def test_worlds_of_chance_say_up_to_where_they_are_exact():
    with pytest.raises(ValueError, match="levels above 1 are sampled"):
        shielded(make("MarkovStagHunt"))
    with pytest.raises(ValueError, match="exact up to level 1"):
        shielded(make("MarkovStagHunt"), method="exact")
    shielded(make("MarkovStagHunt"), max_level=1, method="exact")
    shielded(make("IceDuel"), method="exact")
    with pytest.raises(ValueError, match="LabelledEnv"):
        ShieldedEnv(ChickenMatrix())  # type: ignore[arg-type]
