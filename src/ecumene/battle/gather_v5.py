"""Gather: omnivores compete for food, and may kill each other."""

from dataclasses import dataclass

from ecumene.battle.armies import Spots, bounds
from ecumene.battle.definition import AgentGroup, AgentType, Battle, Custom, Place
from ecumene.battle.env import makers
from ecumene.battle.events import Attack, Reward, any_of
from ecumene.battle.named import NamedSimulation, Settings
from ecumene.battle.ranges import Circle
from ecumene.engine import check

SIZE = 200

_CENTRE = SIZE // 2
_FOOD_REWARD = 5.0
_OMNIVORES = ((180, 3), (160, 4), (140, 6))
_FOOD = (
    (130, 10), (120, 10), (110, 10), (100, 4), (90, 3), (80, 1), (60, 1), (58, 1), (56, 1), (54, 1)
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class GatherSettings(Settings):
    """Omnivores compete for food, and may kill each other.

    On a map of 200 x 200 cells stand 495 omnivores in squares around 2,272 pieces of food.
    An omnivore has 3 hit points, moves up to three cells, or hits one of its four neighbours for
    6 hit points: another omnivore dies of one hit. A piece of food has 25 hit points, so it is
    eaten with the fifth bite. The episode ends when all food or all omnivores are gone, and is
    truncated after `max_cycles` steps.

    **Actions**, ``Discrete(33)``: 0-28 move to one of the cells within distance 3, row by row
    from the top (14 stays); 29-32 attack above, left, right, below.

    **Rewards** of a step: `step_reward`; `attack_penalty` for an attack, wherever it lands;
    `attack_food_reward` for a bite, 5 for the last one. Who dies gets `dead_penalty` in place of
    all but the reward of a bite.

    **Observations**, ``float32[15, 15, 5]``: the disc of radius 7 around the omnivore, indexed
    ``[row, column, channel]``. Channels: obstacle; presence and share of hit points of
    omnivores; the same of food. `minimap_mode` adds a density to each and the position (9);
    `extra_features` the last action and the last reward (39; with `minimap_mode` 43).

    The **state** is ``float32[200, 200, 5]``: walls, food, omnivores; see
    `ecumene.battle.overview`. Labels: see `ecumene.battle.labelling`; `unsafe` is
    `attacked_friend`.

    Parameters
    ----------
    max_cycles
        Steps per episode.
    minimap_mode, extra_features
        What else is observed.
    step_reward, attack_penalty, dead_penalty, attack_food_reward
        Rewards.
    observations
        ``"float32"``; ``"uint8"``, see `ecumene.battle.compact`; or ``"none"``: on request only.
    rng
        ``"philox"``, or ``"minstd"``, with which recorded episodes replay.
    """

    world_id = "battle/gather-v0"

    max_cycles: int = 500
    step_reward: float = -0.01
    attack_penalty: float = -0.1
    dead_penalty: float = -1.0
    attack_food_reward: float = 0.5

    def battle(self) -> Battle:
        """Return the battle that the parameters describe."""
        gain = check.number("attack_food_reward", self.attack_food_reward)
        food = AgentType(hp=25, speed=0, view_range=Circle(1), kill_reward=_FOOD_REWARD)
        omnivore = AgentType(
            hp=3,
            speed=3,
            view_range=Circle(7),
            attack_range=Circle(1),
            damage=6,
            attack_in_group=True,
            step_reward=self.step_reward,
            dead_penalty=self.dead_penalty,
            attack_penalty=self.attack_penalty,
        )
        eater, eaten = any_of("omnivore"), any_of("food")
        return Battle(
            SIZE,
            SIZE,
            groups=(
                AgentGroup("food", food, controlled=False, colour=(60, 150, 70)),
                AgentGroup("omnivore", omnivore, colour=(204, 96, 32)),
            ),
            places=(
                Place("omnivore", Custom(omnivores())),
                Place("food", Custom(pieces_of_food())),
            ),
            rewards=(Reward(Attack(eater, eaten), {eater: gain}),),
            max_cycles=self.max_cycles,
            minimap_mode=self.minimap_mode,
            extra_features=self.extra_features,
            reward_bounds=bounds(
                _FOOD_REWARD, self.step_reward, self.attack_penalty, self.dead_penalty, gain
            ),
            unsafe="attacked_friend",
        )


def _square(side: int, gap: int) -> Spots:
    """Return spots along the edges of a square around the centre, as far apart as `gap`."""
    near, far = _CENTRE - side // 2, _CENTRE + side // 2
    along = range(near, far + 1, gap)
    rows = [spot for x in along for spot in ((x, near), (x, far))]
    return rows + [spot for y in along for spot in ((near, y), (far, y))]


def omnivores() -> Spots:
    """Return where the omnivores stand, some spots more than once."""
    return [spot for side, gap in _OMNIVORES for spot in _square(side, gap)]


def pieces_of_food() -> Spots:
    """Return where food lies: in squares, and in small heaps within the innermost."""
    heaps = [(j + 74, i + 74) for i in range(53) for j in range(53) if i % 4 >= 2 and j % 4 >= 2]
    return [spot for side, gap in _FOOD for spot in _square(side, gap)] + heaps


class GatherWorld(NamedSimulation):
    """Copies of the world; see `GatherSettings`."""

    settings = GatherSettings


parallel_env, raw_env, env = makers(GatherWorld)
