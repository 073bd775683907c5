"""The worlds that Ecumene ships: id -> entry point."""

WORLDS = {
    "matrix/chicken-v0": "ecumene.matrix.chicken:ChickenSimulation",
}
