"""How a program steps a simulation; knows no world."""
