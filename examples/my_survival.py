"""A survival world of one's own: fishers and hunters on an island, with wolves."""

from ecumene.survival import AgentGroup, NpcGroup, World, parallel_env

ISLAND = World(
    layout="""
~~~~~~~~~~
~...F..W.~
~.#....W.~
~.#..F...~
~....#.F.~
~~~~~~~~~~
""",
    groups=[
        AgentGroup(name="fisher", size=2, start="anywhere"),
        AgentGroup(name="hunter", start="anywhere", styles=["melee", "heal"], health=15),
    ],
    npcs=[NpcGroup(name="wolf", health=4, respawn_delay=20)],
    share=[5],
    horizon=60,
)

env = parallel_env(ISLAND, render_mode="ansi")
_, infos = env.reset(seed=1)
while env.agents:
    masks = {agent: infos[agent]["action_mask"] for agent in env.agents}
    actions = {agent: env.action_space(agent).sample(masks[agent]) for agent in env.agents}
    _, _, _, _, infos = env.step(actions)
print(env.render())
print(env.metrics())
