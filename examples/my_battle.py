"""A battle of one's own: wolves hunt sheep around a wall; sheep that reach the barn are safe."""

from ecumene import battle as b

wolf = b.AgentType(hp=9, speed=1, view_range=b.Circle(5), attack_range=b.Circle(1), damage=2)
sheep = b.AgentType(hp=3, speed=1.5, view_range=b.Circle(4), step_recover=0.1, dead_penalty=-1)
hunter, hunted = b.any_of("wolf"), b.any_of("sheep")

battle = b.Battle(
    width=20,
    height=12,
    groups=(b.AgentGroup("wolf", wolf), b.AgentGroup("sheep", sheep)),
    places=(
        b.Place("walls", b.Custom([(9, y) for y in range(3, 9)])),
        b.Place("wolf", b.Fill((2, 4), (1, 4))),
        b.Place("sheep", b.Random(10)),
    ),
    rewards=(
        b.Reward(b.Attack(hunter, hunted), {hunter: 0.2, hunted: -0.2}),
        b.Reward(b.Kill(hunter, hunted), {b.all_of("wolf"): 1.0}),
        b.Reward(b.At(hunted, 18, 10), {hunted: 0.1}),
    ),
    max_cycles=60,
)

env = b.BattleEnv(b.BattleSimulation(battle=battle), render_mode="ansi")
env.reset(seed=7)
while env.agents:
    chosen = b.baselines.act(env.simulation, {"wolf": "rush", "sheep": "flee"})
    env.step({name: chosen[name.rsplit("_", 1)[0]][0, int(name.rsplit("_", 1)[1])]
              for name in env.agents})  # fmt: skip
print(env.render())
