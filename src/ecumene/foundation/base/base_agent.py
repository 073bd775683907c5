"""Agents: what they own, and how they choose."""

import random
from collections.abc import Mapping, MutableMapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecumene.engine.check import as_index
from ecumene.foundation.base.errors import InvalidChoice, UnknownName, ensure
from ecumene.foundation.base.registrar import Registry
from ecumene.foundation.base.views import View

PASSIVE = "PassiveAgentPlaceholder"


class BaseAgent:
    """An agent with a state and one buffered action per action subspace.

    Parameters
    ----------
    idx
        Index of the agent, 0 by default.
    multi_action_mode
        Whether the agent chooses in every subspace at each step, rather than in one of all.

    Attributes
    ----------
    state : mapping
        ``loc``, ``inventory``, ``escrow``, ``endogenous``, then the fields of the components.
    action : mapping
        Subspace -> chosen action, 0 = NO-OP.
    action_dim : dict
        Subspace -> number of actions (in multi-action mode the NO-OP included).
    single_action_map : dict
        Index in the joined space -> ``[subspace, action]``.
    """

    name = ""

    def __init__(self, idx: int | str | None = None, multi_action_mode: bool | None = None) -> None:
        ensure(self.name, f"{type(self).__name__} needs a name.")
        self._idx: int | str = 0 if idx is None else idx if isinstance(idx, str) else int(idx)
        self.multi_action_mode = bool(multi_action_mode)
        self.state: MutableMapping[str, Any] = {
            "loc": [0, 0],
            "inventory": {},
            "escrow": {},
            "endogenous": {},
        }
        self.action: MutableMapping[str, int] = {}
        self.action_dim: dict[str, int] = {}
        self.single_action_map: dict[int, list[Any]] = {}
        self._registered: set[str] = set()

    # What it is.

    @property
    def idx(self) -> int | str:
        """Index used to refer to the agent."""
        return self._idx

    @property
    def loc(self) -> list[int]:
        """Row and column."""
        return self.state["loc"]

    @property
    def inventory(self) -> MutableMapping[str, float]:
        """Resource -> amount at the agent's disposal."""
        return self.state["inventory"]

    @property
    def escrow(self) -> MutableMapping[str, float]:
        """Resource -> amount set aside."""
        return self.state["escrow"]

    @property
    def endogenous(self) -> MutableMapping[str, float]:
        """Endogenous variable -> value."""
        return self.state["endogenous"]

    def total_endowment(self, resource: str) -> float:
        """Return inventory plus escrow."""
        return self.inventory[resource] + self.escrow[resource]

    def inventory_to_escrow(self, resource: str, amount: float) -> float:
        """Set aside an amount, or all there is if that is less; return what was moved."""
        return self._transfer(self.inventory, self.escrow, resource, amount)

    def escrow_to_inventory(self, resource: str, amount: float) -> float:
        """Take back an amount, or all there is if that is less; return what was moved."""
        return self._transfer(self.escrow, self.inventory, resource, amount)

    @staticmethod
    def _transfer(source: Any, target: Any, resource: str, amount: float) -> float:
        ensure(amount >= 0, f"an amount of `{resource}` is at least 0, not {amount}.")
        moved = float(min(source[resource], amount))
        source[resource] -= moved
        target[resource] += moved
        return moved

    # Registration, once each.

    def _once(self, what: str) -> None:
        ensure(what not in self._registered, f"agent {self.idx}: {what} registered twice.")
        self._registered.add(what)

    def register_inventory(self, resources: Sequence[str]) -> None:
        """Fill inventory and escrow with 0 of each resource."""
        self._once("inventory")
        self.inventory.update(dict.fromkeys(resources, 0))
        self.escrow.update(dict.fromkeys(resources, 0))

    def register_endogenous(self, endogenous: Sequence[str]) -> None:
        """Fill the endogenous variables with 0."""
        self._once("endogenous variables")
        self.endogenous.update(dict.fromkeys(endogenous, 0))

    def register_components(self, components: Sequence[Any]) -> None:
        """Lay out the action subspaces that the components give this agent."""
        self._once("components")
        for component in components:
            for name, count in self._subspaces(component):
                ensure(name not in self.action_dim, f"two action subspaces are named `{name}`.")
                self._add_subspace(name, count)
        if self.multi_action_mode and not self.action_dim:
            self._add_subspace(PASSIVE, 0)
        choices = [
            [name, action]
            for name, size in self.action_dim.items()
            for action in range(1, size + 1)
        ]
        if not self.multi_action_mode:
            self.single_action_map = {i + 1: choice for i, choice in enumerate(choices)}

    def _add_subspace(self, name: str, count: int) -> None:
        self.action[name] = 0
        self.action_dim[name] = count + 1 if self.multi_action_mode else count

    def _subspaces(self, component: Any) -> list[tuple[str, int]]:
        wanted = component.get_n_actions(self.name)
        if wanted is None:
            return []
        if isinstance(wanted, int | np.integer):
            return [(component.name, int(wanted))] if wanted else []
        if not isinstance(wanted, list | tuple):
            raise InvalidChoice(
                f"`{component.name}`.get_n_actions returns None, an int or a list of "
                f"(name, int), not {wanted!r}."
            )
        for sub, _ in wanted:
            if "." in sub:
                raise NameError(f"the sub-action name `{sub}` contains a dot.")
        return [(f"{component.name}.{sub}", int(count)) for sub, count in wanted if count]

    # Choosing.

    @property
    def action_spaces(self) -> int | NDArray[np.int32]:
        """Number of choices: of the joined space, or of each subspace in multi-action mode."""
        if self.multi_action_mode:
            return np.array(list(self.action_dim.values()), np.int32)
        return 1 + sum(self.action_dim.values())

    def has_component(self, component_name: str) -> bool:
        """Tell whether the agent has an action subspace of exactly this name."""
        return component_name in self.action

    def get_component_action(self, component_name: str, sub_action_name: str | None = None) -> Any:
        """Return the buffered action of a component.

        With `sub_action_name` that of the one subspace, or None. Without: None if the agent has
        no subspace of the component, its action if it has one, a list if it has several.
        """
        if sub_action_name is not None:
            return self.action.get(f"{component_name}.{sub_action_name}")
        of_component = [
            self.action[name] for name in self.action if name.split(".")[0] == component_name
        ]
        return of_component[0] if len(of_component) == 1 else of_component or None

    def set_component_action(self, component_name: str, action: int) -> None:
        """Buffer an action in one subspace."""
        if component_name not in self.action:
            raise UnknownName(f"action subspace of agent {self.idx}", component_name, self.action)
        size = self.action_dim[component_name] + (not self.multi_action_mode)
        self.action[component_name] = self._index(action, size, component_name)

    def reset_actions(self, component: str | None = None) -> None:
        """Set all actions to NO-OP, or those of a component (with a dot: of one subspace)."""
        for name in self.action:
            if component is None or self._belongs(name, component.lower()):
                self.action[name] = 0

    @staticmethod
    def _belongs(name: str, component: str) -> bool:
        return name.lower() == component or name.lower().split(".")[0] == component

    def parse_actions(self, actions: Any) -> None:
        """Buffer a chosen action: an index, a list of one per subspace, or ``{subspace: action}``.

        Raises
        ------
        InvalidChoice
            If it does not fit the action spaces; nothing was buffered then.
        """
        for name, action in self.read_actions(actions):
            self.action[name] = action

    def read_actions(self, actions: Any) -> list[tuple[str, int]]:
        """Return (subspace, action) for a chosen action, without buffering it."""
        if self.multi_action_mode:
            return self._read_list(actions)
        if isinstance(actions, Mapping):
            return self._read_mapping(actions)
        index = self._index(actions, 1 + len(self.single_action_map), None)
        if index == 0:
            return []
        name, action = self.single_action_map[index]
        return [(name, action)]

    def _read_mapping(self, actions: Mapping[str, Any]) -> list[tuple[str, int]]:
        if len(actions) > 1:
            raise InvalidChoice(f"agent {self.idx} chooses in one subspace, not in {len(actions)}.")
        for name in actions:
            if name not in self.action:
                raise UnknownName(f"action subspace of agent {self.idx}", name, self.action)
        return [(n, self._index(a, self.action_dim[n] + 1, n)) for n, a in actions.items()]

    def _read_list(self, actions: Any) -> list[tuple[str, int]]:
        names = list(self.action_dim)
        if names == [PASSIVE] and self._is_idle(actions):
            return []
        if not isinstance(actions, Sequence | np.ndarray) or isinstance(actions, str):
            raise InvalidChoice(
                f"agent {self.idx} chooses one action per subspace, a list for "
                f"{names}, not {actions!r}."
            )
        if len(actions) != len(names):
            raise InvalidChoice(
                f"agent {self.idx} has {len(names)} subspaces ({', '.join(names)}), "
                f"not {len(actions)}."
            )
        pairs = zip(names, actions, strict=True)
        return [(name, self._index(a, self.action_dim[name], name)) for name, a in pairs]

    @staticmethod
    def _is_idle(actions: Any) -> bool:
        # An agent without actions can only say that it does nothing; any form of that will do.
        if isinstance(actions, Sequence) and not isinstance(actions, str):
            return len(actions) == 0
        return actions is None or as_index(actions) == 0

    def _index(self, action: Any, size: int, subspace: str | None) -> int:
        if type(action) is int and 0 <= action < size:  # nearly always
            return action
        where = f"agent {self.idx}" + (f", {subspace}" if subspace else "")
        index = as_index(action)
        if index is None:
            raise InvalidChoice(
                f"{where}: an action is an integer in 0..{size - 1}, not {action!r} "
                f"({type(action).__name__})."
            )
        if not 0 <= index < size:
            raise InvalidChoice(f"{where}: action {index} is outside 0..{size - 1}.")
        return index

    def get_random_action(self) -> dict[str, int]:
        """Return a random action other than NO-OP as ``{subspace: action}``, by Python's random."""
        open_to = {name: self._most(name) for name in self.action if self._most(name) > 0}
        if not open_to:
            return {}
        name = random.choice(list(open_to))
        return {name: random.randint(1, open_to[name])}

    def populate_random_actions(self) -> None:
        """Buffer a random action, NO-OP included, in every subspace, by ``np.random``."""
        for name in self.action:
            self.action[name] = int(np.random.randint(0, self._most(name) + 1))

    def _most(self, subspace: str) -> int:
        return self.action_dim[subspace] - self.multi_action_mode

    def flatten_masks(self, mask_dict: Mapping[str, Any]) -> NDArray[np.float32]:
        """Join the masks of all subspaces, with their NO-OPs, to one float32 vector.

        Raises
        ------
        UnknownName
            A `KeyError`, if a subspace has no mask.
        """
        parts = [] if self.multi_action_mode else [np.ones(1, np.float32)]
        for name in self.action_dim:
            if name == PASSIVE:
                mask: Any = ()
            elif name in mask_dict:
                mask = mask_dict[name]
            else:
                raise UnknownName(f"mask for agent {self.idx}:", name, mask_dict)
            parts += [np.ones(1, np.float32)] if self.multi_action_mode else []
            parts.append(np.asarray(mask, np.float32))
        return np.concatenate(parts)

    def __getstate__(self) -> dict[str, Any]:
        # Views are made anew by the world that they look into.
        return {key: value for key, value in self.__dict__.items() if not isinstance(value, View)}


agent_registry: Registry = Registry(BaseAgent)
