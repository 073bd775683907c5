"""Who acts in a run: at random, not at all, or a function of the user's."""

import importlib
import re
import sys
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecumene.api.policies import random_actions
from ecumene.engine import EcumeneError, Group, InvalidParameter, Spec
from ecumene.engine.errors import near_match
from ecumene.record import Policy

_NO_OPS = ("noop", "nothing", "donothing", "stay")


class PolicyError(EcumeneError, RuntimeError):
    """A policy cannot be found, has failed, or returned what are no actions."""


def make_policy(text: str, spec: Spec, copies: int, seed: int, folder: Path) -> Policy:
    """Return the policy that a text names.

    Parameters
    ----------
    text
        ``random`` (each agent and each part of its action uniformly among what its mask allows),
        ``noop``, or ``module:function``.
    spec, copies
        The world and its number of copies.
    seed
        Of the generator that the policy draws from.
    folder
        Where a module of the user's is looked for, besides the installed ones.

    Notes
    -----
    A user's function is called once per step for all copies as
    ``function(observations, masks, generator)`` with dicts group -> array ``[copy, agent, ...]``
    (read-only; a dict of arrays where the observation space is a dict), masks being int8 over all
    choices, and a `numpy.random.Generator`. It returns group -> integers ``[copy, agent]``, or
    ``[copy, agent, part]`` for a `MultiDiscrete` space. Actions of agents and copies that no
    longer act are ignored, but must lie in the space.
    """
    generator = np.random.default_rng(seed)
    if text == "random":
        return random_policy(spec, generator)
    if text == "noop":
        return noop_policy(spec, copies)
    if ":" not in text:
        hint = near_match(text, ("random", "noop"))
        raise InvalidParameter(
            f"no policy `{text}`; a policy is random, noop or module:function.{hint}"
        )
    return UserPolicy(text, _load(text, folder), spec, generator)


def random_policy(spec: Spec, generator: np.random.Generator) -> Policy:
    """Return a policy that draws each part of an action uniformly among what the mask allows."""
    return lambda observations, masks: random_actions(masks, spec.groups, generator)


def noop_policy(spec: Spec, copies: int) -> Policy:
    """Return a policy under which nobody does anything."""
    actions = {
        group.name: np.broadcast_to(_noop(group), (copies, len(group.agents), *group.action_shape))
        for group in spec.groups
    }
    return lambda observations, masks: actions


def _noop(group: Group) -> NDArray[np.int64]:
    action = np.zeros(group.action_sizes.size, np.int64)
    first = 0
    for part, size in enumerate(group.action_sizes):
        names = group.action_names[first : first + size]
        plain = [re.sub(r"[^a-z]", "", name.lower()) for name in names]
        # Without names, and with a single choice, 0 is what the field means by "nothing".
        found = [i for i, name in enumerate(plain) if name in _NO_OPS]
        if found:
            action[part] = found[0]
        elif names and size > 1:
            listed = ", ".join(names)
            raise InvalidParameter(
                f"policy noop: group `{group.name}` has no action that does nothing, only {listed}."
            )
        first += size
    return action.reshape(group.action_shape)


class UserPolicy:
    """A user's function, and what is said when it fails."""

    def __init__(
        self,
        text: str,
        function: Callable[..., Any],
        spec: Spec,
        generator: np.random.Generator,
    ) -> None:
        self._text = text
        self._function = function
        self._groups = {group.name for group in spec.groups}
        self._generator = generator

    def __call__(
        self, observations: Mapping[str, Any], masks: Mapping[str, NDArray[np.int8]]
    ) -> dict[str, Any]:
        """Return the user's actions."""
        try:
            actions = self._function(
                {name: _read_only(each) for name, each in observations.items()},
                {name: _read_only(each) for name, each in masks.items()},
                self._generator,
            )
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            raise PolicyError(
                f"policy {self._text} failed at {last.filename}:{last.lineno}: "
                f"{type(error).__name__}: {error}"
            ) from error
        if not isinstance(actions, Mapping) or set(actions) != self._groups:
            wanted = ", ".join(f"`{name}`" for name in sorted(self._groups))
            raise PolicyError(
                f"policy {self._text} returns a dict with the groups {wanted}, "
                f"not {_describe(actions)}."
            )
        return dict(actions)


def _read_only(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _read_only(part) for name, part in value.items()}
    view = value.view()
    view.flags.writeable = False
    return view


def _describe(value: Any) -> str:
    if isinstance(value, Mapping):
        return "one with " + (", ".join(f"`{name}`" for name in value) or "none")
    return type(value).__name__


def _load(text: str, folder: Path) -> Callable[..., Any]:
    module_name, _, function_name = text.partition(":")
    place = str(folder.resolve())
    if place not in sys.path:
        sys.path.insert(0, place)
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise PolicyError(f"policy {text}: {module_name} needs `{error.name}`.") from error
        raise PolicyError(
            f"policy {text}: there is no module `{module_name}` in {place} or among the "
            "installed ones."
        ) from error
    except Exception as error:
        raise PolicyError(
            f"policy {text}: importing {module_name} failed: {type(error).__name__}: {error}"
        ) from error
    function = getattr(module, function_name, None)
    if not callable(function):
        known = [name for name, value in vars(module).items() if callable(value)]
        hint = near_match(function_name, known)
        raise PolicyError(f"policy {text}: {module_name} has no function `{function_name}`.{hint}")
    return function
