"""The log of gather events."""

import json

from foundation.boards import RIGHT, UP, at, put, stand, stream

START = ["0.W", ".S1"]


def log_of(env):
    return env.get_component("Gather").get_dense_log()


def one_event(draw, place=(1, 1), **amounts):
    """Return the only event of a step in which agent 1 walks to a tile with resources."""
    env = draw("...", "...", "@@@")
    put(env, place, **amounts)
    stand(env, (0, 0), (place[0], place[1] - 1))
    env.step({"1": RIGHT})
    ((event,),) = log_of(env)
    return event


def test_g_44_one_list_of_events_per_step(draw):
    env = draw(*START)
    assert log_of(env) == []
    env.step({"0": RIGHT})
    env.step({"0": RIGHT})
    env.step()
    env.step({"1": 1})
    log = log_of(env)
    assert type(log) is list
    assert [type(step) for step in log] == [list] * 4
    assert [len(step) for step in log] == [0, 1, 0, 1]


def test_g_44_begins_anew_at_every_reset(draw):
    env = draw(*START)
    env.step({"0": RIGHT})
    env.step({"0": RIGHT})
    assert len(log_of(env)) == 2
    env.reset()
    assert log_of(env) == []
    env.step()
    assert len(log_of(env)) == 1


def test_g_44_additional_reset_steps_empty_it_too(draw):
    env = draw(*START)
    env.step()
    env.get_component("Gather").additional_reset_steps()
    assert log_of(env) == []


def test_g_44_events_of_a_step_come_in_the_order_of_the_agents_and_stone_first(draw):
    for seed in range(6):
        env = draw("...", ".0.", "12.")
        for place in [(1, 1), (2, 0), (2, 1)]:
            put(env, place, Wood=1, Stone=1)
        env.step(seed_state=at(seed))
        (events,) = log_of(env)
        # The order is the first thing that a step draws.
        order = stream(seed).permutation(3)
        assert [event["agent"] for event in events] == [i for i in order for _ in range(2)]
        assert [event["resource"] for event in events] == ["Stone", "Wood"] * 3


def test_g_44_goes_into_the_dense_log_of_the_episode(draw):
    env = draw(*START, episode_length=3, dense_log_frequency=1)
    env.step({"0": RIGHT})
    env.step({"0": RIGHT})
    env.step()
    event = {"agent": 0, "resource": "Wood", "n": 1, "loc": [0, 2]}
    logged = env.previous_episode_dense_log["Gather"]
    assert logged == [[], [event], []]
    assert json.loads(json.dumps(logged)) == logged


def test_g_45_agent_is_the_index_as_an_int(draw):
    event = one_event(draw, Wood=1)
    assert type(event["agent"]) is int
    assert event["agent"] == 1


def test_g_46_resource_is_its_name(draw):
    assert one_event(draw, Wood=1)["resource"] == "Wood"
    assert one_event(draw, Stone=1)["resource"] == "Stone"


def test_g_47_n_is_the_number_of_units(draw):
    event = one_event(draw, Wood=5)
    assert type(event["n"]) is int
    assert event["n"] == 1
    env = draw(*START)
    env.get_agent(1).state["bonus_gather_prob"] = 1.0
    env.step({"1": 1})
    ((event,),) = log_of(env)
    assert type(event["n"]) is int
    assert event["n"] == 2


def test_g_48_loc_is_the_tile_after_the_move(draw):
    event = one_event(draw, place=(0, 2), Wood=1)
    assert type(event["loc"]) is list
    assert [type(part) for part in event["loc"]] == [int, int]
    assert event["loc"] == [0, 2]


def test_g_48_and_stays_that_when_the_agent_walks_on(draw):
    env = draw(*START)
    env.step({"1": 1})
    env.step({"1": UP})
    assert log_of(env)[0][0]["loc"] == [1, 1]


def test_g_49_an_event_has_no_other_keys(draw):
    assert set(one_event(draw, Stone=1)) == {"agent", "resource", "n", "loc"}


def test_it_has_no_metrics(draw):
    env = draw(*START)
    env.step({"0": RIGHT})
    assert not env.get_component("Gather").get_metrics()
    assert not [name for name in env.metrics if name.startswith("Gather")]
