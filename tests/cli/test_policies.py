"""A user's own policy: how it is called, and what is said when it fails."""

import re
import sys
import textwrap

import pyarrow.parquet as pq
import pytest

TOY = "toy/countdown-v0"


@pytest.fixture
def module(tmp_path, monkeypatch, request):
    """Return a function that writes a module of the user's, beside which the command runs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", list(sys.path))
    name = re.sub(r"\W", "_", request.node.name)
    # No second module of this name: Python remembers what it has imported.
    monkeypatch.delitem(sys.modules, name, raising=False)

    def write(text):
        (tmp_path / f"{name}.py").write_text(textwrap.dedent(text))
        return name

    return write


def test_it_is_called_with_the_batch_and_its_actions_are_played(cli, module, tmp_path):
    name = module(
        """
        import numpy as np

        def act(observations, masks, generator):
            assert observations["walkers"].shape == (2, 2, 2)
            assert masks["judge"].shape == (2, 1, 6)
            assert not masks["judge"].flags.writeable
            assert isinstance(generator, np.random.Generator)
            return {"walkers": np.ones((2, 2), int), "judge": np.full((2, 1, 2), [1, 3])}
        """
    )
    result = cli("run", TOY, "--copies", 2, "--policy", f"{name}:act", "--log", tmp_path / "log")
    assert result.code == 0, result.err
    actions = pq.read_table(tmp_path / "log").column("action").to_pylist()
    assert actions[:6] == [[1], [1], [1, 3]] * 2


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        ("None", "returns a dict with the groups `judge`, `walkers`, not NoneType"),
        ("{'walkers': 1}", "not one with `walkers`"),
        ("{'walkers': [[0, 0]], 'judge': [[[0, 9]]]}", r"copy 0, judge: action \[0, 9\]"),
        ("{'walkers': [[0.5, 0]], 'judge': [[[0, 0]]]}", "are integers"),
        ("1 / 0", r"failed at .*:3: ZeroDivisionError"),
    ],
)
def test_what_is_no_answer_is_refused(cli, module, returned, said):
    name = module(
        f"""
        def act(observations, masks, generator):
            return {returned}
        """
    )
    result = cli("run", TOY, "--policy", f"{name}:act")
    assert (result.code, result.out) == (2, "")
    assert result.err.count("\n") == 1
    assert re.search(said, result.err), result.err


def test_the_log_up_to_the_failure_is_kept(cli, module, tmp_path):
    name = module(
        """
        steps = []

        def act(observations, masks, generator):
            steps.append(len(steps))
            if len(steps) == 3:
                raise RuntimeError("enough")
            return {"walkers": [[0, 0]], "judge": [[[0, 0]]]}
        """
    )
    result = cli("run", TOY, "--policy", f"{name}:act", "--log", tmp_path / "log")
    assert result.code == 2
    assert "RuntimeError: enough" in result.err
    assert pq.read_table(tmp_path / "log").column("step").to_pylist() == [0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize(
    ("text", "said"),
    [("import no_such_library", "needs `no_such_library`"), ("1 / 0", "ZeroDivisionError")],
)
def test_a_module_that_cannot_be_imported_says_why(cli, module, text, said):
    result = cli("run", TOY, "--policy", f"{module(text)}:act")
    assert result.code == 2
    assert said in result.err
