"""The rules of battles: what happens in a step, and what is seen of it."""
