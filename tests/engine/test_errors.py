"""Near matches and the checks of parameters."""

import numpy as np
import pytest

from ecumene.engine import InvalidParameter, MissingExtra, UnknownAgent, check
from ecumene.engine.errors import near_match


def test_near_matches():
    known = ["matrix/chicken-v0", "battle/battle-v0"]
    assert near_match("batle/battle-v0", known) == " Did you mean `battle/battle-v0`?"
    assert near_match("MATRIX/Chicken-v0", known) == " Did you mean `matrix/chicken-v0`?"
    assert near_match("zzz", known) == ""
    assert near_match(5, known) == ""


def test_integers():
    assert check.integer("n", np.uint8(3), 1, 3) == 3
    for value in (True, 3.0, "3", None):
        with pytest.raises(InvalidParameter, match="n is an integer, not"):
            check.integer("n", value)
    with pytest.raises(InvalidParameter, match=r"n is an integer in 1\.\.3, not 4"):
        check.integer("n", 4, 1, 3)
    with pytest.raises(InvalidParameter, match="n is an integer from 1 up, not 0"):
        check.integer("n", 0, 1)


def test_numbers_flags_and_choices():
    assert check.number("x", np.float32(0.5), 0, 1) == 0.5
    for value in (float("nan"), float("inf"), "1", True, None):
        with pytest.raises(InvalidParameter, match="x is a finite number, not"):
            check.number("x", value)
    assert check.flag("f", np.True_) is True
    with pytest.raises(InvalidParameter, match="f is True or False, not 1"):
        check.flag("f", 1)
    with pytest.raises(InvalidParameter, match="c is one of 'a', 'b', not 'z'"):
        check.one_of("c", "z", ("a", "b"))


def test_messages_name_the_remedy():
    assert str(MissingExtra("logs need Arrow", "logs")).endswith('pip install "ecumene[logs]"')
    error = UnknownAgent("there is no agent 'x'.")
    assert isinstance(error, KeyError)
    assert isinstance(error, ValueError)
    assert str(error) == "there is no agent 'x'."
