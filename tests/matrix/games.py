"""What several tests of matrix games need."""

import json
from pathlib import Path

from ecumene import matrix

GOLDEN = Path(__file__).parent / "golden"
IDS = {
    "BertrandMatrix": "matrix/bertrand-v0",
    "ChickenMatrix": "matrix/chicken-v0",
    "CongestionMatrix": "matrix/congestion-v0",
    "DPGGMatrix": "matrix/dpgg-v0",
    "InspectionMatrix": "matrix/inspection-v0",
}
CLASSES = {name: getattr(matrix, name) for name in IDS}
TWO_PLAYERS = [name for name in IDS if name != "CongestionMatrix"]


def recordings(pattern="*"):
    return sorted(GOLDEN.glob(f"{pattern}.json"))


def load(path):
    return json.loads(path.read_text())


def play(env, *actions):
    return env.step(dict(zip(env.possible_agents, actions, strict=True)))


def bits(observation):
    return "".join(str(int(value)) for value in observation.ravel())


def as_json(value):
    """Return a value as it comes back from a JSON file: tuples become lists."""
    return json.loads(json.dumps(value))


def without_mask(infos):
    return {
        name: {key: value for key, value in info.items() if key != "action_mask"}
        for name, info in infos.items()
    }


def same_tuple(one, other):
    return one[:-1] == other[:-1] and all(
        a is b or (a == b if not hasattr(a, "shape") else (a == b).all())
        for a, b in zip(one[-1], other[-1], strict=True)
    )
