"""Matrix games: the same small game, round after round."""

from ecumene.matrix.bertrand import BertrandMatrix, BertrandSimulation
from ecumene.matrix.chicken import ChickenMatrix, ChickenSimulation
from ecumene.matrix.congestion import CongestionMatrix, CongestionSimulation
from ecumene.matrix.dpgg import DPGGMatrix, DPGGSimulation
from ecumene.matrix.game import MatrixGame, MatrixGameSimulation
from ecumene.matrix.inspection import InspectionMatrix, InspectionSimulation
from ecumene.matrix.presets import PRESETS

__all__ = [
    "PRESETS",
    "BertrandMatrix",
    "BertrandSimulation",
    "ChickenMatrix",
    "ChickenSimulation",
    "CongestionMatrix",
    "CongestionSimulation",
    "DPGGMatrix",
    "DPGGSimulation",
    "InspectionMatrix",
    "InspectionSimulation",
    "MatrixGame",
    "MatrixGameSimulation",
]
