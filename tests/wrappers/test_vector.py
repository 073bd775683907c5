"""Labels and shields of batches: copy k is the single world with seed s + k."""

import numpy as np
import pytest
from wrappers.worlds import WORLDS, make

import ecumene
from ecumene.wrappers import LabelledEnv, LabelledVectorEnv, ShieldedEnv, ShieldedVectorEnv


def identity(name):
    world = make(name)
    return world.simulation.spec.id, dict(world.simulation.spec.parameters)


def labelled(name, copies, *, mode="NextStep", **options):
    world, parameters = identity(name)
    vec = ecumene.make_vec(
        world, copies, num_threads=1, autoreset_mode=mode, labels=True, **parameters
    )
    return LabelledVectorEnv(vec, **options)


def delta_of(name):
    return 0.2 if name == "IceDuel" else 0.0


@pytest.mark.parametrize("name", WORLDS)
@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_a_batch_behind_shields_is_many_worlds_behind_shields(name, mode):
    options = {"max_level": 1, "delta": delta_of(name)}
    copies, everyone = 3, range(3)
    vec = ShieldedVectorEnv(labelled(name, copies, mode=mode, log_copies=everyone), **options)
    singles = [ShieldedEnv(LabelledEnv.for_world(make(name)), seed=k, **options) for k in everyone]
    vec.reset(seed=11)
    for k, single in enumerate(singles):
        single.reset(seed=11 + k)
    generator = np.random.default_rng(2)
    most = vec.single_action_space["players"].n
    agents = singles[0].possible_agents
    for _ in range(40):
        if mode == "Disabled" and vec.over.any():
            over = vec.over.copy()
            vec.reset(options={"reset_mask": over})
            for k in np.flatnonzero(over):
                singles[k].reset()
        actions = generator.integers(0, most, (copies, len(agents)))
        _, rewards, _, _, infos = vec.step({"players": actions})
        for k, single in enumerate(singles):
            if not single.agents:  # the next step resets it
                single.reset()
                continue
            told = single.step({n: int(actions[k, i]) for i, n in enumerate(agents)
                                if n in single.agents})  # fmt: skip
            assert_told_alike(vec, k, rewards, infos, told, agents)
            if mode == "SameStep" and not single.agents:
                single.reset()
        assert vec.floor.tolist() == [single.floor for single in singles]
    for k, single in enumerate(singles):
        mine, theirs = [*vec.episodes[k], vec.episode(k)], [*single.episodes, single.episode]
        assert len(mine) == len(theirs)
        for one, other in zip(mine, theirs, strict=True):
            assert_same_log(one, other)


def assert_told_alike(vec, k, rewards, infos, told, agents):
    _, paid, _, _, facts = told
    for i, name in enumerate(agents):
        if name not in paid:
            continue
        assert rewards["players"][k, i] == paid[name]
        assert infos["safe"][k] == facts[name]["safe"]
        shield = facts[name]["shield"]
        assert infos["shield"]["executed"]["players"][k, i] == shield["executed"]
        assert infos["shield"]["intervened"]["players"][k, i] == shield["intervened"]
        if not infos.get("_final_info", np.zeros(vec.num_envs, bool))[k]:
            assert infos["players"]["cost"][k, i] == facts[name]["cost"]


def assert_same_log(one, other):
    one, other = one.to_dict(), other.to_dict()
    for each in (one, other):
        each.pop("seed")
        for event in each["events"]:
            event["model_steps"] = None
    assert one == other


def test_totals_and_lengths_run_per_copy():
    env = labelled("ChickenMatrix", 2)
    env.reset(seed=0)
    for t in range(1, 4):
        env.step({"players": np.array([[1, 1], [0, 1]])})
        assert env.length.tolist() == [t, t]
        assert env.total_cost["players"].tolist() == [[t, t], [0, 0]]
    assert env.last_step_safe.tolist() == [False, True]
    env.reset(options={"reset_mask": np.array([True, False])})
    assert env.length.tolist() == [0, 3]
    assert env.total_cost["players"].tolist() == [[0, 0], [0, 0]]


def test_total_costs_of_ended_episodes_are_told():
    vec = ecumene.make_vec(
        "matrix/chicken-v0", 2, num_threads=1, autoreset_mode="SameStep", labels=True, max_moves=2
    )
    env = LabelledVectorEnv(vec)
    env.reset(seed=0)
    actions = {"players": np.array([[1, 1], [0, 1]])}
    env.step(actions)
    infos = env.step(actions)[-1]
    assert infos["final_info"]["total_cost"]["players"].tolist() == [[2, 2], [0, 0]]
    assert infos["safe"].tolist() == [False, True]
    assert env.total_cost["players"].tolist() == [[0, 0], [0, 0]]
    assert env.length.tolist() == [0, 0]


def test_a_predicate_of_a_user():
    class Polite(LabelledVectorEnv):
        def safe(self, labels):
            return labels["players"][:, 0, self.propositions.index("player_0_swerve")]

    vec = ecumene.make_vec("matrix/chicken-v0", 2, num_threads=1, labels=True)
    env = ShieldedVectorEnv(Polite(vec), floor=1, max_level=1, controlled=["player_0"])
    env.reset(seed=0)
    infos = env.step({"players": np.array([[1, 1], [0, 1]])})[-1]
    assert infos["shield"]["executed"]["players"].tolist() == [[0, 1], [0, 1]]
    assert infos["safe"].all()


def test_floors_are_each_copys_own():
    env = ShieldedVectorEnv(labelled("ChickenMatrix", 3, log_copies=[1]), max_level=2)
    env.reset(seed=0)
    infos = env.step({"players": np.array([[1, 1], [0, 0], [1, 1]])})[-1]
    assert infos["shield"]["vetted"].tolist() == [False] * 3
    assert env.floor.tolist() == [1, 0, 1]
    infos = env.step({"players": np.array([[1, 1], [1, 1], [0, 0]])})[-1]
    assert infos["shield"]["level"].tolist() == [1, 0, 1]
    assert infos["shield"]["intervened"]["players"].any(axis=1).tolist() == [True, False, False]
    assert env.floor.tolist() == [1, 1, 1]
    assert env.episode(1).raises == [(0, 1)]
    env.raise_floor(2, [1])
    assert env.floor.tolist() == [1, 2, 1]
    with pytest.raises(ValueError, match="only rises"):
        env.raise_floor(2)


def test_budgets_and_penalties():
    env = ShieldedVectorEnv(
        labelled("ChickenMatrix", 2), raise_on=["budget"], cost_budget=2, max_level=1,
        intervention_penalty=0.25,
    )  # fmt: skip
    env.reset(seed=0)
    actions = {"players": np.array([[1, 1], [1, 0]])}
    env.step(actions)
    env.step(actions)
    assert env.floor.tolist() == [1, 0]
    rewards = env.step(actions)[1]
    assert rewards["players"][0].tolist() == [0.75, 3.0]


def test_an_unlabelled_batch_is_refused():
    vec = ecumene.make_vec("matrix/chicken-v0", 2, num_threads=1)
    with pytest.raises(ValueError, match="labels=True"):
        LabelledVectorEnv(vec)
    with pytest.raises(ValueError, match="LabelledVectorEnv"):
        ShieldedVectorEnv(vec)  # type: ignore[arg-type]
    env = labelled("ChickenMatrix", 2)
    env.reset(seed=0)
    with pytest.raises(ValueError, match="copy 0 is not logged"):
        env.episode(0)
    with pytest.raises(ValueError, match="log_copies"):
        labelled("ChickenMatrix", 2, log_copies=[2])
