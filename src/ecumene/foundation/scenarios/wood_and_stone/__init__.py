"""Worlds in which agents gather wood and stone."""
