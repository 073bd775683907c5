"""Gridworlds: social dilemmas on small boards, with labels and state tuples."""

from ecumene.gridworlds.gathering import Gathering, GatheringSimulation
from ecumene.gridworlds.ice_duel import IceDuel, IceDuelSimulation
from ecumene.gridworlds.markov_stag_hunt import MarkovStagHunt, MarkovStagHuntSimulation
from ecumene.gridworlds.pursuit import Pursuit, PursuitSimulation

__all__ = [
    "Gathering",
    "GatheringSimulation",
    "IceDuel",
    "IceDuelSimulation",
    "MarkovStagHunt",
    "MarkovStagHuntSimulation",
    "Pursuit",
    "PursuitSimulation",
]
