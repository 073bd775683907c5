"""Pictures side by side."""

from collections.abc import Sequence
from pathlib import Path

from PIL import Image

GAP = 16  # pixels


def save_row(pictures: Sequence[Image.Image], name: str) -> None:
    """Write pictures side by side, on white, to a file beside this one."""
    width = sum(picture.width + GAP for picture in pictures) - GAP
    sheet = Image.new("RGB", (width, max(picture.height for picture in pictures)), "white")
    left = 0
    for picture in pictures:
        sheet.paste(picture, (left, 0))
        left += picture.width + GAP
    sheet.save(Path(__file__).resolve().parent / name, optimize=True)
