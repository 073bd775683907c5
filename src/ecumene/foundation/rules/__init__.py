"""Rules that more than one component or scenario needs."""
