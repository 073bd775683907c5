"""The scenarios that come with the library."""

from ecumene.foundation.scenarios.wood_and_stone.layout_from_file import LayoutFromFile
from ecumene.foundation.scenarios.wood_and_stone.multi_zone import MultiZone
from ecumene.foundation.scenarios.wood_and_stone.quadrant import Quadrant
from ecumene.foundation.scenarios.wood_and_stone.split_layout import SplitLayout
from ecumene.foundation.scenarios.wood_and_stone.uniform import Uniform

__all__ = ["LayoutFromFile", "MultiZone", "Quadrant", "SplitLayout", "Uniform"]
