"""The worlds that Ecumene ships: id -> entry point."""

WORLDS = {
    "foundation/layout-v0": "ecumene.foundation.worlds:LayoutSimulation",
    "foundation/multi-zone-v0": "ecumene.foundation.worlds:MultiZoneSimulation",
    "foundation/quadrant-v0": "ecumene.foundation.worlds:QuadrantSimulation",
    "foundation/split-layout-v0": "ecumene.foundation.worlds:SplitLayoutSimulation",
    "foundation/uniform-v0": "ecumene.foundation.worlds:UniformSimulation",
    "matrix/chicken-v0": "ecumene.matrix.chicken:ChickenSimulation",
}
