"""The columns of the tables in which a survival world keeps its entities.

Entities are the agents, in the order of the groups, and after them the slots of the NPCs. A cell
is the index ``row * stride + column`` on the map with its border.
"""

# body[copy, entity, column]: what changes.
(
    CELL,  # where it stands, or stood last
    PRESENT,  # 1 while it is on the map
    HEALTH,
    FOOD,
    WATER,
    FREEZE,  # steps for which it cannot move, build or plant, the next one's start included
    DAMAGE,  # taken in the last hit of this step
    ATTACKER,  # 1 + entity that it remembers as its attacker; 0 = nobody
    LAST,  # the cell in which its last move began; -1 = none yet
    CHEST,  # armour
    LEGS,  # armour
    AGE,  # steps lived
    CAUSE,  # of health 0: one of the causes below
    ENDED,  # agents: one of the ends below
    WAIT,  # NPCs: steps until it may appear
    TARGET,  # NPCs: 1 + entity that it hunts; 0 = nobody
    STYLE,  # NPCs: attack style drawn at its appearance
    WORD,  # agents: the message it sent last; 0 = silence
    KILLS,
    FED,  # harvests of food
    DRUNK,  # harvests of water
    GIVEN,  # units shared with others
    VAIN,  # choices without an effect
    KILLER,  # 1 + entity whose hit took the last health; 0 = nobody
) = range(24)
BODY_COLUMNS = 24

# CAUSE
NOTHING, STARVED, BURNT, KILLED = range(4)
CAUSES = ("none", "starved", "lava", "killed")

# ENDED
LIVING, TERMINATED, TRUNCATED, GONE = range(4)

# trait[entity, column]: what does not change.
(
    TEAM,
    ROLE,
    VIEW,  # which ground layers it sees
    HEALTH_MAX,
    LEVEL,  # of melee; range, mage and heal follow
    LEVEL_RANGE,
    LEVEL_MAGE,
    LEVEL_HEAL,
    POWER,  # damage of melee; range, mage and heal follow
    POWER_RANGE,
    POWER_MAGE,
    POWER_HEAL,
    DEFENCE,
    STYLES,  # bit k: style k is allowed
    BEHAVIOUR,  # of NPCs
    VISION,  # of NPCs
    RESPAWN,  # of NPCs: steps from removal to the next appearance; -1 = never
    START_LO,  # first place in the list of cells where it may appear
    START_HI,
    SPAWNER,  # of NPCs: the fixed spawner it appears at; -1 = none
    HARVESTS,  # bit c: it may harvest cells of access colour c
) = range(21)
TRAIT_COLUMNS = 21

STYLE_NAMES = ("melee", "range", "mage", "heal")
MELEE, RANGE, MAGE, HEAL = range(4)
PASSIVE, NEUTRAL, HOSTILE = range(3)

# intent[copy, entity, column]: what an entity sets out to do in a step.
MOVE, WITH, FOE, GIFT, FRIEND, AMOUNT, BUILD, PLANT, SAY = range(9)
INTENT_COLUMNS = 9
NO_FOE = -1

# clock[copy, column]
TICK, QUEUE_HEAD, QUEUE_LENGTH, WON = range(4)
CLOCK_COLUMNS = 4
