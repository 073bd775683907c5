"""What all five matrix games promise under their documented names."""

import inspect

import numpy as np
import pettingzoo
import pytest
from matrix.games import CLASSES, TWO_PLAYERS, bits, load, play, recordings, same_tuple

from ecumene import matrix
from ecumene.engine import InvalidAction, InvalidParameter


@pytest.fixture(params=CLASSES)
def game(request):
    return CLASSES[request.param]


@pytest.fixture(params=TWO_PLAYERS)
def two_player_game(request):
    return CLASSES[request.param]


def random_play(env, rounds, seed=0):
    generator = np.random.default_rng(seed)
    env.reset(seed=seed)
    for _ in range(rounds):
        most = env.action_space("player_0").n
        yield play(env, *generator.integers(0, most, env.n_agents).tolist())


def test_l_02_the_classes_have_their_documented_names():
    assert set(CLASSES) <= set(matrix.__all__)


def test_l_01_l_68_repeated_parallel_games(game):
    # PettingZoo's own tests run on every registered world elsewhere.
    env = game(max_moves=9)
    assert isinstance(env, pettingzoo.ParallelEnv)
    for t, (_, _, terminations, truncations, _) in enumerate(random_play(env, 9), 1):
        assert not any(terminations.values())
        assert set(truncations.values()) == {t == 9}
    assert env.step({}) == ({}, {}, {}, {}, {})


@pytest.mark.parametrize("flat", [True, False])
def test_l_69_l_70_l_72_l_73_observations_are_global_and_binary(game, flat):
    env = game(flatten_observations=flat)
    channels = env.n_obs_types
    assert env.n_agents == len(env.possible_agents)
    assert env.flatten_observations is flat
    for observations, *_ in random_play(env, 20):
        state = env.state()
        assert state.shape == ((channels,) if flat else (1, 1, channels))
        assert set(np.unique(state)) <= {0, 1}
        assert all(np.array_equal(seen, state) for seen in observations.values())
        assert env.state_space.contains(state)
        assert env.state_space == env.observation_space("player_0")
    state = env.state()
    state[:] = 7  # a fresh array: the world does not change with it
    assert env.state().max() <= 1


@pytest.mark.parametrize("name", ["BertrandMatrix", "ChickenMatrix", "InspectionMatrix"])
def test_l_71_nothing_is_seen_after_a_reset(name):
    env = CLASSES[name]()
    for _ in random_play(env, 3):
        pass
    observations, _ = env.reset()
    assert not any(seen.any() for seen in observations.values())


@pytest.mark.parametrize("flat", [True, False])
def test_l_74_l_75_l_76_cells_channels_and_actions(game, flat):
    env = game(flatten_observations=flat)
    assert env.num_cells() == 1
    names = env.channel_names()
    assert len(names) == env.n_obs_types == env.observation_space("player_1").shape[-1]
    assert all(isinstance(name, str) for name in names)
    actions = [env.action_names(i) for i in range(env.action_space("player_0").n)]
    assert len(set(actions)) == len(actions)
    assert env.action_names(99) == "action_99"
    names.clear()
    assert env.channel_names()


def test_l_77_l_78_states_are_complete_and_do_not_change_later(game):
    env, other = game(), game()
    states = [(env.get_state(), bits(env.state())) for _ in random_play(env, 6)]
    kept, seen = states[2]
    other.set_state(kept)  # before any reset
    assert bits(other.state()) == seen
    assert same_tuple(other.get_state(), kept)
    assert other.num_moves == 0  # the clock is not in it
    env.set_state(kept)
    assert env.num_moves == 6
    generator = np.random.default_rng(5)
    for _ in range(5):
        actions = generator.integers(0, 2, env.n_agents).tolist()
        one, two = play(env, *actions), play(other, *actions)
        assert one[1] == two[1]
        assert same_tuple(env.get_state(), other.get_state())
        assert env.labels() == other.labels()
    assert same_tuple(kept, states[2][0])


def test_l_79_the_random_state_is_numpys(game):
    env, other = game(), game(seed=4)
    env.reset(seed=4)
    other.reset()
    state = env.get_state()[-1]
    np.random.RandomState(0).set_state(state)
    assert all(map(np.array_equal, state, other.get_rng_state()))
    play(env, *[0] * env.n_agents)
    assert all(map(np.array_equal, state, env.get_rng_state()))
    env.reset(seed=5)
    assert not np.array_equal(state[1], env.get_rng_state()[1])
    env.set_rng_state(state)
    assert all(map(np.array_equal, state, env.get_rng_state()))


def test_l_80_two_player_tuples(two_player_game):
    env = two_player_game()
    env.reset(seed=1)
    state = env.get_state()
    assert len(state) == 5
    agents, last_actions, _, cum_rewards, _ = state
    assert agents == ("player_0", "player_1")
    assert last_actions == (None, None)
    assert cum_rewards == (0.0, 0.0)
    play(env, 1, 0)
    _, last_actions, _, cum_rewards, _ = env.get_state()
    assert last_actions == (1, 0)
    assert all(type(action) is int for action in last_actions)
    assert all(type(reward) is float for reward in cum_rewards)


def test_l_81_cum_rewards_sums(game):
    env = game()
    total = dict.fromkeys(env.possible_agents, 0.0)
    for _, rewards, *_ in random_play(env, 25):
        total = {name: total[name] + rewards[name] for name in total}
    assert env.get_state()[-2] == tuple(total.values())
    env.reset()
    assert set(env.get_state()[-2]) == {0.0}


def test_l_19_agents_are_the_live_ones(game):
    env = game(max_moves=1)
    env.reset(seed=0)
    assert env.get_state()[0] == tuple(env.possible_agents)
    play(env, *[0] * env.n_agents)
    assert env.get_state()[0] == ()
    over = env.get_state()
    env.reset()
    env.set_state(over)
    assert env.agents == []


def test_every_bad_item_of_a_state_is_refused_by_name_and_nothing_changes(game):
    env = game()
    for _ in random_play(env, 2):
        pass
    good, before = env.get_state(), env.state_hash()
    names = ("agents", "last_actions", *env.simulation.shown_names, "cum_rewards", "rng_state")
    assert len(good) == len(names)
    for i, name in enumerate(names):
        for bad in ("nonsense", -1.5, (1,), object()):
            with pytest.raises(ValueError, match=name):
                env.set_state((*good[:i], bad, *good[i + 1 :]))
    for bad in (None, (), good[:-1], (*good, 1)):
        with pytest.raises(InvalidParameter, match=", ".join(names[:-1])):
            env.set_state(bad)
    assert env.state_hash() == before
    env.set_state((*good[:-1], None))  # None keeps the present stream
    assert same_tuple(env.get_state(), good)


def test_bad_actions_are_refused_by_agent_and_nothing_changes(game):
    env = game()
    for _ in random_play(env, 2):
        pass
    before = env.state_hash()
    idle = dict.fromkeys(env.possible_agents, 0)
    for bad in (99, -1, 1.0, None):
        with pytest.raises(InvalidAction, match="player_1"):
            env.step({**idle, "player_1": bad})
    with pytest.raises(InvalidAction, match="no action for player_1"):
        env.step({name: 0 for name in idle if name != "player_1"})
    assert env.state_hash() == before


def test_parameters_are_keywords_and_wrong_ones_are_refused_by_name(game):
    with pytest.raises(TypeError):
        game(2)
    for name, parameter in inspect.signature(game).parameters.items():
        if isinstance(parameter.default, float):
            for bad in ("3", None, float("nan"), float("inf"), True):
                with pytest.raises(ValueError, match=name):
                    game(**{name: bad})
            assert type(getattr(game(), name)) is float
    for bad in (
        {"num_agents": 1},
        {"num_agents": 2.0},
        {"max_moves": 0},
        {"max_moves": 2.0},
        {"flatten_observations": 1},
        {"render_mode": "film"},
        {"seed": -1},
    ):
        with pytest.raises(ValueError, match="seed" if "seed" in bad else next(iter(bad))):
            game(**bad)
    with pytest.raises((TypeError, ValueError), match="no parameter .max_move"):
        game(max_move=3)


def test_label_functions_refuse_other_lengths(game):
    env = game()
    observations, _ = env.reset(seed=0)
    seen = observations["player_0"]
    assert env.label_fn(seen.reshape(1, 1, -1)) == env.label_fn(seen) == env.labels()["player_1"]
    with pytest.raises(ValueError, match="not 1"):
        env.label_fn(seen[:1])


def test_labels_reach_those_who_are_told_and_nobody_else(game):
    env = game(max_moves=2)
    env.reset(seed=0)
    for _ in range(2):
        play(env, *[1] * env.n_agents)
        assert list(env.labels()) == env.possible_agents
    assert env.agents == []
    env.simulation.advance(env._given)  # an ended episode that is stepped on stands still
    assert env.labels() == {}
    assert not env.simulation.labels()["players"].any()


@pytest.mark.parametrize("path", recordings("*_default"), ids=lambda path: path.stem)
def test_labels_are_among_the_propositions_and_none_is_idle(path):
    recorded = load(path)
    env = CLASSES[recorded["env"]]()
    seen = {label for step in [recorded["reset"], *recorded["steps"]] for label in step["labels"]}
    assert seen <= set(env.propositions)
    assert "unsafe" in env.propositions
