"""The `VectorEnv` of many copies, on a world that uses every part of the interface."""

import copy
import pickle

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from ecumene.api.parallel import ParallelEnv
from ecumene.api.vector import VectorEnv
from ecumene.engine import InvalidAction, InvalidParameter, InvalidSeed, ResetNeeded

LIMITS = [3, 4, 5]
IDLE = {"red": np.zeros((3, 2), int), "blue": np.zeros((3, 1, 2), int)}


@pytest.fixture
def make(toy):
    def make(mode="NextStep", limits=LIMITS, copy=True):
        return VectorEnv(toy(3, limits=limits), mode, copy)

    return make


def clocks(observations):
    """Return the clock that each copy shows, the same to every agent."""
    red, blue = observations["red"][:, :, 0], observations["blue"]["clock"][:, 0, 0]
    assert (red == blue[:, None]).all()
    return blue.tolist()


def test_what_a_batch_says_of_itself(make):
    vec = make(AutoresetMode.SAME_STEP)
    assert vec.num_envs == 3
    assert vec.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert [group.name for group in vec.groups] == ["red", "blue"]
    assert vec.single_action_space["red"].n == 3
    assert vec.single_observation_space["blue"]["clock"].shape == (1,)


def test_shapes_and_types(make):
    vec = make()
    observations, infos = vec.reset(seed=0)
    assert observations["red"].shape == (3, 2, 2)
    assert observations["blue"]["inner"]["draw"].shape == (3, 1)
    assert infos["red"]["action_mask"].shape == (3, 2, 3)
    assert infos["blue"]["action_mask"].shape == (3, 1, 5)
    assert infos["red"]["clock"].tolist() == [[0, 0]] * 3
    assert infos["red"]["alive"].all()
    _, rewards, terminations, truncations, _ = vec.step(IDLE)
    assert rewards["red"].dtype == np.float32
    assert terminations["red"].dtype == truncations["blue"].dtype == bool
    assert rewards["blue"].shape == (3, 1)


def test_c48_next_step(make):
    """The ended copy shows its last clock, then 0 without moving; the others go on."""
    vec = make()
    vec.reset(seed=0)
    seen, ended = [], []
    for _ in range(12):
        observations, rewards, _, truncations, infos = vec.step(
            {**IDLE, "red": np.ones((3, 2), int)}
        )
        seen.append(clocks(observations))
        ended.append(truncations["blue"][:, 0].tolist())
        fresh = np.array(seen[-1]) == 0
        assert (rewards["red"][:, 0] == np.where(fresh, 0, 2)).all()
        assert "final_obs" not in infos
        assert (infos["blue"]["alive"][:, 0] != truncations["blue"][:, 0]).all()
    expected = [[step % (limit + 1) for limit in LIMITS] for step in range(1, 13)]
    assert seen == expected
    assert ended == [[clock == limit for clock, limit in zip(row, LIMITS)] for row in expected]  # noqa: B905


def test_c48_same_step(make):
    """The step that ends a copy returns the new first observation and, aside, the last one."""
    vec = make("SameStep")
    vec.reset(seed=0)
    for step in range(1, 13):
        observations, rewards, _, truncations, infos = vec.step(
            {**IDLE, "red": np.ones((3, 2), int)}
        )
        over = np.array([step % limit == 0 for limit in LIMITS])
        assert clocks(observations) == [step % limit for limit in LIMITS]
        assert truncations["blue"][:, 0].tolist() == over.tolist()
        assert (rewards["red"] == 2).all()  # of the old episode
        assert infos["red"]["alive"].all()  # of the new one
        assert ("final_obs" in infos) == over.any()
        if over.any():
            assert_final(infos, over)


def assert_final(infos, over):
    last = np.where(over, LIMITS, 0)
    assert infos["_final_obs"].tolist() == infos["_final_info"].tolist() == over.tolist()
    assert clocks(infos["final_obs"]) == last.tolist()
    final = infos["final_info"]
    assert final["metrics"]["clock"].tolist() == last.tolist()
    assert final["red"]["clock"][:, 0].tolist() == last.tolist()
    assert not final["red"]["alive"].any()
    assert final["red"]["action_mask"][:, 0, 0].tolist() == over.astype(int).tolist()


@pytest.mark.parametrize(("mode", "steps"), [("NextStep", 4), ("SameStep", 3)])
def test_c48_an_automatic_reset_draws_what_a_reset_draws(make, toy, mode, steps):
    """The world draws at every step, and the step that is not taken draws nothing."""
    vec, single = make(mode), ParallelEnv(toy(limits=LIMITS[0]))
    vec.reset(seed=8)
    single.reset(seed=8)
    for _ in range(steps):
        observations, *_ = vec.step(IDLE)
    for _ in range(3):
        single.step({"red_0": 0, "red_1": 0, "blue_0": [0, 0]})
    expected, _ = single.reset()
    assert observations["red"][0, 0].tolist() == expected["red_0"].tolist()


def test_c48_disabled(make):
    vec = make("Disabled")
    vec.reset(seed=0)
    for _ in range(3):
        vec.step(IDLE)
    before = [vec.state_hash(k) for k in range(3)]
    with pytest.raises(ResetNeeded, match="the episodes of copies 0 are over"):
        vec.step(IDLE)
    assert [vec.state_hash(k) for k in range(3)] == before
    observations, _ = vec.reset(options={"reset_mask": np.array([True, False, False])})
    assert clocks(observations) == [0, 3, 3]
    observations, *_ = vec.step(IDLE)
    assert clocks(observations) == [1, 4, 4]
    with pytest.raises(ResetNeeded, match="copies 1 are over"):
        vec.step(IDLE)
    vec.reset()
    assert clocks(vec.step(IDLE)[0]) == [1, 1, 1]


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_c48_the_death_of_some_agents_resets_nothing(make, mode):
    vec = make(mode, limits=5)
    vec.reset(seed=0)
    red = np.array([[2, 0], [2, 2], [0, 0]])
    _, _, terminations, truncations, infos = vec.step({**IDLE, "red": red})
    assert terminations["red"].tolist() == (red == 2).tolist()
    assert not truncations["red"].any()
    assert infos["red"]["alive"].tolist() == (red != 2).tolist()
    observations, _, terminations, _, infos = vec.step({**IDLE, "red": np.full((3, 2), 1)})
    assert clocks(observations) == [2, 2, 2]
    assert not terminations["red"].any()
    assert infos["red"]["alive"].tolist() == (red != 2).tolist()
    assert infos["red"]["action_mask"][1].tolist() == [[1, 0, 0]] * 2


def test_the_action_of_a_dead_agent_is_ignored(make):
    one, other = make(limits=5), make(limits=5)
    for vec in (one, other):
        vec.reset(seed=0)
        vec.step({**IDLE, "red": np.array([[2, 0]] * 3)})
    one.step(IDLE)
    *_, infos = other.step({**IDLE, "red": np.array([[2, 0]] * 3)})
    assert infos["red"]["alive"].tolist() == [[False, True]] * 3
    assert one.state_hash(0) == other.state_hash(0)


def test_copies_are_ones_own(make):
    vec = make()
    observations, infos = vec.reset(seed=0)
    kept = copy.deepcopy((observations, infos))
    vec.step(IDLE)
    assert clocks(observations) == clocks(kept[0]) == [0, 0, 0]
    assert (infos["red"]["clock"] == kept[1]["red"]["clock"]).all()
    observations["red"][:] = 7
    assert clocks(vec.step(IDLE)[0]) == [2, 2, 2]


def test_without_copying_the_live_arrays_are_handed_out_read_only(make):
    vec = make(copy=False)
    observations, infos = vec.reset(seed=0)
    assert observations["red"].base is vec.simulation.out["red"].observation
    for array in (observations["red"], observations["blue"]["clock"], infos["red"]["action_mask"]):
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 1
    _, rewards, *_ = vec.step({**IDLE, "red": np.ones((3, 2), int)})
    assert clocks(observations) == [1, 1, 1]  # overwritten by the step
    kept = rewards["red"].tolist()
    vec.step(IDLE)
    assert rewards["red"].tolist() == kept  # rewards never are


@pytest.mark.parametrize(
    "mask",
    [[True] * 3, np.ones(4, bool), np.ones((3, 1), bool), np.ones(3, int), np.zeros(3, bool), 1],
)
def test_bad_reset_masks_are_refused(make, mask):
    vec = make()
    vec.reset(seed=0)
    before = vec.state_hash(0)
    with pytest.raises(InvalidParameter, match=r'options\["reset_mask"\] is a boolean array'):
        vec.reset(options={"reset_mask": mask})
    assert vec.state_hash(0) == before


def test_a_reset_leaves_the_users_options_alone(make):
    vec = make()
    options = {"reset_mask": np.array([True, True, True]), "anything": 1}
    vec.reset(seed=0, options=options)
    assert set(options) == {"reset_mask", "anything"}


def test_a_masked_reset_uses_the_seeds_of_its_copies(make):
    vec, whole = make(), make()
    vec.reset(seed=0)
    observations, _ = vec.reset(seed=20, options={"reset_mask": np.array([False, True, True])})
    expected, _ = whole.reset(seed=20)
    assert (observations["red"][1:] == expected["red"][1:]).all()
    assert (observations["red"][0] != expected["red"][0]).any()


def test_steps_need_resets(make):
    vec = make()
    with pytest.raises(ResetNeeded):
        vec.step(IDLE)
    vec.reset(options={"reset_mask": np.array([True, False, True])})
    with pytest.raises(ResetNeeded):
        vec.step(IDLE)


def test_refusals_change_nothing(make):
    vec = make()
    vec.reset(seed=0)
    for _ in range(3):
        vec.step(IDLE)  # copy 0 is about to be reset
    before = [vec.state_hash(k) for k in range(3)]
    with pytest.raises(InvalidAction, match="copy 0, red_0: action 9 is outside"):
        vec.step({**IDLE, "red": np.full((3, 2), 9)})
    with pytest.raises(InvalidSeed, match="2 seeds were given for 3 copies"):
        vec.reset(seed=[1, 2])
    assert [vec.state_hash(k) for k in range(3)] == before
    assert clocks(vec.step(IDLE)[0]) == [0, 4, 4]


def test_snapshots_of_copies(make):
    vec = make(limits=4)
    vec.reset(seed=0)
    vec.step(IDLE)
    kept = vec.snapshot(1)
    for _ in range(3):
        vec.step(IDLE)
    vec.restore(1, kept)  # its episode is not over any more
    assert clocks(vec.step(IDLE)[0]) == [0, 2, 0]
    for bad in (3, -1, True, 0.0):
        with pytest.raises(InvalidParameter, match="copy is"):
            vec.snapshot(bad)
        with pytest.raises(InvalidParameter, match="copy is"):
            vec.state_hash(bad)


def test_sampled_actions_are_allowed_and_follow_their_generator(make):
    vec = make()
    _, infos = vec.reset(seed=0)
    one, other = (vec.sample_actions(np.random.default_rng(4)) for _ in range(2))
    assert all((one[name] == other[name]).all() for name in one)
    for _ in range(20):
        actions = vec.sample_actions()
        chosen = np.take_along_axis(infos["red"]["action_mask"], actions["red"][..., None], axis=2)
        assert chosen.all()
        *_, infos = vec.step(actions)


def test_metrics(make):
    vec = make()
    vec.reset(seed=0)
    vec.step(IDLE)
    assert vec.metrics()["clock"].tolist() == [1, 1, 1]
    assert vec.metrics([2])["clock"].tolist() == [1]


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda vec: pickle.loads(pickle.dumps(vec))])
def test_c51_a_batch_is_copied_mid_episode(make, duplicate, equal):
    vec = make()
    vec.reset(seed=0)
    for _ in range(3):
        vec.step(IDLE)
    twin = duplicate(vec)
    generator = np.random.default_rng(1)
    for _ in range(9):
        actions = vec.sample_actions(generator)
        assert equal(vec.step(actions), twin.step(actions))
    twin.step(IDLE)
    assert twin.state_hash(0) != vec.state_hash(0)


def test_closing_twice_is_fine(make):
    vec = make()
    vec.close()
    vec.close()
