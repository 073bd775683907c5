"""The rules of the wood-and-stone scenarios once more, plain and slow, from their description."""

import numpy as np

# Making economies.

BUILD_AND_GATHER = (("Build", {}), ("Gather", {}))
PARETO_BUILD = ("Build", {"skill_dist": "pareto", "payment_max_skill_multiplier": 3})
SMALL = {
    "uniform": {"world_size": [9, 11]},
    "quadrant": {"world_size": [11, 11]},
    "multi_zone": {"world_size": [10, 12]},
    "layout_from_file": {"env_layout_file": "env-pure_and_mixed-15x15.txt"},
    "split_layout": {
        "env_layout_file": "env-pure_and_mixed-15x15.txt",
        "components": (PARETO_BUILD, ("Gather", {})),
    },
}
SCENARIOS = tuple(SMALL)


def economy(scenario, seed=None, **parameters):
    """Return an environment of a scenario, small unless told otherwise; reset if seeded."""
    from ecumene import foundation

    given = {"components": BUILD_AND_GATHER, "n_agents": 3, **SMALL[scenario], **parameters}
    env = foundation.make_env_instance(f"{scenario}/simple_wood_and_stone", **given)
    if seed is not None:
        env.seed(seed)
        env.reset()
    return env


# Growth.


def grow(stock, source, halfwidth, weight, max_health, draws):
    """Return a resource map after one step."""
    height, width = stock.shape
    health = np.maximum(stock.astype(float), source)
    side = 1 + 2 * halfwidth
    chance = np.zeros(stock.shape)
    for r in range(height):
        for c in range(width):
            for i in range(r - halfwidth, r + halfwidth + 1):
                for j in range(c - halfwidth, c + halfwidth + 1):
                    if 0 <= i < height and 0 <= j < width:
                        chance[r, c] += health[i, j] * weight / side**2
    return np.minimum(stock + ((draws < chance) & (source > 0)), max_health)


# Wealth.


def gini(values):
    x = np.asarray(values, float)
    n = len(x)
    if n < 30:
        pairs = sum(abs(a - b) for a in x for b in x)
        return pairs / (2 * n * x.sum() + 1e-10) / ((n - 1) / n)
    shares = np.cumsum(np.sort(x)) / (x.sum() + 1e-10)
    return 1 - 2 / (n + 1) * shares.sum()


def utility(coin, labor, eta, cost):
    if eta == 1:
        return np.log(max(1, coin)) - labor * cost
    return (coin ** (1 - eta) - 1) / (1 - eta) - labor * cost


def inverse_weighted(coins, values):
    weights = 1 / np.maximum(coins, 1)
    return float(np.sum(weights / weights.sum() * values))


def welfare(kind, coins, utilities, mixing):
    coins = np.asarray(coins, float)
    if kind == "coin_eq_times_productivity":
        weight = 1 - mixing
        return coins.sum() / len(coins) * (weight * (1 - gini(coins)) + 1 - weight)
    if kind == "inv_income_weighted_coin_endowments":
        return inverse_weighted(coins, coins)
    return inverse_weighted(coins, np.asarray(utilities))


# Sowing.


def convolve(values, kernel):
    """Return the 2-D convolution, as large as `values`, with zeros outside."""
    height, width = values.shape
    reach = kernel.shape[0] // 2
    padded = np.pad(values, reach)
    total = np.zeros(values.shape)
    for i in range(kernel.shape[0]):
        for j in range(kernel.shape[1]):
            down, right = 2 * reach - i, 2 * reach - j  # a convolution turns its kernel around
            total += kernel[i, j] * padded[down : down + height, right : right + width]
    return total


def sow_one(chances, empty, coverage, looseness):
    """Return where one resource is sown; draws from `numpy.random`."""
    noise = np.random.rand(*empty.shape)
    scaled = chances * 0.1 * looseness
    sown = (noise < scaled) & empty
    passes = 1
    while sown.mean() < coverage * looseness and passes <= 201:
        noise = noise * 0.9
        sown = (noise < scaled) & empty
        passes += 1
    while sown.mean() < coverage:
        kernel = np.random.randn(7, 7) > 0
        field = sown + 0.2 * np.random.randn(*empty.shape) - 0.25
        sown = ((convolve(field, kernel) > 0) | sown) & empty
    return sown


def sow(chances, coverages, clumpiness, checkered=False):
    """Return where wood and stone are sown; draws from `numpy.random`."""
    shape = chances[0].shape
    for _ in range(100):
        taken = np.zeros(shape, bool)
        sources, ratios = [], []
        for chance, coverage, clump in zip(chances, coverages, clumpiness, strict=True):
            sown = sow_one(chance, ~taken, coverage, 1 - np.clip(clump, 0, 0.99))
            taken |= sown
            sources.append(sown)
            ratios.append(sown.mean() / coverage)
        if all(1 / 1.4 <= ratio <= 1.4 for ratio in ratios):
            break
    if checkered:
        rows, columns = np.indices(shape)
        sources = [sown & ((rows + columns) % 2 == 1) for sown in sources]
    return sources


def uniform_chances(height, width, steepness, wood_coverage):
    profile = np.array([[r**steepness] * width for r in range(height)], float)
    wood = profile / profile.mean() * wood_coverage
    return wood, wood[::-1]


def quadrant_water(height, width):
    water = np.zeros((height, width), bool)

    def wet(x):
        return (x < 0.2 or x > 0.35) and (x < 0.65 or x > 0.8)

    for r in range(height):
        water[r, width // 2] = wet((r + 0.5) / height)
    for c in range(width):
        water[height // 2, c] = wet((c + 0.5) / width)
    return water


def quadrant_chances(size, steepness):
    rows, columns = np.indices((size, size))
    a = (size - 1.0 - rows) ** (steepness / 2)
    b = (size - 1.0 - columns) ** (steepness / 2)
    maps = []
    for share in (a, b):
        chances = (a + b) * share
        chances = chances / chances.sum() * ~quadrant_water(size, size)
        maps.append(chances / chances.sum())
    return maps


def zone_chances(zones, height, width, wood_coverage):
    """Return the chances of wood and stone for a grid of zones (0, 1, 2 = both, -1 = none)."""
    tall, broad = -(-height // zones.shape[0]), -(-width // zones.shape[1])
    kinds = np.kron(zones, np.ones((tall, broad), int))[:height, :width]
    maps = [((kinds == crop) | (kinds == 2)).astype(float) for crop in (0, 1)]
    return [each / each.mean() * wood_coverage for each in maps]


# Placing.


def place(agents, free, rows):
    """Return a free tile per agent, drawn from `numpy.random` until it is free."""
    taken, places = set(), {}
    for agent in agents:
        while True:
            r, c = np.random.randint(*rows), np.random.randint(0, free.shape[1])
            if free[r, c] and (r, c) not in taken:
                break
        taken.add((r, c))
        places[agent] = [r, c]
    return places


# Seeing.


def window(channels, row, column, reach):
    """Return the tiles around a place, `channels` being [channel, row, column], 0 outside."""
    side = 2 * reach + 1
    seen = np.zeros((channels.shape[0], side, side), channels.dtype)
    for i in range(side):
        for j in range(side):
            r, c = row - reach + i, column - reach + j
            if 0 <= r < channels.shape[1] and 0 <= c < channels.shape[2]:
                seen[:, i, j] = channels[:, r, c]
    return seen


def index_map(env, agent=None):
    """Return owners and agents as numbers, index + 2; `agent` itself is shown as 1."""
    maps = env.world.maps
    people = np.full(env.world_size, -1)
    for each in env.world.agents:
        people[tuple(each.loc)] = each.idx
    owners = [maps.get(name, owner=True) for name in env.world.maps.private]
    marks = np.stack([*owners, people]).astype(np.int16) + 2
    marks[marks == 1] = 0
    if agent is not None:
        marks[marks == agent.idx + 2] = 1
    return marks
