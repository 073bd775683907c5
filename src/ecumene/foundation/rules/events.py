"""What components note of a step, for dense logs and whoever follows a batch: rules."""

from ecumene.engine.compile import helper


@helper
def forget(events, event_count, copy):
    """Empty a copy's list of events, so that nothing of older steps lingers in its state."""
    for i in range(event_count[copy]):
        for j in range(events.shape[2]):
            events[copy, i, j] = 0
    event_count[copy] = 0
