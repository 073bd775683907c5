"""What all four gridworlds promise under their documented names."""

import inspect
import pickle

import numpy as np
import pettingzoo
import pytest
from gridworlds.worlds import CLASSES, STAY, begin, grid, play, random_play
from hypothesis import given, settings
from hypothesis import strategies as st

import ecumene
from ecumene import gridworlds
from ecumene.engine import EcumeneError, InvalidAction, InvalidParameter, ResetNeeded

# Small and quick, so that everything happens often.
LIVELY = {
    "MarkovStagHunt": {"grid_size": (3, 3), "num_agents": 3, "on_maul": "continue"},
    "IceDuel": {"holes": [(1, 1)], "slip_prob": 0.3},
    "Pursuit": {"num_agents": 3, "layout": "..G./.##./...."},
    "Gathering": {"grid_size": (3, 4), "apple_sites": [(1, 1), (1, 2)], "freeze_time": 3},
}
ACTIONS = {
    name: ("left", "right", "up", "down", "stay")
    + (("tag_left", "tag_right", "tag_up", "tag_down") if name == "Gathering" else ())
    for name in CLASSES
}


@pytest.fixture(params=CLASSES)
def name(request):
    return request.param


def test_l_02_the_classes_have_their_documented_names():
    assert set(CLASSES) <= set(gridworlds.__all__)
    assert ecumene.gridworlds is gridworlds


def test_l_01_l_12_l_27_l_34_l_56_parallel_environments(name):
    # PettingZoo's own tests run on every registered world elsewhere.
    assert isinstance(begin(CLASSES[name]), pettingzoo.ParallelEnv)
    assert CLASSES[name].simulation_class.id in ecumene.registry


@pytest.mark.parametrize("flat", [True, False])
def test_l_13_l_28_l_47_l_49_l_57_l_58_everyone_sees_the_state(name, flat):
    env = begin(CLASSES[name], flatten_observations=flat, **LIVELY[name])
    shape = (env.simulation.rows, env.simulation.columns, env.n_obs_types)
    for observations, *_ in random_play(env, 60):
        state = env.state()
        assert state.shape == ((int(np.prod(shape)),) if flat else shape)
        assert set(np.unique(state).tolist()) <= {0, 1}
        assert all(np.array_equal(seen, state) for seen in observations.values())
        assert env.state_space.contains(state)
    state[:] = 1
    assert not np.array_equal(env.state(), state)  # a fresh array


def test_l_47_flat_observations_are_the_grid_in_c_order(name):
    flat, shaped = (
        begin(CLASSES[name], flatten_observations=each, **LIVELY[name]) for each in (True, False)
    )
    pairs = zip(random_play(flat, 30), random_play(shaped, 30), strict=True)
    for (one, *_), (other, *_) in pairs:
        for agent, seen in one.items():
            assert np.array_equal(seen, other[agent].ravel(order="C"))


def test_l_14_l_46_l_48_l_57_dtypes_and_the_state_space(name):
    env = begin(CLASSES[name])
    dtype = np.float32 if name == "Pursuit" else np.uint8
    assert env.state().dtype == dtype
    assert env.state_space.dtype == dtype
    assert isinstance(type(env).state_space, property)
    assert env.state_space == env.observation_space("player_0")


@pytest.mark.parametrize("flat", [True, False])
def test_l_15_l_29_l_50_l_59_cells(name, flat):
    env = CLASSES[name](flatten_observations=flat)
    assert env.num_cells() == env.simulation.rows * env.simulation.columns
    assert env.num_cells() == {"Pursuit": 49, "Gathering": 77}.get(name, 25)


def test_l_16_l_30_there_is_a_name_for_every_channel(name):
    env = CLASSES[name]()
    names = env.channel_names()
    assert isinstance(names, list)
    assert len(set(names)) == len(names) == env.n_obs_types
    names.clear()
    assert len(env.channel_names()) == env.n_obs_types


def test_l_17_l_31_l_37_l_53_l_63_action_names(name):
    env = CLASSES[name]()
    listed = [env.action_names(i) for i in range(env.action_space("player_0").n)]
    assert tuple(listed) == ACTIONS[name]
    assert env.action_names(99) == "action_99"
    assert env.action_names(-1) == "action_-1"


def test_all_arguments_are_by_keyword_and_shown(name):
    parameters = inspect.signature(CLASSES[name]).parameters
    assert all(each.kind is each.KEYWORD_ONLY for each in parameters.values())
    assert list(parameters)[-2:] == ["render_mode", "seed"]
    env = CLASSES[name](max_moves=12)
    for each in parameters:
        if each not in ("num_agents", "seed"):
            assert hasattr(env, each), each
            assert f"\n    {each}" in CLASSES[name].__doc__ or f", {each}" in CLASSES[name].__doc__
    assert env.max_moves == 12
    assert env.n_agents == len(env.possible_agents) == 2


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"max_moves": 0}, "max_moves is .*from 1 up"),
        ({"flatten_observations": 1}, "flatten_observations is True or False"),
        ({"max_move": 3}, "Did you mean `max_moves`"),
        ({"seed": -1}, "a seed is an integer from 0 up"),
        ({"render_mode": "pdf"}, "render_mode is 'rgb_array', 'human', 'ansi' or None"),
    ],
)
def test_a_wrong_argument_is_a_value_error_that_names_it(name, given, message):
    with pytest.raises(ValueError, match=message) as caught:
        CLASSES[name](**given)
    assert isinstance(caught.value, EcumeneError)


def test_seeds(name):
    one, other = CLASSES[name](seed=5), CLASSES[name](seed=5)
    one.reset()
    other.reset(seed=5)
    assert one.state_hash() == other.state_hash()
    one.reset()  # the stream goes on
    other.reset()
    assert one.state_hash() == other.state_hash()
    one.reseed(3)
    other.reseed(3)
    assert one.get_rng_state() == other.get_rng_state()


def test_a_step_takes_one_action_in_range_per_live_agent(name):
    env = begin(CLASSES[name])
    before = env.state_hash()
    for actions in (
        {"player_0": STAY},
        {"player_0": STAY, "player_1": 9},
        {"player_0": STAY, "player_1": -1},
        {"player_0": STAY, "player_1": STAY, "player_2": STAY},
    ):
        with pytest.raises(InvalidAction, match="player_"):
            env.step(actions)
    assert env.state_hash() == before
    assert env.num_moves == 0


def test_truncation_comes_after_max_moves_steps(name):
    env = begin(CLASSES[name], max_moves=3)
    for moves in (1, 2, 3):
        _, _, terminations, truncations, _ = play(env, STAY, STAY)
        assert env.num_moves == moves
        assert set(truncations.values()) == {moves == 3}
        assert not any(terminations.values())
    assert env.agents == []
    assert env.get_state()[0] == ()
    assert env.step({}) == ({}, {}, {}, {}, {})


# State tuples.


def futures(env, actions):
    """Return everything that the next steps tell."""
    told = []
    for joint in actions:
        if env.agents:
            result = play(env, *joint[: len(env.agents)])
            told.append((result, tuple(env.agents), env.labels(), env.state().tobytes()))
    return told


@given(seed=st.integers(0, 2**20), steps=st.integers(0, 12))
@settings(max_examples=12)
def test_l_26_equal_tuples_and_clocks_have_equal_futures(name, equal, seed, steps):
    generator = np.random.default_rng(seed)
    env, other = (CLASSES[name](**LIVELY[name]) for _ in range(2))
    env.reset(seed=seed)
    other.reset(seed=seed + 1)
    clock = other.num_moves
    most = env.action_space("player_0").n
    for _ in range(steps):
        if env.agents:
            play(env, *generator.integers(0, most, len(env.agents)).tolist())
    state = env.get_state()
    other.set_state(pickle.loads(pickle.dumps(state)))
    assert other.num_moves == clock
    assert same_tuple(other.get_state(), state)
    env.set_state(state)  # forgets the events of the last step, as the other one has
    assert same_tuple(env.get_state(), state)
    actions = generator.integers(0, most, (8, env.n_agents)).tolist()
    assert env.agents == other.agents
    mine, others = futures(env, actions), futures(other, actions)
    assert len(mine) == len(others)
    for (told, *rest), (also, *further) in zip(mine, others, strict=True):
        assert equal(list(told[:4]), list(also[:4]))
        assert rest == further


def same_tuple(one, other):
    return all(
        np.array_equal(a, b) and a.dtype == b.dtype if isinstance(a, np.ndarray) else a == b
        for a, b in zip(one, other, strict=True)
    )


def test_l_19_agents_of_the_tuple(name):
    env = CLASSES[name]()
    assert env.get_state()[0] == ()
    env.reset(seed=0)
    assert env.get_state()[0] == ("player_0", "player_1")


def test_the_tuple_is_hashable_where_it_can_be(name):
    env = begin(CLASSES[name])
    if name == "MarkovStagHunt":  # its documented counts are an array
        assert isinstance(env.get_state()[4], np.ndarray)
    else:
        assert hash(env.get_state()) == hash(env.get_state())


def test_later_steps_leave_a_tuple_as_it_is(name):
    env = begin(CLASSES[name], **LIVELY[name])
    states = [env.get_state()]
    kept = [pickle.dumps(states[0])]
    for _ in random_play(env, 30):
        states.append(env.get_state())
        kept.append(pickle.dumps(states[-1]))
    for state, was in zip(states, kept, strict=True):
        assert same_tuple(state, pickle.loads(was))


def test_a_tuple_from_before_the_first_reset_can_be_taken_back(name):
    state = CLASSES[name]().get_state()
    env = begin(CLASSES[name])
    env.set_state(state)
    assert env.agents == []
    assert same_tuple(env.get_state(), state)
    assert env.step({}) == ({}, {}, {}, {}, {})


def test_the_random_stream_can_be_taken_and_given_back(name):
    env = begin(CLASSES[name])
    stream = env.get_rng_state()
    assert env.get_state()[-1] == stream
    env.reset()
    first = env.state_hash()
    env.set_rng_state(stream)
    env.reset()
    assert env.state_hash() == first
    for wrong in ((1, 2), [0] * 8 + ["x"], (0, 0, 0, 0, 4, 0, 0, 0, 0), "123456789"):
        with pytest.raises(InvalidParameter, match="rng_state"):
            env.set_rng_state(wrong)
    assert env.state_hash() == first


def test_a_wrong_tuple_is_refused_by_the_name_of_the_field(name):
    env = begin(CLASSES[name])
    state = env.get_state()
    before = env.state_hash()
    for wrong, message in (
        (state[:-1], "a state is a tuple"),
        ("state", "a state is a tuple"),
        ((("player_1", "player_0"), *state[1:]), "agents"),
        ((("player_1",), *state[1:]), "agents"),
        (("player_0", *state[1:]), "agents"),
        ((*state[:-1], (1, 2)), "rng_state"),
    ):
        with pytest.raises(InvalidParameter, match=message):
            env.set_state(wrong)
        assert env.state_hash() == before


def test_no_rng_state_keeps_the_present_stream(name):
    env = begin(CLASSES[name])
    state = env.get_state()
    env.reset(seed=9)
    stream = env.get_rng_state()
    env.set_state((*state[:-1], None))
    assert env.get_rng_state() == stream
    assert same_tuple(env.get_state()[:-1], state[:-1])


def test_a_snapshot_has_the_clock_and_the_events_too(name, equal):
    env = begin(CLASSES[name], **LIVELY[name])
    for _ in random_play(env, 4):
        pass
    kept, labels, clock = env.snapshot(), env.labels(), env.num_moves
    env.reset(seed=8)
    env.restore(kept)
    assert env.num_moves == clock
    assert env.labels() == labels


# Labels.


def test_labels_are_told_of_those_who_were_told_anything(name):
    env = CLASSES[name](**LIVELY[name])
    with pytest.raises(ResetNeeded):
        env.labels()
    assert "unsafe" in env.propositions
    for observations, *_ in random_play(env, 80):
        labels = env.labels()
        assert set(labels) == set(observations)
        assert all(isinstance(held, frozenset) for held in labels.values())
        assert all(held <= set(env.propositions) for held in labels.values())


def test_costs_are_those_of_the_unsafe(name):
    env = CLASSES[name](**LIVELY[name])
    assert env.cost_fn({"unsafe", "goal"}) == 1.0
    assert env.cost_fn(frozenset()) == 0.0
    seen = set()
    for _ in random_play(env, 200):
        costs = env.simulation.costs()["players"][0]
        held = env.labels()
        for i, agent in enumerate(env.possible_agents):
            assert costs[i] == env.cost_fn(held.get(agent, ()))
        seen |= set(costs.tolist())
    assert seen == {0.0, 1.0}


def test_labels_of_an_observation_are_those_that_need_no_event(name):
    env = CLASSES[name](**LIVELY[name])
    told_by_steps = {
        "MarkovStagHunt": {"hunted_stag", "harvested_plant"},
        "IceDuel": {"pushed", "clash"},
        "Pursuit": {"collision_ever"},
        "Gathering": {"collected_apple", "fired", "tagged", "unsafe", "got_frozen"},
    }[name]
    for observations, *_ in random_play(env, 60):
        for agent, labels in env.labels().items():
            seen = env.label_fn(observations[agent], agent)
            assert seen == labels - told_by_steps
            assert env.label_fn(grid(env, observations[agent]), agent) == seen
        together = frozenset().union(*env.labels().values()) - told_by_steps
        assert env.label_fn(env.state()) == together
    before = env.state_hash()
    with pytest.raises(ValueError, match="an observation of gridworlds"):
        env.label_fn(np.zeros(7))
    with pytest.raises(KeyError, match="player_9"):
        env.label_fn(env.state(), "player_9")
    assert env.state_hash() == before


# Batches.


def test_infos_of_a_batch_say_the_same_as_those_of_one(name):
    parameters = LIVELY[name]
    vec = ecumene.make_vec(CLASSES[name].simulation_class.id, 3, **parameters)
    envs = [CLASSES[name](**parameters) for _ in range(3)]
    _, batch = vec.reset(seed=4)
    told = [env.reset(seed=4 + k)[1] for k, env in enumerate(envs)]
    generator = np.random.default_rng(0)
    for _ in range(25):
        for k, infos in enumerate(told):
            for i, agent in enumerate(envs[k].possible_agents):
                for fact, value in infos.get(agent, {}).items():
                    assert plain(batch["players"][fact][k, i]) == plain(value), fact
        actions = vec.sample_actions(generator)
        over = [not env.agents for env in envs]
        batch = vec.step(actions)[-1]
        told = [
            env.reset()[1] if ended else play_row(env, actions["players"][k])[4]
            for k, (env, ended) in enumerate(zip(envs, over, strict=True))
        ]


def play_row(env, row):
    joint = dict(zip(env.possible_agents, row.tolist(), strict=True))
    return env.step({agent: joint[agent] for agent in env.agents})


def plain(value):
    """Return infos of either form in one: None as (-1, -1), counts by name as a list."""
    if value is None:
        return [-1, -1]
    if isinstance(value, dict):
        return list(value.values())
    return np.asarray(value).tolist()
