"""Pictures of worlds: boards, tables and text, in NumPy alone; knows no world."""

from ecumene.drawing import palette
from ecumene.drawing.ansi import TextBoard, paint
from ecumene.drawing.board import Board, tile_size
from ecumene.drawing.canvas import captioned
from ecumene.drawing.table import Table

__all__ = ["Board", "Table", "TextBoard", "captioned", "paint", "palette", "tile_size"]
