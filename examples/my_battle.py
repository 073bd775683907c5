"""A battle of one's own: wolves hunt sheep around a wall; sheep that reach the barn are safe."""

from ecumene.battle import (
    AgentGroup,
    AgentType,
    At,
    Attack,
    Battle,
    BattleEnv,
    BattleSimulation,
    Circle,
    Custom,
    Fill,
    Kill,
    Place,
    Random,
    Reward,
    all_of,
    any_of,
    baselines,
)  # fmt: skip

wolf = AgentType(hp=9, speed=1, view_range=Circle(5), attack_range=Circle(1), damage=2)
sheep = AgentType(hp=3, speed=1.5, view_range=Circle(4), step_recover=0.1, dead_penalty=-1)
hunter, hunted = any_of("wolf"), any_of("sheep")

battle = Battle(
    width=20,
    height=12,
    groups=(AgentGroup("wolf", wolf), AgentGroup("sheep", sheep)),
    places=(
        Place("walls", Custom([(9, y) for y in range(3, 9)])),
        Place("wolf", Fill((2, 4), (1, 4))),
        Place("sheep", Random(10)),
    ),
    rewards=(
        Reward(Attack(hunter, hunted), {hunter: 0.2, hunted: -0.2}),
        Reward(Kill(hunter, hunted), {all_of("wolf"): 1.0}),
        Reward(At(hunted, 18, 10), {hunted: 0.1}),
    ),
    max_cycles=60,
)

env = BattleEnv(BattleSimulation(battle=battle), render_mode="ansi")
env.reset(seed=7)
while env.agents:
    chosen = baselines.act(env.simulation, {"wolf": "rush", "sheep": "flee"})
    env.step({name: chosen[name.rsplit("_", 1)[0]][0, int(name.rsplit("_", 1)[1])]
              for name in env.agents})  # fmt: skip
print(env.render())
