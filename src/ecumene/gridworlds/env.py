"""What the environments of all gridworlds have in common."""

from typing import Any

import numpy as np

from ecumene.api.labelled_world import LabelledWorld, name_held
from ecumene.engine import InvalidParameter, check, random
from ecumene.gridworlds.simulation import GridSimulation


class GridworldEnv(LabelledWorld):
    """A gridworld under the names that its users know.

    `LabelledWorld` documents the attributes. The parameters are those of the world, all by
    keyword, and `render_mode` and `seed`.
    """

    simulation: Any  # a GridSimulation; each world names its own
    _reader: GridSimulation | None = None

    def num_cells(self) -> int:
        """Return the number of cells of the board, however observations are shaped."""
        return self.simulation.rows * self.simulation.columns

    def get_state(self) -> tuple[Any, ...]:
        """Return all there is to the world but its clock: ``(agents, ..., rng_state)``.

        The class documents what is between them. Later steps leave the tuple as it is.
        """
        return tuple(self.agents), *self.simulation.read_state(0), self.get_rng_state()

    def set_state(self, state: tuple[Any, ...]) -> None:
        """Take back what `get_state` returned, here or in a world of the same parameters.

        The clock `num_moves` stays as it is; an `rng_state` of None keeps the present stream.
        The events of the last step are forgotten.

        Raises
        ------
        InvalidParameter
            Naming the field that does not fit. Nothing has changed then.
        """
        names = ("agents", *self.simulation.state_fields, "rng_state")
        if not isinstance(state, tuple | list) or len(state) != len(names):
            raise InvalidParameter(f"a state is a tuple ({', '.join(names)}), not {state!r}.")
        agents, *fields, rng_state = state
        live = self._parse_agents(agents)
        arrays = self.simulation.parse_state(live, *fields)
        if rng_state is not None:
            self.set_rng_state(rng_state)
        self.simulation.place(0, live, arrays)
        self._refresh_agents()

    def _parse_agents(self, agents: Any) -> tuple[bool, ...]:
        if isinstance(agents, tuple | list):
            live = tuple(name in agents for name in self.possible_agents)
            if tuple(agents) == tuple(name for name in self.possible_agents if name in agents):
                return live
        raise InvalidParameter(
            f"agents is a tuple of names out of {tuple(self.possible_agents)}, in this order, "
            f"not {agents!r}."
        )

    def get_rng_state(self) -> tuple[int, ...]:
        """Return the random stream as a tuple of 32-bit words: key, counter and buffer."""
        return tuple(self.simulation.state.stream[0].tolist())

    def set_rng_state(self, rng_state: tuple[int, ...]) -> None:
        """Take back what `get_rng_state` returned.

        Raises
        ------
        InvalidParameter
            If it is no such tuple. Nothing has changed then.
        """
        if not isinstance(rng_state, tuple | list) or len(rng_state) != random.PHILOX_WORDS:
            raise InvalidParameter(
                f"rng_state is a tuple of {random.PHILOX_WORDS} words, not {rng_state!r}."
            )
        words = [
            check.integer(f"rng_state[{i}]", word, 0, 3 if i == random.USED else 0xFFFFFFFF)
            for i, word in enumerate(rng_state)
        ]
        self.simulation.state.stream[0] = words
        self.simulation.seeded[0] = True

    def label_fn(self, observation: Any, agent: str | None = None) -> frozenset[str]:
        """Return the labels that follow from an observation alone.

        What the last step did, such as who was pushed, no observation shows; `labels` has it.

        Parameters
        ----------
        observation
            One of this world, flat or shaped.
        agent
            Whose labels; None: those that hold of any agent.

        Raises
        ------
        InvalidParameter
            If the observation is not one of this world, or the agent is unknown.
        """
        if agent is not None and agent not in self.possible_agents:
            raise self._unknown_agent(agent)
        reader = self._reader
        if reader is None:
            reader = type(self.simulation)(**self.simulation.spec.parameters)
            self._reader = reader
        held = reader.labels_of(observation)
        chosen = slice(None) if agent is None else [self.possible_agents.index(agent)]
        return name_held(self.propositions, np.logical_or.reduce(held[chosen]))
