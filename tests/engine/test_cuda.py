"""Rules stay fit for a GPU: run in the CUDA simulator, and compiled to PTX without a GPU."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from types import SimpleNamespace

import pytest

import ecumene

pytestmark = pytest.mark.skipif(
    find_spec("numba_cuda") is None,
    reason="needs numba-cuda",
)

# Every copy of the batch is one CUDA thread; after every rule, all arrays of the world are
# compared with those of a twin that ran the same rule over all copies in one plain call.
SIMULATE = """
import json, sys
import numpy as np
from numba import cuda
import ecumene
from ecumene.api.policies import random_actions
from ecumene.engine.state import leaves

world, parameters, copies = json.loads(sys.argv[1])

def make():
    simulation = ecumene.make_simulation(world, copies, 1, **parameters)
    simulation.reset(seed=3)
    return simulation

def on_device(rule, arguments):
    @cuda.jit
    def kernel(*given):
        copy = cuda.grid(1)
        rule(*given, copy, copy + 1)
    kernel[1, copies](*arguments)

def contents(simulation):
    parts = {"state": simulation.state, "out": simulation.out}
    return [(path, array.tobytes()) for path, array in leaves(parts)]

plain, device = make(), make()
generator = np.random.default_rng(0)
compared = 0
for _ in range(4):
    masks = {name: out.action_mask for name, out in plain.out.items()}
    actions = random_actions(masks, plain.spec.groups, generator)
    for simulation in (plain, device):
        simulation.actions = {name: values.copy() for name, values in actions.items()}
    for (rule, on_plain), (_, given) in zip(plain.rule_calls(), device.rule_calls(), strict=True):
        rule(*on_plain)
        on_device(rule, given[:-2])
        for one, other in zip(contents(plain), contents(device), strict=True):
            assert one == other, (rule.__name__, one[0])
        compared += 1
print(compared)
"""


def test_the_simulated_device_and_the_processor_agree(world_id, short):
    argument = json.dumps([world_id, short(world_id), 3])
    environment = {
        **os.environ,
        "NUMBA_ENABLE_CUDASIM": "1",
        "NUMBA_DISABLE_JIT": "1",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SIMULATE, argument],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert int(done.stdout.split()[-1]) >= 8


@pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT", "0") != "0", reason="nothing is compiled then"
)
def test_every_rule_compiles_to_ptx(world_id, short, monkeypatch):
    import numba.cuda.dispatcher
    from numba import cuda, typeof

    device = SimpleNamespace(compute_capability=(9, 0))
    monkeypatch.setattr(numba.cuda.dispatcher, "get_current_device", lambda: device)
    simulation = ecumene.make_simulation(world_id, 2, **short(world_id))
    simulation.reset(seed=0)
    simulation.actions = _idle(simulation)
    calls = simulation.rule_calls()
    assert calls, f"{world_id} names no rules"
    for rule, arguments in calls:
        kernel = _kernel(cuda, rule)
        ptx, _ = cuda.compile_ptx(kernel, (typeof(arguments[:-2]),), cc=(9, 0))
        assert ".entry" in ptx, rule


def _kernel(cuda, rule):
    def kernel(arguments):
        copy = cuda.grid(1)
        rule(*arguments, copy, copy + 1)

    return kernel


def _idle(simulation):
    from ecumene.api.policies import noop_actions

    return noop_actions(simulation.spec.groups, simulation.copies)
