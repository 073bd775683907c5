"""Battles: many agents that move or attack."""
