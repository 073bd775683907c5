"""`ecumene play`: a person plays one agent of a world in the terminal."""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from rich.console import Console
from rich.text import Text

from ecumene.api.registration import make_simulation
from ecumene.cli.policies import make_policy
from ecumene.engine import Group, InvalidParameter, Simulation
from ecumene.engine.errors import near_match
from ecumene.engine.random import entropy_seed

QUIT = "q"
AGAIN = "r"
_USUAL = {"left": "a", "right": "d", "up": "w", "down": "s", "stay": " ", "noop": " ", "no-op": " "}
_OTHERS = "1234567890efghijklmnoptuvxyzbcEFGHIJKLMNOPQRSTUVWXYZABCD"


def play(
    world: str,
    parameters: Mapping[str, Any],
    agent: str | None,
    others: str,
    seed: int | None,
    console: Console,
    keys: Iterator[str] | None = None,
) -> int:
    """Let a person play until the keys end or one of them is `QUIT`; returns the exit code.

    Parameters
    ----------
    world, parameters
        What is played.
    agent
        Whom the person plays; None: the first agent.
    others
        The policy of the others; see `make_policy`.
    seed
        Of the world and of the others' policy; None: a fresh one.
    console
        Where the world is shown.
    keys
        Characters; None: those typed on the keyboard, or read from standard input.
    """
    simulation = make_simulation(world, 1, **parameters)
    seed = entropy_seed() >> 31 if seed is None else seed
    game = Game(simulation, agent, others, seed, console)
    with typed_keys(sys.stdin) if keys is None else _given(keys) as source:
        game.show()
        for key in source:
            if key == QUIT:
                break
            game.press(key)
    console.print(f"{game.episodes} episodes ended; seed: {seed}")
    simulation.close()
    return 0


class Game:
    """One agent in a person's hands, the others in those of a policy."""

    def __init__(
        self,
        simulation: Simulation,
        agent: str | None,
        others: str,
        seed: int,
        console: Console,
    ) -> None:
        spec = simulation.spec
        if "ansi" not in simulation.render_modes:
            raise InvalidParameter(f"{spec.id} cannot be drawn in characters, and so not played.")
        agent = spec.agents[0] if agent is None else agent
        if agent not in spec.place:
            hint = near_match(agent, spec.agents)
            raise InvalidParameter(f"there is no agent `{agent}`.{hint}")
        self.simulation, self.agent, self.console = simulation, agent, console
        self.group, self.index = spec.place[agent]
        self.keys = bindings(self.group)
        self._policy = make_policy(others, spec, 1, seed, Path())
        self.episodes = 0
        self._begin(seed)

    def _begin(self, seed: int | None = None) -> None:
        self.simulation.reset(seed)
        self.total = 0.0
        self.remark = ""

    @property
    def over(self) -> bool:
        """Whether the person's agent has left the episode."""
        return not self.simulation.out[self.group.name].alive[0, self.index]

    def press(self, key: str) -> None:
        """Do what a key stands for, and show what comes of it."""
        if self.over:
            if key != AGAIN:
                return
            self._begin()
        elif key not in self.keys:
            return
        else:
            self._act(self.keys[key])
        self.show()

    def _act(self, action: int) -> None:
        out = self.simulation.out[self.group.name]
        if not out.action_mask[0, self.index, action]:
            self.remark = f"{self._name(action)} is not possible now."
            return
        outs = self.simulation.out
        actions = self._policy(
            {name: each.observation for name, each in outs.items()},
            {name: each.action_mask for name, each in outs.items()},
        )
        joint = {name: np.array(chosen) for name, chosen in actions.items()}
        joint[self.group.name][0, self.index] = action
        self.simulation.step(joint)
        reward = float(out.reward[0, self.index])
        self.total += reward
        held = ", ".join(self._labels())
        self.remark = f"{self._name(action)}: reward {reward:g}" + (f"; {held}" if held else "")
        if self.over:
            self.episodes += 1
            how = "terminated" if out.terminated[0, self.index] else "truncated"
            self.remark += f"; {how}. {AGAIN}: play again"

    def _name(self, action: int) -> str:
        names = self.group.action_names
        return names[action] if action < len(names) else f"action {action}"

    def _labels(self) -> list[str]:
        held = self.simulation.labels()[self.group.name][0, self.index]
        return [self.simulation.spec.propositions[i] for i in np.flatnonzero(held)]

    def show(self) -> None:
        """Print the world, what happened, and the keys."""
        if self.console.is_terminal:
            self.console.clear()
        self.console.print(Text.from_ansi(self.simulation.text(0)))
        self.console.print(f"{self.agent}  total reward {self.total:g}", soft_wrap=True)
        if self.remark:
            self.console.print(self.remark, soft_wrap=True)
        legend = [f"{_shown(key)}: {self._name(action)}" for key, action in self.keys.items()]
        self.console.print("  ".join([*legend, f"{QUIT}: quit"]), style="dim")


def bindings(group: Group) -> dict[str, int]:
    """Return key -> action: w, a, s, d and the space bar where they fit, else digits and letters.

    Raises
    ------
    InvalidParameter
        If actions have several parts, or there are more of them than keys.
    """
    if group.action_shape:
        raise InvalidParameter("actions of several parts cannot be played key by key.")
    size = int(group.action_sizes[0])
    names: Sequence[str] = group.action_names or [""] * size
    taken: dict[int, str] = {}
    for action, name in enumerate(names):
        key = _USUAL.get(name.lower().rpartition(".")[2])
        if key is not None and key not in taken.values():
            taken[action] = key
    if size - len(taken) > len(_OTHERS):
        raise InvalidParameter(f"{size} actions are more than there are keys.")
    spare = iter(_OTHERS)
    return {taken.get(action) or next(spare): action for action in range(size)}


def _shown(key: str) -> str:
    return "space" if key == " " else key


@contextmanager
def _given(keys: Iterator[str]) -> Iterator[Iterator[str]]:
    yield keys


@contextmanager
def typed_keys(stream: TextIO) -> Iterator[Iterator[str]]:
    """Yield the keys as they are typed, without waiting for a line; from a file, its characters."""
    if not stream.isatty():
        yield _characters(stream)
    elif os.name == "nt":
        import msvcrt

        yield iter(msvcrt.getwch, "\x03")  # type: ignore[attr-defined]
    else:
        import termios
        import tty

        before = termios.tcgetattr(stream)
        tty.setcbreak(stream)
        try:
            yield _characters(stream)
        finally:
            termios.tcsetattr(stream, termios.TCSADRAIN, before)


def _characters(stream: TextIO) -> Iterator[str]:
    while key := stream.read(1):
        yield key
