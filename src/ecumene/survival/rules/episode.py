"""An episode: how it begins, what happens in a step, and how it ends."""

from ecumene.engine import helper, inlined, rule
from ecumene.survival import columns as c
from ecumene.survival.rules.arrival import appear, bring, find_anywhere, find_start
from ecumene.survival.rules.deeds import build, move, plant, share
from ecumene.survival.rules.fight import strike
from ecumene.survival.rules.ground import paint_all
from ecumene.survival.rules.hunt import choose
from ecumene.survival.rules.land import colour, lay
from ecumene.survival.rules.life import age, digest, harvest, recover, regrow


@rule
def begin(chosen, numbers, tables, state, derived, scratch, lo, hi):
    """Make the maps, let everybody appear."""
    for copy in range(lo, hi):
        if not chosen[copy]:
            continue
        row = state.stream[copy]
        body = state.body[copy]
        material = state.material[copy]
        look = state.look[copy]
        visibility = state.visibility[copy]
        access = state.access[copy]
        spawner = state.spawner[copy]
        occupant = derived.occupant[copy]
        make_map(numbers, row, tables, material, visibility, access, scratch.stack[copy],
                 scratch.mark[copy], scratch.way[copy])  # fmt: skip
        for cell in range(material.shape[0]):
            look[cell] = material[cell]
        state.ripe_at[copy, :] = -1
        state.queue[copy, :] = 0
        state.clock[copy, :] = 0
        state.reward[copy, :] = 0.0
        body[:, :] = 0
        body[:, c.LAST] = -1
        occupant[:] = 0
        settle(numbers, row, tables, body, material, access, occupant)
        for i in range(tables.spawners.shape[0]):
            spawner[i] = find_start(
                numbers, row, -1, tables.starts, tables.spawners[i, 0], tables.spawners[i, 1],
                material, access, occupant,
            )  # fmt: skip
        bring(numbers, row, tables.trait, tables.starts, body, material, access, occupant,
              spawner, scratch.spare[copy])  # fmt: skip
        paint_all(numbers, tables.sees, tables.opens, look, visibility, access,
                  derived.ground[copy])  # fmt: skip


@helper
def make_map(numbers, row, tables, material, visibility, access, stack, words, way):
    """Lay a map at random, or copy the one that was given."""
    if numbers.generated:
        lay(numbers, row, material, stack, words, way)
        if numbers.visibility_colours > 0:
            colour(numbers, row, material, visibility, numbers.visibility_colours, stack)
        if numbers.access_colours > 0:
            colour(numbers, row, material, access, numbers.access_colours, stack)
        return
    for cell in range(material.shape[0]):
        material[cell] = tables.material[cell]
    for cell in range(visibility.shape[0]):
        visibility[cell] = tables.visibility[cell]
    for cell in range(access.shape[0]):
        access[cell] = tables.access[cell]


@helper
def settle(numbers, row, tables, body, material, access, occupant):
    """Let the agents appear."""
    for agent in range(numbers.agents):
        mine = tables.trait[agent]
        cell = find_start(
            numbers, row, mine[c.HARVESTS], tables.starts, mine[c.START_LO], mine[c.START_HI],
            material, access, occupant,
        )  # fmt: skip
        if cell < 0:
            cell = find_anywhere(numbers, row, mine[c.HARVESTS], material, access, occupant)
        if cell >= 0:
            appear(numbers, tables.trait, body, occupant, agent, cell)
        else:
            body[agent, c.ENDED] = c.GONE


@rule
def step(chosen, numbers, tables, state, derived, scratch, lo, hi):
    """Let one step happen; an episode that is over stands still."""
    for copy in range(lo, hi):
        if not chosen[copy]:
            continue
        body = state.body[copy]
        reward = state.reward[copy]
        if not open_step(numbers, body, reward):
            continue
        row = state.stream[copy]
        clock = state.clock[copy]
        material = state.material[copy]
        look = state.look[copy]
        visibility = state.visibility[copy]
        access = state.access[copy]
        ripe_at = state.ripe_at[copy]
        queue = state.queue[copy]
        occupant = derived.occupant[copy]
        ground = derived.ground[copy]
        intent = scratch.intent[copy]
        trait = tables.trait
        clock[c.TICK] += 1
        for npc in range(numbers.agents, numbers.entities):
            if body[npc, c.PRESENT] == 1:
                choose(numbers, row, trait, body, intent, material, occupant,
                       scratch.stack[copy], scratch.mark[copy], npc)  # fmt: skip
        for npc in range(numbers.agents, numbers.entities):
            if body[npc, c.PRESENT] == 1:
                age(body, npc)
                if body[npc, c.HEALTH] > 0:
                    recover(trait, body, npc, 1)
        for agent in range(numbers.agents):
            if body[agent, c.PRESENT] == 1:
                age(body, agent)
                digest(numbers, trait, body, agent)
                if numbers.stocks:
                    harvest(numbers, tables.sees, tables.opens, trait[agent, c.HARVESTS], body,
                            agent, look, visibility, access, ripe_at, queue, clock,
                            ground)  # fmt: skip
        first = clock[c.TICK] % numbers.agents if numbers.rotate else 0
        if numbers.sharing:
            share_all(numbers, body, intent, first)
        if numbers.fighting:
            strike_all(numbers, row, trait, body, intent, first)
        move_all(numbers, trait, body, intent, first, material, access, occupant)
        if numbers.building:
            for i in range(numbers.agents):
                agent = turn(i, first, numbers.agents)
                if body[agent, c.PRESENT] == 1 and intent[agent, c.BUILD] == 1:
                    done = build(numbers, tables.sees, tables.opens, body, agent, material, look,
                                 visibility, access, ripe_at, occupant, ground)  # fmt: skip
                    body[agent, c.VAIN] += not done
        if numbers.planting:
            for i in range(numbers.agents):
                agent = turn(i, first, numbers.agents)
                if body[agent, c.PRESENT] == 1 and intent[agent, c.PLANT] == 1:
                    done = plant(numbers, tables.sees, tables.opens, body, agent, material, look,
                                 visibility, access, ripe_at, queue, clock, occupant,
                                 ground)  # fmt: skip
                    body[agent, c.VAIN] += not done
        bring(numbers, row, trait, tables.starts, body, material, access, occupant,
              state.spawner[copy], scratch.spare[copy])  # fmt: skip
        remove(numbers, trait, body, occupant)
        regrow(numbers, tables.sees, tables.opens, material, look, visibility, access, ripe_at,
               queue, clock, ground)  # fmt: skip
        judge(numbers, trait, tables.bonus, body, clock, reward)


@inlined
def open_step(numbers, body, reward):
    """Clear what the last step told; return whether anybody is still alive."""
    living = False
    for agent in range(numbers.agents):
        reward[agent] = 0.0
        if body[agent, c.ENDED] == c.LIVING:
            living = True
        else:
            body[agent, c.ENDED] = c.GONE
    return living


@inlined
def turn(i, first, count):
    """Return whose turn is number `i`, if number `first` begins."""
    agent = i + first
    return agent - count if agent >= count else agent


@helper
def share_all(numbers, body, intent, first):
    """Let the agents share, one after the other."""
    for i in range(numbers.agents):
        giver = turn(i, first, numbers.agents)
        wants = body[giver, c.PRESENT] == 1 and intent[giver, c.AMOUNT] > 0
        if wants:
            taker = intent[giver, c.FRIEND]
            done = False
            if taker >= 0:
                done = share(numbers, body, giver, taker, intent[giver, c.GIFT],
                             intent[giver, c.AMOUNT])  # fmt: skip
            body[giver, c.VAIN] += not done


@helper
def strike_all(numbers, row, trait, body, intent, first):
    """Let the agents attack, one after the other, then the NPCs."""
    for i in range(numbers.entities):
        attacker = turn(i, first, numbers.agents) if i < numbers.agents else i
        if body[attacker, c.PRESENT] == 1 and intent[attacker, c.FOE] != c.NO_FOE:
            target = intent[attacker, c.FOE]
            done = False
            if target >= 0:
                style = intent[attacker, c.WITH]
                done = strike(numbers, row, trait, body, attacker, target, style)
            body[attacker, c.VAIN] += not done


@inlined
def move_all(numbers, trait, body, intent, first, material, access, occupant):
    """Let the agents move, one after the other, then the NPCs."""
    for i in range(numbers.entities):
        entity = turn(i, first, numbers.agents) if i < numbers.agents else i
        if body[entity, c.PRESENT] == 1 and intent[entity, c.MOVE] != 0:
            harvests = trait[entity, c.HARVESTS]
            done = move(numbers, harvests, body, entity, intent[entity, c.MOVE], material, access,
                        occupant)  # fmt: skip
            body[entity, c.VAIN] += not done


@inlined
def remove(numbers, trait, body, occupant):
    """Take those without health off the map."""
    for entity in range(numbers.entities):
        me = body[entity]
        if me[c.PRESENT] == 1 and me[c.HEALTH] <= 0:
            me[c.PRESENT] = 0
            if me[c.CAUSE] == c.KILLED:
                body[me[c.KILLER] - 1, c.KILLS] += 1
            if occupant[me[c.CELL]] == entity + 1:
                occupant[me[c.CELL]] = 0
            if entity < numbers.agents:
                me[c.ENDED] = c.TERMINATED
            else:
                me[c.WAIT] = trait[entity, c.RESPAWN]


@inlined
def judge(numbers, trait, bonus, body, clock, reward):
    """Give the rewards of the step; end the episode at the horizon, or when the boss is dead."""
    won = numbers.boss_hi > numbers.boss_lo
    for npc in range(numbers.boss_lo, numbers.boss_hi):
        won = won and body[npc, c.PRESENT] == 0 and body[npc, c.WAIT] < 0
    if won:
        clock[c.WON] = 1
    late = clock[c.TICK] >= numbers.horizon
    for agent in range(numbers.agents):
        me = body[agent]
        if me[c.ENDED] == c.TERMINATED:
            reward[agent] += numbers.death_reward
            if numbers.bonuses:
                mourn(numbers, trait, bonus, body, reward, agent)
    # Deaths come first: nobody who ends below counts as dead above.
    for agent in range(numbers.agents):
        me = body[agent]
        if me[c.ENDED] == c.LIVING:
            if won:
                me[c.ENDED] = c.TERMINATED
                reward[agent] += numbers.win_reward
            elif late:
                me[c.ENDED] = c.TRUNCATED
                reward[agent] += numbers.survive_reward


@helper
def mourn(numbers, trait, bonus, body, reward, victim):
    """Pay the living what they get for a death."""
    for agent in range(numbers.agents):
        if body[agent, c.PRESENT] == 1:
            reward[agent] += bonus[trait[agent, c.TEAM], trait[victim, c.TEAM]]
