"""`BaseEnvironment`: its properties, metrics and logs."""

import copy
import json

import numpy as np
import pytest

from ecumene import foundation
from ecumene.foundation.base.base_component import BaseComponent
from ecumene.foundation.base.world import World

NOTHING_LOGGED = {"world": [], "states": [], "actions": [], "rewards": []}
ANNEALED = {"energy_warmup_constant": 5.0, "energy_cost": 0.4}


def test_b_49_world(make_field):
    env = make_field(("Gather", {}))
    assert isinstance(env.world, World)
    assert env.world.world_size == [4, 5]
    assert list(env.world.maps.keys()) == ["House"]
    assert len(env.world.agents) == 3
    world = env.world
    env.reset()
    assert env.world is world


def test_b_50_all_agents(make_field):
    env = make_field()
    assert isinstance(env.all_agents, list)
    assert env.all_agents == [*env.world.agents, env.world.planner]
    assert [agent.idx for agent in env.all_agents] == [0, 1, 2, "p"]


def test_b_51_episode_length(make_field):
    assert make_field(episode_length=77).episode_length == 77


def test_b_52_n_agents(make_field):
    env = make_field(n_agents=4)
    assert env.n_agents == 4
    assert env.num_agents == 5


def test_b_53_components(make_field):
    env = make_field(("Gather", {}), ("TestMint", {}), ("Build", {}))
    assert isinstance(env.components, list)
    assert [each.name for each in env.components] == ["Gather", "TestMint", "Build"]
    assert all(isinstance(each, BaseComponent) for each in env.components)
    assert type(env.components[0]) is foundation.components.get("Gather")


def test_b_54_resources(make_field):
    assert make_field().resources == ["Coin"]
    assert make_field(("Build", {})).resources == ["Coin", "Stone", "Wood"]


def test_b_55_landmarks(make_field, field):
    assert make_field(("Build", {})).landmarks == ["House"]
    assert make_field(("Build", {})).world.landmarks == [
        "House",
        "StoneSourceBlock",
        "WoodSourceBlock",
    ]
    wet = type("Wet", (field,), {"required_entities": ["Water", "WoodSourceBlock"]})
    assert make_field(("Gather", {}), cls=wet).landmarks == ["House", "Water", "WoodSourceBlock"]


def test_b_56_endogenous(make_field):
    assert make_field().endogenous == ["Labor"]


def test_b_57_metrics(make_field, field):
    class Measured(field):
        name = "test-base/measured"

        def scenario_metrics(self):
            return {"day": self.world.timestep, "rich": 0.5}

    env = make_field(("TestMint", {"luck": 0.0}), ("Build", {}), cls=Measured)
    env.reset()
    env.step({0: 3})
    assert env.metrics == {
        "day": 1,
        "rich": 0.5,
        "Mint/earned": 3.0,
        "Build/0/n_builds": 0,
        "Build/1/n_builds": 0,
        "Build/2/n_builds": 0,
        "Build/total_builds": 0,
    }
    assert list(env.metrics)[:3] == ["day", "rich", "Mint/earned"]


def test_b_58_metrics_carry_the_shorthand(make_field):
    env = make_field(("TestMint", {}), ("Build", {}))
    env.reset()
    assert "Mint/earned" in env.metrics
    assert "Build/total_builds" in env.metrics
    assert not [name for name in env.metrics if name.startswith("TestMint")]


def test_b_59_previous_episode_metrics(make_field):
    env = make_field(("TestMint", {"luck": 0.0}), episode_length=2)
    assert env.previous_episode_metrics is None
    env.reset()
    env.step({0: 3})
    assert env.previous_episode_metrics is None
    env.step({1: 1})
    assert env.previous_episode_metrics == {"Mint/earned": 4.0}
    env.reset()
    env.step({0: 2})
    assert env.previous_episode_metrics == {"Mint/earned": 4.0}
    assert env.metrics == {"Mint/earned": 2.0}
    env.step()
    assert env.previous_episode_metrics == {"Mint/earned": 2.0}


def test_b_60_dense_log_grows(make_field):
    env = make_field(("TestMint", {}), dense_log_frequency=1)
    env.reset()
    for step in range(env.episode_length - 1):
        lengths = {name: len(entries) for name, entries in env.dense_log.items()}
        assert lengths == dict.fromkeys(NOTHING_LOGGED, step)
        env.step({0: 1})
    env.reset()
    assert env.dense_log == NOTHING_LOGGED


def test_b_61_keys_of_the_dense_log(make_field):
    for every in (None, 1):
        env = make_field(("TestMint", {}), dense_log_frequency=every)
        assert env.dense_log == NOTHING_LOGGED
        env.reset()
        assert env.dense_log == NOTHING_LOGGED
        env.step()
        assert set(env.dense_log) == set(NOTHING_LOGGED)
        assert bool(env.dense_log["states"]) == (every == 1)


def test_b_62_logs_of_components(make_field):
    class Keeper(BaseComponent):
        name = "TestKeeper"
        required_entities = []
        agent_subclasses = ["BasicMobileAgent"]

        def get_n_actions(self, agent_cls_name):
            return None

        def get_additional_state_fields(self, agent_cls_name):
            return {}

        def component_step(self):
            pass

        def generate_observations(self):
            return {}

        def get_dense_log(self):
            return {"tally": np.array([1, 2]), "note": ("x", None)}

    foundation.components.add(Keeper)
    env = make_field(
        ("TestMint", {"luck": 0.0}),
        ("TestKeeper", {}),
        ("TestWitness", {"trace": []}),
        dense_log_frequency=1,
        episode_length=2,
    )
    env.reset()
    env.step({0: 2})
    assert set(env.dense_log) == set(NOTHING_LOGGED)
    env.step()
    log = env.dense_log
    assert set(log) == {*NOTHING_LOGGED, "Mint", "TestKeeper-tally", "TestKeeper-note"}
    assert log["Mint"] == [[{"agent": 0, "amount": 2.0}], []]
    assert log["TestKeeper-tally"] == [1, 2]
    assert log["TestKeeper-note"] == ["x", None]


def test_b_63_previous_episode_dense_log(make_field):
    env = make_field(("TestMint", {}), dense_log_frequency=2, episode_length=3)
    assert env.previous_episode_dense_log == NOTHING_LOGGED
    env.reset()
    for i in range(3):
        assert env.previous_episode_dense_log == NOTHING_LOGGED
        env.step({0: i})
    logged = env.previous_episode_dense_log
    assert logged is env.dense_log
    assert len(logged["states"]) == 4
    kept = copy.deepcopy(logged)
    env.reset()  # the second episode is not logged
    for _ in range(3):
        env.step({1: 2})
    assert env.previous_episode_dense_log == kept
    env.reset()  # the third is
    for _ in range(3):
        env.step({1: 2})
    assert env.previous_episode_dense_log["actions"][0]["1"] == {"TestMint.Earn": 2}


def test_b_63_dense_log_is_json(make_uniform, play):
    env = make_uniform(components=[("TestMint", {}), ("Build", {}), ("Gather", {})])
    play(env, seed=2, force_dense_logging=True)
    log = env.previous_episode_dense_log
    assert json.loads(json.dumps(log)) == log


def test_b_63_what_json_cannot_take(make_field, mint):
    class Odd(mint):
        name = "TestOdd"
        component_type = None

        def get_dense_log(self):
            return [object()]

    foundation.components.add(Odd)
    env = make_field(("TestOdd", {}), episode_length=1)
    env.reset(force_dense_logging=True)
    with pytest.raises(NotImplementedError, match="a log cannot hold"):
        env.step()


def test_b_64_replay_log(make_field):
    env = make_field(("TestMint", {}), episode_length=3)
    assert env.previous_episode_replay_log == {"reset": {"seed_state": None}, "step": []}
    env.reset()
    given = [{0: 1}, None, {"1": 2, "p": [0, 1]}]
    for i, actions in enumerate(given):
        assert env.previous_episode_replay_log["step"] == []
        assert len(env.replay_log["step"]) == i
        env.step(actions)
    log = env.previous_episode_replay_log
    assert set(log) == {"reset", "step"}
    assert set(log["reset"]) == {"seed_state"}
    assert [set(entry) for entry in log["step"]] == [{"actions", "seed_state"}] * 3
    assert [entry["actions"] for entry in log["step"]] == given
    assert all(len(entry["seed_state"]) == 5 for entry in [log["reset"], *log["step"]])
    env.reset()
    env.step()
    assert len(env.previous_episode_replay_log["step"]) == 3
    assert len(env.replay_log["step"]) == 1


def test_b_64_states_of_the_generator(make_field):
    env = make_field(("TestMint", {}), episode_length=2)
    np.random.seed(3)
    np.random.randn()  # leaves a spare Gaussian
    states = [np.random.get_state()]
    env.reset()
    for actions in ({0: 1}, {0: 2, 1: 1}):
        states.append(np.random.get_state())
        env.step(actions)
    log = env.previous_episode_replay_log
    recorded = [log["reset"]["seed_state"], *(entry["seed_state"] for entry in log["step"])]
    for state, kept in zip(states, recorded, strict=True):
        assert kept[0] == state[0]
        np.testing.assert_array_equal(kept[1], state[1])
        assert tuple(kept[2:]) == tuple(state[2:])


@foundation.components.add
class AnnealedLevy(BaseComponent):
    """Takes coin at a rate that rises with the completed episodes, which its masks tell it."""

    name = "TestAnnealedLevy"
    component_type = "Levy"
    required_entities = ["Coin"]
    agent_subclasses = ["BasicMobileAgent", "BasicPlanner"]

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.limit = 0.0
        self.taken = 0.0

    def get_n_actions(self, agent_cls_name):
        return 3 if agent_cls_name == "BasicPlanner" else None

    def get_additional_state_fields(self, agent_cls_name):
        return {}

    def additional_reset_steps(self):
        self.taken = 0.0

    def component_step(self):
        rate = min(self.limit, (self.world.planner.get_component_action(self.name) or 0) / 3)
        for agent in self.world.agents:
            agent.inventory["Coin"] += np.random.rand()
            due = rate * agent.inventory["Coin"]
            agent.inventory["Coin"] -= due
            self.taken += due

    def generate_observations(self):
        return {"p": {"taken": self.taken}}

    def generate_masks(self, completions=0):
        self.limit = min(1.0, 0.2 * completions)
        return {"p": np.arange(1, 4) / 3 <= self.limit + 1e-9}

    def get_metrics(self):
        return {"taken": self.taken, "limit": self.limit}


def played(env, allowed, episodes):
    """Play episodes; return what each left behind and what its steps returned."""
    rng = np.random.default_rng(12)
    kept = []
    for _ in range(episodes):
        obs = env.reset(force_dense_logging=True)
        returned = [obs]
        for _ in range(env.episode_length):
            actions = {**allowed(obs, rng), "p": [int(rng.integers(0, 4))]}
            obs, *rest = env.step(actions)
            returned.append((obs, *rest))
        kept.append(what_is_left(env, returned))
        np.random.rand(5)  # nobody promised that nothing draws between episodes
    return kept


def what_is_left(env, returned):
    return {
        "replay": env.previous_episode_replay_log,
        "dense": env.previous_episode_dense_log,
        "metrics": env.previous_episode_metrics,
        "returned": returned,
    }


def replayed(env, log):
    returned = [env.reset(force_dense_logging=True, **log["reset"])]
    returned += [env.step(**entry) for entry in log["step"]]
    return what_is_left(env, returned)


def assert_same_episode(again, first, equal):
    assert again["dense"] == first["dense"]
    assert again["metrics"] == first["metrics"]
    assert equal(again["returned"], first["returned"])


@pytest.fixture
def annealed_economy(make_uniform):
    def make(method, **parameters):
        foundation.components.add(AnnealedLevy)
        components = [
            ("Build", {"skill_dist": "lognormal", "payment_max_skill_multiplier": 3}),
            ("TestAnnealedLevy", {}),
            ("Gather", {"skill_dist": "pareto"}),
        ]
        return make_uniform(
            components=components, energy_warmup_method=method, **ANNEALED, **parameters
        )

    return make


@pytest.mark.parametrize("method", ["decay", "auto"])
def test_b_65_exact_replay(annealed_economy, allowed, equal, method):
    env = annealed_economy(method, seed=21)
    first = played(env, allowed, episodes=3)
    costs = [each["metrics"]["labor/weighted_cost"] for each in first]
    assert len(set(costs)) == 3  # the warm-up is at work
    assert [each["metrics"]["Levy/limit"] for each in first] == [0.0, 0.2, 0.4]
    for episode in (2, 0, 1, 1):
        again = replayed(env, first[episode]["replay"])
        assert_same_episode(again, first[episode], equal)
    # A replay has a replay log itself.
    assert_same_episode(replayed(env, again["replay"]), first[1], equal)


@pytest.mark.parametrize("method", ["decay", "auto"])
def test_b_65_exact_replay_elsewhere(annealed_economy, allowed, equal, method):
    first = played(annealed_economy(method, seed=21), allowed, episodes=3)
    other = annealed_economy(method, seed=5)
    assert_same_episode(replayed(other, first[2]["replay"]), first[2], equal)


@pytest.mark.parametrize("method", ["decay", "auto"])
def test_b_65_replay_from_json(annealed_economy, allowed, equal, method):
    """JSON keeps the generator's states alone; episodes replayed from the first on are exact."""
    first = played(annealed_economy(method, seed=21), allowed, episodes=3)
    texts = [json.dumps(each["replay"], default=lambda array: array.tolist()) for each in first]
    fresh = annealed_economy(method, seed=5)
    for text, episode in zip(texts, first, strict=True):
        log = json.loads(text)
        assert isinstance(log["reset"]["seed_state"], list)
        assert_same_episode(replayed(fresh, log), episode, equal)


def test_b_65_replay_of_the_caller_s_own_lists(make_field, equal):
    """A caller that fills the same dict anew at every step has an exact log all the same."""
    env = make_field(("TestMint", {}), episode_length=4, seed=2)
    env.reset()
    actions = {0: 0, "p": [0, 0]}
    first = []
    for i in range(4):
        actions[0] = i
        actions["p"][0] = i % 3
        first.append(env.step(actions))
    log = env.previous_episode_replay_log
    assert [entry["actions"]["p"][0] for entry in log["step"]] == [0, 1, 2, 0]
    env.reset(**log["reset"])
    assert equal([env.step(**entry) for entry in log["step"]], first)


def test_b_66_replay_loop(make_uniform, play):
    env = make_uniform(seed=3)
    play(env, seed=9, force_dense_logging=True)
    first = copy.deepcopy((env.previous_episode_dense_log, env.previous_episode_metrics))

    env = make_uniform(seed=3)
    play(env, seed=9)

    replay_log = env.previous_episode_replay_log

    _ = env.reset(force_dense_logging=True, **replay_log["reset"])
    for replay_step in replay_log["step"]:
        _ = env.step(**replay_step)

    dense_log = env.previous_episode_dense_log
    metrics = env.previous_episode_metrics

    assert dense_log == first[0]
    assert metrics == first[1]
    assert len(dense_log["rewards"]) == 12


def test_b_67_inv_scale(make_field):
    assert make_field().inv_scale == 0.01
    assert make_field(allow_observation_scaling=False).inv_scale == 1
    env = make_field(("TestMint", {}))
    assert env.get_component("Mint").inv_scale == 0.01


def test_generate_rewards_is_the_method(make_field):
    env = make_field(("TestMint", {"luck": 0.0}))
    env.reset()
    env.step({1: 2})
    assert env.generate_rewards() == {"0": 0.0, "1": 2.0, "2": 0.0, "p": 0.0}
