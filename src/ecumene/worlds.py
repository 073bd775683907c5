"""The worlds that Ecumene ships: id -> entry point."""

WORLDS = {
    "foundation/layout-v0": "ecumene.foundation.worlds:LayoutSimulation",
    "foundation/multi-zone-v0": "ecumene.foundation.worlds:MultiZoneSimulation",
    "foundation/quadrant-v0": "ecumene.foundation.worlds:QuadrantSimulation",
    "foundation/split-layout-v0": "ecumene.foundation.worlds:SplitLayoutSimulation",
    "foundation/uniform-v0": "ecumene.foundation.worlds:UniformSimulation",
    "matrix/bertrand-v0": "ecumene.matrix.bertrand:BertrandSimulation",
    "matrix/chicken-v0": "ecumene.matrix.chicken:ChickenSimulation",
    "matrix/congestion-v0": "ecumene.matrix.congestion:CongestionSimulation",
    "matrix/dpgg-v0": "ecumene.matrix.dpgg:DPGGSimulation",
    "matrix/game-v0": "ecumene.matrix.game:MatrixGameSimulation",
    "matrix/inspection-v0": "ecumene.matrix.inspection:InspectionSimulation",
}
