"""Matrix games: the same small game, round after round."""

from ecumene.matrix.chicken import ChickenMatrix, ChickenSimulation

__all__ = ["ChickenMatrix", "ChickenSimulation"]
