"""Rewards and metrics that scenarios share."""
