"""The one copy, among all that the arrays hold, which the object interface shows."""


class Focus:
    """Number of the copy in view; shared by a world, its maps and its agents."""

    __slots__ = ("copy",)

    def __init__(self) -> None:
        self.copy = 0
