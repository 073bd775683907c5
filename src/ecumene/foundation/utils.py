"""Saving and loading episode logs."""
