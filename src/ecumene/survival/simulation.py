"""Copies of a survival world, whatever its declaration."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from ecumene.engine import Group, Simulation, Spec, UnknownAgent, allocate_output, random
from ecumene.engine.errors import near_match
from ecumene.survival import columns as c
from ecumene.survival import picture, tables, tiles
from ecumene.survival import spaces as layouts
from ecumene.survival.declaration import World
from ecumene.survival.maps import survey
from ecumene.survival.rules import advance, decode, episode, ground, label, nearby, observe
from ecumene.survival.state import Derived, Heads, Scratch, State

NO_ACTIONS = np.zeros((0, 0, 1), np.int64)


@dataclass(frozen=True)
class Member:
    """What the rules need to know of a group of agents with the same spaces."""

    group: Group
    heads: Heads
    styles: NDArray[np.int64]


class SurvivalSimulation(Simulation):
    """Copies of the world that a declaration describes.

    Parameters
    ----------
    world
        The declaration.
    copies, num_threads
        See `Simulation`.
    world_id
        Registered id.
    parameters
        What the world was made with, for logs; None: the declaration itself.

    Attributes
    ----------
    world
        The declaration.
    entity_features, self_features
        Names of the features of a row of `entities`, and of `self`.
    """

    state: State

    def __init__(
        self,
        world: World,
        copies: int = 1,
        num_threads: int | None = None,
        *,
        world_id: str = "survival/custom-v0",
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(copies, num_threads)
        self.world = world
        land = survey(world)
        self.numbers = tables.numbers(world, land)
        self.tables = tables.tables(world, land)
        self.channels = tables.channels(world, land)
        names = layouts.layout(world)
        self.features = names.places
        self.entity_features, self.self_features = names.others, names.own
        self.amounts = layouts.amounts(world)
        self.members = self._members()
        self.unsafe = np.array([name in world.unsafe for name in label.PROPOSITIONS])
        self.spec = Spec(
            world_id,
            self.numbers.horizon,
            tuple(member.group for member in self.members),
            asdict(world) if parameters is None else dict(parameters),
            (*label.PROPOSITIONS, "unsafe"),
        )
        self.viewer: int | None = None
        self._handed_over: tuple[State | None, tuple[Any, ...]] = (None, ())
        self._allocate()

    def _members(self) -> list[Member]:
        """Return the groups with spaces of their own: agents of the same name."""
        observation = layouts.observation_space(self.world, self.numbers.channels)
        sizes: dict[str, int] = {}
        styles: dict[str, tuple[str, ...]] = {}
        for each in self.world.groups:
            sizes[each.name] = sizes.get(each.name, 0) + each.size
            styles[each.name] = each.styles
        members = []
        first = 0
        for name, size in sizes.items():
            action, choices = layouts.action_space(self.world, styles[name])
            group = Group(
                name,
                tuple(f"{name}_{i}" for i in range(size)),
                observation,
                action,
                choices,
                self.channels.names,
            )
            heads = layouts.heads(self.world, first, len(styles[name]))
            members.append(Member(group, heads, layouts.style_numbers(styles[name])))
            first += size
        return members

    def _allocate(self) -> None:
        n, copies = self.numbers, self.copies
        rows = n.height + 2 * n.pad
        cells = rows * n.stride
        slots = layouts.slots(self.world)
        views = len(self.tables.sees)

        def zeros(*shape: int, dtype: Any = np.int32) -> NDArray[Any]:
            return np.zeros((copies, *shape), dtype)

        self.state = State(
            body=zeros(n.entities, c.BODY_COLUMNS),
            clock=zeros(c.CLOCK_COLUMNS),
            material=np.tile(self.tables.material, (copies, 1)),
            look=np.tile(self.tables.material, (copies, 1)),
            visibility=zeros(cells if n.visibility_colours else 1, dtype=np.uint8),
            access=zeros(cells if n.access_colours else 1, dtype=np.uint8),
            ripe_at=zeros(cells),
            queue=zeros(n.height * n.width),
            spawner=zeros(len(self.tables.spawners)),
            reward=zeros(n.agents, dtype=np.float64),
            stream=random.philox_streams(copies),
        )
        self.derived = Derived(
            occupant=zeros(cells, dtype=np.int16),
            ground=self._bare_ground(views),
            slot=zeros(n.agents, slots),
            seen=zeros(n.agents),
            blank=zeros(n.agents, dtype=np.bool_),
        )
        self.scratch = Scratch(
            intent=zeros(n.entities, c.INTENT_COLUMNS),
            stack=zeros(cells),
            mark=zeros(cells),
            way=zeros(cells, dtype=np.uint8),
            found=zeros(nearby.FOUND_LINES, n.entities + 1, dtype=np.uint32),
            taken=zeros(nearby.word_count(n.radius), nearby.TAKEN_COLUMNS, dtype=np.uint64),
            place=zeros(n.entities, nearby.PLACE_COLUMNS),
            block=zeros(nearby.block_count(rows, n.stride)),
            standing=zeros(nearby.STANDING_LINES, n.entities + 1, dtype=np.uint64),
            shown_as=zeros(n.entities + 1, len(self.entity_features), dtype=np.float32),
            spare=zeros(2, dtype=np.float64),
        )
        self.out = {each.group.name: allocate_output(each.group, copies) for each in self.members}

    def _bare_ground(self, views: int) -> NDArray[np.uint8]:
        """Return the layers of lava, everywhere."""
        n = self.numbers
        layers = np.zeros((self.copies, views, n.height + 1, n.stride, n.channels), np.uint8)
        layers[..., ground.LAVA] = 1
        return layers.reshape(*layers.shape[:3], -1)

    # What happens.

    def begin_copies(self, lo: int, hi: int) -> None:
        """Start a new episode: map, agents, NPCs."""
        episode.begin(*self._rule_arguments(), lo, hi)
        self._tell(lo, hi)

    def step_copies(self, lo: int, hi: int) -> None:
        """Advance by one step."""
        for member in self.members:
            decode.decode(*self._decode_arguments(member), lo, hi)
        episode.step(*self._rule_arguments(), lo, hi)
        self._tell(lo, hi)

    def observe_copies(self, lo: int, hi: int) -> None:
        """Write observations and masks."""
        for member in self.members:
            observe.observe(*self._observe_arguments(member), lo, hi)

    def _step_and_observe(self, lo: int, hi: int) -> None:
        if len(self.members) > 1:
            super()._step_and_observe(lo, hi)
        else:
            self._advance(False, self._actions_of(self.members[0]), lo, hi)

    def _begin_and_observe(self, lo: int, hi: int) -> None:
        if len(self.members) > 1:
            super()._begin_and_observe(lo, hi)
        else:
            self._advance(True, NO_ACTIONS, lo, hi)

    def _advance(self, fresh: bool, actions: NDArray[np.int64], lo: int, hi: int) -> None:
        state, arguments = self._handed_over
        if state is not self.state:
            arguments = self._all_arguments(self.members[0])
            self._handed_over = (self.state, arguments)
        advance.advance(fresh, actions, *arguments, lo, hi)

    def label_copies(self, lo: int, hi: int) -> None:
        """Write which propositions hold."""
        for member in self.members:
            label.label(*self._label_arguments(member), lo, hi)

    def _tell(self, lo: int, hi: int) -> None:
        for member in self.members:
            observe.tell(*self._tell_arguments(member), lo, hi)

    def rule_calls(self) -> list[tuple[Any, tuple[Any, ...]]]:
        """Return the rules with their arguments."""
        whole = (0, self.copies)
        calls: list[tuple[Any, tuple[Any, ...]]] = [
            (episode.begin, (*self._rule_arguments(), *whole))
        ]
        calls += [(decode.decode, (*self._decode_arguments(m), *whole)) for m in self.members]
        calls.append((episode.step, (*self._rule_arguments(), *whole)))
        for m in self.members:
            calls.append((observe.tell, (*self._tell_arguments(m), *whole)))
            calls.append((observe.observe, (*self._observe_arguments(m), *whole)))
        return calls

    def _rule_arguments(self) -> tuple[Any, ...]:
        return (self.chosen, self.numbers, self.tables, self.state, self.derived, self.scratch)

    def _decode_arguments(self, member: Member) -> tuple[Any, ...]:
        tabled = (member.heads, member.styles, self.amounts, self._actions_of(member))
        slots = (self.derived.slot, self.derived.seen)
        return (self.chosen, *tabled, self.state.body, *slots, self.scratch.intent)

    def _actions_of(self, member: Member) -> NDArray[np.int64]:
        """Return the actions of a group as ``[copy, agent, part]``, whatever their space."""
        given = self.actions[member.group.name]
        return given.reshape(*given.shape[:2], -1)

    def _all_arguments(self, member: Member) -> tuple[Any, ...]:
        """Return what `advance` takes between the actions and the span of copies."""
        world = (self.chosen, tuple(self.numbers), tuple(self.tables))
        held = (tuple(self.state), tuple(self.derived), tuple(self.scratch))
        group = (tuple(member.heads), tuple(self.features), member.styles, self.amounts)
        told = (*self._tell_arguments(member)[4:], *self._seen_arguments(member))
        return (world, held, group, told)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what consists of views, which a copy would take for arrays of their own."""
        return {**self.__dict__, "_handed_over": (None, ())}

    def _tell_arguments(self, member: Member) -> tuple[Any, ...]:
        out = self.out[member.group.name]
        flags = (out.reward, out.terminated, out.truncated, out.alive)
        return (self.chosen, member.heads.first, self.state.body, self.state.reward, *flags)

    def _observe_arguments(self, member: Member) -> tuple[Any, ...]:
        table, state, derived, scratch = self.tables, self.state, self.derived, self.scratch
        return (
            self.chosen, self.numbers, table.trait, table.rings, table.away, member.heads,
            self.features, member.styles, state.body, state.clock, state.material, state.look,
            state.access, derived.occupant, derived.slot, derived.seen, derived.blank,
            scratch.found, scratch.taken, scratch.place, scratch.block, scratch.standing,
            scratch.shown_as, *self._seen_arguments(member),
        )  # fmt: skip

    def _seen_arguments(self, member: Member) -> tuple[Any, ...]:
        out = self.out[member.group.name]
        grid = out.observation["grid"]
        window = self._words(grid.reshape(*grid.shape[:2], -1))
        entities = out.observation["entities"]
        vectors = (entities.reshape(*entities.shape[:2], -1), out.observation["self"])
        return (self._words(self.derived.ground), window, *vectors, out.action_mask)

    def _words(self, rows: NDArray[np.uint8]) -> NDArray[Any]:
        """Return bytes as words of eight, where cells are made of whole words: they copy faster."""
        return rows.view(np.uint64) if self.numbers.word_shift else rows

    def _label_arguments(self, member: Member) -> tuple[Any, ...]:
        held = self.label[member.group.name]
        world = (self.tables.trait, self.state.body, self.state.material, self.derived.occupant)
        return (self.chosen, self.numbers, member.heads.first, self.unsafe, *world, held)

    def _restore_extra(self, copy: int, extra: Any) -> None:
        """Work out anew what follows from the state."""
        n = self.numbers
        body = self.state.body[copy]
        self.derived.occupant[copy] = 0
        present = np.flatnonzero(body[:, c.PRESENT])
        self.derived.occupant[copy, body[present, c.CELL]] = present + 1
        ground.paint_all(
            n, self.tables.sees, self.tables.opens, self.state.look[copy],
            self.state.visibility[copy], self.state.access[copy], self.derived.ground[copy],
        )  # fmt: skip

    # Pictures.

    def view_as(self, agent: str | None) -> None:
        """Draw the world as one agent sees it from now on: hidden sources, others in its window.

        None: everything is drawn.
        """
        if agent is not None and agent not in self.spec.agents:
            raise UnknownAgent(
                f"there is no agent {agent!r}.{near_match(agent, self.spec.agents)} "
                f"Agents: {', '.join(self.spec.agents[:8])}."
            )
        self.viewer = None if agent is None else self.spec.agents.index(agent)

    def frame(self, copy: int) -> NDArray[np.uint8]:
        """Return a picture of one copy."""
        return picture.frame(self, copy)

    def text(self, copy: int) -> str:
        """Return a drawing of one copy in coloured characters, with everybody's state below."""
        return picture.text(self, copy)

    # What is told.

    def _span(self, member: Member) -> slice:
        first = member.heads.first
        return slice(first, first + len(member.group.agents))

    def info_arrays(self) -> dict[str, dict[str, NDArray[Any]]]:
        """Return counts since the reset and the cause of death, by agent.

        `cause`: 0 none, 1 starved, 2 lava, 3 killed. `fed`, `drunk`: harvests. `given`: units
        shared. `kills`: deaths by one's hit. `vain`: choices that had no effect. `team`: its index.
        """
        kept = {
            "cause": c.CAUSE, "fed": c.FED, "drunk": c.DRUNK, "given": c.GIVEN, "kills": c.KILLS,
            "vain": c.VAIN,
        }  # fmt: skip
        arrays = {}
        for member in self.members:
            span = self._span(member)
            body = self.state.body[:, span]
            arrays[member.group.name] = {name: body[:, :, column] for name, column in kept.items()}
            team = self.tables.trait[span, c.TEAM]
            arrays[member.group.name]["team"] = np.broadcast_to(team, body.shape[:2])
        return arrays

    def metrics(self, copies: Sequence[int] | None = None) -> dict[str, NDArray[np.float64]]:
        """Return survivors, lifetime, deaths by cause, harvests, kills, gifts, `won`."""
        body = self.state.body[slice(None) if copies is None else list(copies)]
        agents = body[:, : self.numbers.agents]
        dead = (agents[:, :, c.PRESENT] == 0)[:, :, None]
        cause = (agents[:, :, c.CAUSE, None] == np.arange(1, 4)) & dead
        metrics = {
            "survivors": agents[:, :, c.PRESENT].sum(axis=1),
            "lifetime": agents[:, :, c.AGE].mean(axis=1),
            **dict(zip(c.CAUSES[1:], cause.sum(axis=1).T, strict=True)),
        }
        if self.numbers.stocks:
            metrics["fed"] = agents[:, :, c.FED].sum(axis=1)
            metrics["drunk"] = agents[:, :, c.DRUNK].sum(axis=1)
        if self.numbers.sharing:
            metrics["given"] = agents[:, :, c.GIVEN].sum(axis=1)
        if self.numbers.fighting:
            metrics["kills"] = agents[:, :, c.KILLS].sum(axis=1)
        if self.world.boss is not None:
            chosen = slice(None) if copies is None else list(copies)
            metrics["won"] = self.state.clock[chosen, c.WON]
        return {name: values.astype(np.float64) for name, values in metrics.items()}

    def team_names(self) -> dict[str, str]:
        """Return the team of every agent."""
        teams = self.world.teams
        agents = [name for member in self.members for name in member.group.agents]
        return {
            name: teams[team]
            for name, team in zip(agents, self.tables.trait[:, c.TEAM].tolist(), strict=False)
        }

    def cells(self, copy: int = 0, layer: str = "look") -> NDArray[np.uint8]:
        """Return ``uint8[row, column]`` without the border.

        Parameters
        ----------
        copy
            Which copy.
        layer
            ``"look"``, ``"material"``, ``"visibility"`` or ``"access"``.
        """
        n = self.numbers
        array = getattr(self.state, layer)[copy]
        if array.size == 1 and n.height * n.width > 1:
            return np.zeros((n.height, n.width), np.uint8)
        whole = array.reshape(-1, n.stride)
        return whole[n.pad : n.pad + n.height, n.pad : n.pad + n.width].copy()

    def places(self, copy: int = 0) -> NDArray[np.int64]:
        """Return ``int64[entity, 2]``: rows and columns; -9 for entities that are not there."""
        n = self.numbers
        body = self.state.body[copy].astype(np.int64)
        places = np.stack(np.divmod(body[:, c.CELL], n.stride), axis=1) - n.pad
        places[body[:, c.PRESENT] == 0] = -9
        return places

    def map_text(self, copy: int = 0) -> str:
        """Return the map of one copy as it is made, one character per cell; see `LEGEND`.

        Given as `layout` to another world, it is the same map.
        """
        return tiles.draw(self.cells(copy, "material"))

    def global_state(self, copy: int) -> NDArray[np.float32]:
        """Return the whole map, ``float32[row, column, channel]``.

        The channels of kinds of cells (see the group's channel names, without those of teams,
        NPCs and `harvestable`), then `agent`, `npc`, `health`, `food` and `water`, these three as
        parts of the most of who stands there.
        """
        n = self.numbers
        kinds = self._kinds()
        state = np.zeros((n.height, n.width, len(kinds) + 5), np.float32)
        state[..., : len(kinds)] = self.cells(copy)[..., None] == kinds
        body = self.state.body[copy]
        present = np.flatnonzero(body[:, c.PRESENT])
        row, column = self.places(copy)[present].T
        npc = present >= n.agents
        first = len(kinds)
        state[row, column, first] = ~npc
        state[row, column, first + 1] = npc
        state[row, column, first + 2] = (
            body[present, c.HEALTH] / self.tables.trait[present, c.HEALTH_MAX]
        )
        state[row, column, first + 3] = ~npc * body[present, c.FOOD] / n.stock
        state[row, column, first + 4] = ~npc * body[present, c.WATER] / n.stock
        return state

    def _kinds(self) -> NDArray[np.int64]:
        kinds = [tiles.GRASS, tiles.BUSH, tiles.FOREST, tiles.RIVER, tiles.STONE, tiles.LAVA]
        if self.numbers.balanced:
            kinds += [tiles.GROVE, tiles.POND, tiles.DEPLETED]
        return np.array(kinds)

    @property
    def global_state_space(self) -> spaces.Space[Any]:
        """Space of `global_state`."""
        n = self.numbers
        return spaces.Box(0, 1, (n.height, n.width, len(self._kinds()) + 5), np.float32)
