"""The rules of survival, compiled."""
