"""What holds in every battle, whatever happens."""

import numpy as np
import pytest
from battle.recordings import module, settings
from battle.test_cases import assert_map_is_true
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

import ecumene
from ecumene.battle import (
    AgentGroup,
    AgentType,
    Attack,
    Battle,
    BattleSimulation,
    Circle,
    Collide,
    Die,
    Kill,
    Maze,
    Place,
    Random,
    Reward,
    Sector,
    all_of,
    any_of,
)

SMALL = {
    "battle_v4": {"map_size": 13},
    "combined_arms_v6": {"map_size": 17},
    "adversarial_pursuit_v4": {"map_size": 12},
    "tiger_deer_v4": {"map_size": 12, "tiger_step_recover": -0.4},
}


def random_actions(simulation, generator):
    """Return random actions, attacks rather often."""
    actions = {}
    for group in simulation.spec.groups:
        shape = (simulation.copies, len(group.agents))
        count = int(group.action_space.n)
        first = sum(not name.startswith("attack") for name in group.action_names)
        any_action = generator.integers(0, count, shape)
        hits = generator.integers(min(first, count - 1), count, shape)
        actions[group.name] = np.where(generator.random(shape) < 0.5, any_action, hits)
    return actions


kinds = st.builds(
    AgentType,
    width=st.integers(1, 3),
    length=st.integers(1, 3),
    hp=st.sampled_from([1, 2.5, 4]),
    speed=st.sampled_from([0, 1, 1.5, 2]),
    view_range=st.sampled_from([Circle(1), Circle(3), Sector(3, 120), Circle(2.5)]),
    attack_range=st.sampled_from([None, Circle(1.5), Circle(3), Sector(2, 90)]),
    damage=st.sampled_from([0, 1, 1.5]),
    step_recover=st.sampled_from([-0.3, 0, 0.25]),
    kill_supply=st.sampled_from([0, 1]),
    food_supply=st.sampled_from([0, 2]),
    eat_ability=st.sampled_from([0, 0.5]),
    attack_in_group=st.booleans(),
    step_reward=st.sampled_from([0, -0.25]),
    kill_reward=st.sampled_from([0, 2]),
    dead_penalty=st.sampled_from([0, -1]),
    attack_penalty=st.sampled_from([0, -0.5]),
)


@st.composite
def battles(draw):
    """Draw a world of up to three groups of one's own."""
    names = ["a", "b", "c"][: draw(st.integers(1, 3))]
    groups = tuple(
        AgentGroup(name, draw(kinds), draw(st.sampled_from([None, "t"]))) for name in names
    )
    walls = draw(st.sampled_from([Random(0), Random(6), Maze(3)]))
    places = (
        Place("walls", walls),
        *(Place(name, Random(draw(st.integers(1, 3)))) for name in names),
    )
    rewards = (
        Reward(Attack(any_of("a"), any_of(names[-1])), {any_of("a"): 1, all_of(names[-1]): -0.5}),
        Reward(Kill(any_of("a"), any_of(names[-1])), {any_of("a"): 4}),
        Reward(Die(all_of(names[-1])), {all_of("a"): 2}, terminal=True),
        Reward(~Collide(any_of("a"), any_of(names[-1])), {any_of("a"): 0.125}),
    )
    return Battle(
        draw(st.integers(20, 24)),
        draw(st.integers(20, 24)),
        groups,
        places,
        rewards,
        max_cycles=30,
        turn_mode=draw(st.booleans()),
        food_mode=draw(st.booleans()),
        minimap_mode=draw(st.booleans()),
        extra_features=draw(st.booleans()),
        embedding_size=3,
    )


@given(battle=battles(), seed=st.integers(0, 2**32))
@hypothesis_settings(max_examples=40)
def test_the_map_is_true_and_the_dead_stay_dead(battle, seed):
    simulation = BattleSimulation(copies=2, battle=battle)
    simulation.reset(seed=seed)
    generator = np.random.default_rng(seed)
    most = simulation.world.power[simulation.world.owner, 0]
    gone = np.zeros(simulation.state.status.shape, bool)
    for _ in range(12):
        for copy in range(2):
            assert_map_is_true(simulation, copy)
        assert_shown_right(simulation)
        simulation.step(random_actions(simulation, generator))
        alive = simulation.state.status == 1
        assert not (gone & alive).any()
        gone |= ~alive
        hp = np.where(alive, simulation.state.hp, 0)
        assert ((hp >= 0) & (hp <= most)).all()
        for name, output in simulation.out.items():
            assert not (output.terminated & output.truncated).any()
            assert not (output.alive & (output.terminated | output.truncated)).any()
            told = output.alive | output.terminated | output.truncated
            assert (output.reward[~told] == 0).all()
            assert (output.observation[~told] == 0).all()
            for group in simulation.spec.groups:
                if group.name == name:
                    assert all(
                        group.observation_space.contains(each)
                        for each in output.observation.reshape(-1, *group.observation_space.shape)
                    )


def assert_shown_right(simulation):
    """Check every view, cell by cell, against what is on the map."""
    battle, world, state = simulation.battle, simulation.world, simulation.state
    groups = len(battle.groups)
    pair = 3 if battle.minimap_mode else 2
    ground = 2 if battle.food_mode else 1
    if state.over[0] == 2:
        return
    for i, group in enumerate(simulation.spec.groups):
        window = simulation.sights.windows[i]
        for k in range(len(group.agents)):
            agent = int(world.start[i]) + k
            if state.status[0, agent] != 1:
                continue
            expected = np.zeros((*window.mask.shape, ground + pair * groups), np.float32)
            x, y = eye(simulation, agent)
            for row, column in np.argwhere(window.mask).tolist():
                dx, dy = rotate(state.direction[0, agent], window.left + column, window.top + row)
                if 0 <= x + dx < battle.width and 0 <= y + dy < battle.height:
                    there = state.cell[0, y + dy, x + dx]
                    seen = expected[row, column]
                    seen[0] = there == -2
                    if battle.food_mode:
                        seen[1] = there == -3
                    if there >= 0:
                        at = ground + pair * ((world.owner[there] - i) % groups)
                        seen[at] = 1
                        seen[at + 1] = state.hp[0, there] / world.power[world.owner[there], 0]
            found = simulation.out[group.name].observation[0, k][:, :, : ground + pair * groups]
            shown = np.ones(ground + pair * groups, bool)
            if battle.minimap_mode:
                shown[ground + 2 :: pair] = False
            assert np.array_equal(found[:, :, shown], expected[:, :, shown])


def rotate(direction, dx, dy):
    return [(-dy, dx), (-dx, -dy), (dy, -dx), (dx, dy)][direction]


def eye(simulation, agent):
    """Return the cell an agent sees from: its head, and half its body from there."""
    state = simulation.state
    kind = simulation.battle.groups[simulation.world.owner[agent]].type
    x, y = int(state.x[0, agent]), int(state.y[0, agent])
    direction = state.direction[0, agent]
    head = [
        (x + kind.length - 1, y),
        (x + kind.width - 1, y + kind.length - 1),
        (x, y + kind.width - 1),
        (x, y),
    ][direction]
    dx, dy = rotate(direction, kind.width // 2, kind.length // 2)
    return head[0] + dx, head[1] + dy


@given(seed=st.integers(0, 2**32), world=st.sampled_from(sorted(SMALL)))
@hypothesis_settings(max_examples=15)
def test_a_snapshot_has_the_same_future(world, seed):
    kind = settings(world).world_id
    one = ecumene.make_simulation(kind, 2, **SMALL[world], extra_features=True)
    one.reset(seed=seed)
    generator = np.random.default_rng(seed)
    for _ in range(5):
        one.step(random_actions(one, generator))
    other = ecumene.make_simulation(kind, 3, **SMALL[world], extra_features=True)
    other.reset(seed=seed + 1)
    other.restore(2, one.snapshot(1))
    for _ in range(6):
        actions = random_actions(one, generator)
        one.step(actions)
        other.step({name: np.repeat(each[1:], 3, axis=0) for name, each in actions.items()})
        assert one.state_hash(1) == other.state_hash(2)
        for name in one.out:
            for field in ("observation", "reward", "terminated", "truncated", "alive"):
                here, there = (getattr(each.out[name], field) for each in (one, other))
                assert np.array_equal(here[1], there[2])


@given(seed=st.integers(0, 2**32), copies=st.integers(2, 5))
@hypothesis_settings(max_examples=10)
def test_a_copy_is_the_single_world_of_its_seed(seed, copies):
    many = ecumene.make_simulation("battle/adversarial-pursuit-v0", copies, map_size=12)
    many.reset(seed=seed)
    singles = [
        ecumene.make_simulation("battle/adversarial-pursuit-v0", 1, map_size=12)
        for _ in range(copies)
    ]
    for k, single in enumerate(singles):
        single.reset(seed=seed + k)
    generator = np.random.default_rng(seed)
    for _ in range(6):
        actions = random_actions(many, generator)
        many.step(actions)
        for k, single in enumerate(singles):
            single.step({name: each[k : k + 1] for name, each in actions.items()})
            assert single.state_hash() == many.state_hash(k)
            for name in many.out:
                seen = single.out[name].observation[0]
                assert np.array_equal(seen, many.out[name].observation[k])


@given(seed=st.integers(0, 2**32))
@hypothesis_settings(max_examples=20)
def test_rewards_of_tags_add_up(seed):
    """Every tag pays the predator 1 and the prey -1; every attempt costs the penalty."""
    env = module("adversarial_pursuit_v4").parallel_env(map_size=10, tag_penalty=-0.25)
    env.reset(seed=seed)
    simulation = env.simulation
    generator = np.random.default_rng(seed)
    for _ in range(10):
        actions = random_actions(simulation, generator)
        simulation.step(actions)
        attempts = int((actions["predator"] >= 5).sum())
        tags = int((simulation.state.body[0, :, 6] == 1).sum())
        predator, prey = (float(out.reward.sum()) for out in simulation.out.values())
        assert prey == -tags
        assert predator == pytest.approx(tags - 0.25 * attempts)


@given(seed=st.integers(0, 2**32))
@hypothesis_settings(max_examples=20)
def test_rewards_of_hunting_together_add_up(seed):
    """When k tigers hit a deer that lives, each of them gets k - 1 and the deer k penalties."""
    simulation = ecumene.make_simulation(
        "battle/tiger-deer-v0", map_size=12, tiger_step_recover=0.1
    )
    simulation.reset(seed=seed)
    # More tigers than the world has, around its first deer.
    crowd(simulation)
    generator = np.random.default_rng(seed)
    for _ in range(10):
        simulation.step(random_actions(simulation, generator))
        body = simulation.state.body[0]
        tigers = slice(int(simulation.world.start[1]), None)
        hit, partner = body[tigers, 6] == 1, body[tigers, 7]
        for k, reward in enumerate(simulation.out["tiger"].reward[0].tolist()):
            others = int((hit & (partner == partner[k])).sum()) - 1 if hit[k] else 0
            assert reward == others
        for deer in range(int(simulation.world.start[1])):
            hunters = int((hit & (partner == deer)).sum())
            dead = body[deer, 3] == 2
            expected = np.float32(-1 if dead else 0)
            for _ in range(hunters):
                expected += np.float32(-0.1)
            assert simulation.out["deer"].reward[0, deer] == expected


def crowd(simulation):
    """Make tigers hungry for the same deer by bringing both together."""
    state, first = simulation.state, int(simulation.world.start[1])
    cell = state.cell[0]
    spots = [(5, 5), (6, 5), (5, 6), (7, 5), (6, 4), (6, 6)]
    agents = [first, 0, 1, 2, 3, 4][: len(spots)]
    for agent in agents:
        cell[state.y[0, agent], state.x[0, agent]] = -1
    for agent, (x, y) in zip(agents, spots, strict=True):
        if cell[y, x] == -1:
            state.x[0, agent], state.y[0, agent] = x, y
        cell[state.y[0, agent], state.x[0, agent]] = agent
