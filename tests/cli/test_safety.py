"""`ecumene run --labels --shield`: costs, violations and interventions beside returns."""

import re


def numbers_of(out, name):
    """Return the numbers of a line of the table of results: mean, spread, least, most ..."""
    (line,) = re.findall(rf"^{re.escape(name)}  .*$", out, re.MULTILINE)
    return [float(each.replace(",", "")) for each in line[len(name) :].split()]


def test_labels_count_what_harm_is_done(cli):
    done = cli("run", "matrix/chicken-v0", "--labels", "--seed", 3, "-p", "max_moves=40")
    assert (done.code, done.err) == (0, "")
    violations = numbers_of(done.out, "violations")[0]
    assert 0 < violations < 40
    assert numbers_of(done.out, "cost player_0")[0] == violations
    assert numbers_of(done.out, "cost player_1")[0] == violations
    assert "interventions" not in done.out
    assert "shield" not in done.out


def test_a_shield_corrects_and_is_counted(cli):
    done = cli(
        "run", "matrix/chicken-v0", "--shield", 1, "--seed", 3, "-p", "max_moves=40", "--copies", 5
    )  # fmt: skip
    assert (done.code, done.err) == (0, "")
    assert "; shield: 1" in done.out
    assert numbers_of(done.out, "violations")[:4] == [0, 0, 0, 0]
    mean, _, least, most = numbers_of(done.out, "interventions")[:4]
    assert 0 < least <= mean <= most < 40


def test_nothing_is_counted_unless_asked_for(cli):
    done = cli("run", "matrix/chicken-v0", "--seed", 3, "-p", "max_moves=10")
    assert "cost" not in done.out
    assert "violations" not in done.out


def test_many_agents_are_pooled(cli):
    done = cli(
        "run", "matrix/congestion-v0", "-p", "num_agents=13", "-p", "max_moves=5", "--labels",
        "--seed", 1,
    )  # fmt: skip
    assert "cost of players (13)" in done.out


def test_what_the_log_holds_was_executed(cli, tmp_path):
    import pyarrow.parquet as parquet

    path = tmp_path / "log.parquet"
    cli("run", "matrix/chicken-v0", "--shield", 1, "--seed", 3, "--log", path)
    rows = parquet.read_table(path).to_pylist()
    actions = {}
    for row in rows:
        actions.setdefault(row["step"], []).append(row["action"])
    assert len(actions) == 200
    assert [1, 1] not in actions.values()


def test_a_shield_that_does_not_fit_is_refused(cli):
    done = cli("run", "gridworlds/markov-stag-hunt-v0", "--shield", 2)
    assert done.code != 0
    assert "delta" in done.err
    done = cli("run", "gridworlds/markov-stag-hunt-v0", "--shield", 1, "-p", "max_moves=5")
    assert done.code == 0
    assert numbers_of(done.out, "violations")[0] == 0


def test_a_file_can_ask_for_it(cli, tmp_path):
    path = tmp_path / "run.yaml"
    path.write_text(
        "world: matrix/chicken-v0\nparameters: {max_moves: 20}\nshield: 1\nlabels: true\nseed: 1\n"
    )
    done = cli("run", path)
    assert numbers_of(done.out, "violations")[0] == 0
    path.write_text("world: matrix/chicken-v0\nshield: 1\ndelta: 2.0\n")
    done = cli("run", path)
    assert done.code != 0
    assert "`delta` is at most 1" in done.err
    path.write_text("world: matrix/chicken-v0\nshield: 1\ndelta: much\n")
    assert "`delta` is a number" in cli("run", path).err
