"""Faults in batched switches must show: comparison with a single switch, with random neighbours."""

import pytest

from cocotb_tests.cases.tiers import tiered
from cocotb_tests.mutation.python_fault import Fault, faulty_copy, one_a_file
from synth.mutated import run_in

VC_STAGE = 'allocator="output_first", vc_stage=True, hold_packets=False, head_delay=1'
ONE_STEP = 'allocator="input_first", head_delay=1'
SLEEPING_LINKS = 'allocator="input_first", lpi=LpiParams(idle=5, sleep=3, wake=4)'
CUT_THROUGH = 'allocator="input_first", buffering="dynamic", max_packet=depth // 2 + 1'
STATIC = 'allocator="input_first", buffering="static", max_packet=depth, arbiter="matrix"'
CHOOSES = 'allocator="input_first", adaptive=AdaptiveParams(selection="credits", escape_vcs=2)'
BUFFERS = 'allocator="input_first", speedup=3, output_buffer=2'
PROGRAM = """
import numpy as np
from cocotb_tests.soak.stimulus import Stimulus
from models.params import AdaptiveParams, LpiParams, SwitchParams

shown, flits = False, 0
for depth in 1, 3:
    params = SwitchParams(
        ports=3, vcs=4, depth=depth, routing="dimension_order", radix=(5,), wrap=True,
        {steps},
    )
    runs = []
    for batched in False, True:
        try:
            with np.errstate(over="ignore"):
                runs.append(Stimulus(params, 7, reset_odds=1 << 16, position=(2,), batched=batched).block(1500))
        except (AssertionError, IndexError, ValueError) as error:  # a place, or a bit, that there is not
            assert batched, error
            shown = True
            break
        flits += int(runs[0][2][:, :, 0].sum())
    else:
        shown |= not all(np.array_equal(*pair) for pair in zip(*runs))
    if shown:
        break
print(shown, flits)
"""
BATCHED = "models.batched."
FAULTS = {
    "none": None,
    "an output's order advances without a taken grant": Fault(
        BATCHED + "matching.advance_outputs", ".taken", "read instead", "granted"
    ),
    "without a taken grant the order is reset": Fault("models.allocate.arbiter.orders_after", "|", "keep right"),
    "an output is granted again to those before its turn": Fault(
        BATCHED + "matching.grant_outputs", "|", "keep right", which=(1, 3)
    ),
    "an output is granted to all before its turn": Fault(
        BATCHED + "matching.grant_outputs", "|", "keep left", which=(3, 3)
    ),
    "the drain port is granted to one": Fault(BATCHED + "matching.grant_outputs", "&", "keep left", which=(1, 2)),
    "a port's order of outputs stays": Fault(
        BATCHED + "matching._accept", "order_after()", "replace by argument", 1, which=(1, 2)
    ),
    "a port's order of VCs stays": Fault(
        BATCHED + "matching._accept", "order_after()", "replace by argument", 1, which=(2, 2)
    ),
    "without a credit they go on": Fault(BATCHED + "matching._ready", "&", "keep left"),
    "a credit wakes nobody": Fault(BATCHED + "output_unit._block_owners", "-", "keep left"),
    "no batch is due for a credit": Fault(
        BATCHED + "output_unit.batch_spend_and_credit", "movemask()", "replace by constant", 0, which=(3, 3)
    ),
    "a head that claims a VC without a credit is not blocked": Fault(
        BATCHED + "vc_sets.batch_on_vc_allocated", "-", "replace by constant", 0
    ),
    "credits that arrive as one is spent are lost": Fault(
        BATCHED + "output_unit.batch_spend_and_credit", "&", "replace by constant", 0, which=(1, 6)
    ),
    "the carry of a credit is lost": Fault(
        BATCHED + "output_unit.batch_spend_and_credit", "&", "replace by constant", 0, which=(3, 6)
    ),
    "a packet keeps its granted output": Fault(BATCHED + "release._end_at_input", "&", "keep left", which=(4, 4)),
    "a packet keeps its output VC": Fault(BATCHED + "release._end_at_output", "free_vcs()", "replace by argument", 0),
    "a route queue does not advance": Fault(BATCHED + "route_queue.batch_release", "blend()", "replace by argument", 2),
    "the packet behind another stays there": Fault(BATCHED + "release._end_at_input", "|", "swap operator", "&"),
    "a head is at the front at once": Fault(
        "models.route.route_queue.write_at", "==", "replace by constant", True, which=(1, 3)
    ),
    "a flit overwrites the last": Fault(BATCHED + "vc_buffer.batch_take_and_put", "~", "drop operator", which=(2, 2)),
    "tails do not move up": Fault(
        BATCHED + "vc_buffer.batch_take_and_put", "blend()", "replace by argument", 2, which=(2, 2)
    ),
    "only the first level of a buffer is updated": Fault(
        BATCHED + "vc_buffer.batch_take_and_put", "movemask()", "replace by constant", 0
    ),
    "packets have no tail": Fault(BATCHED + "matching._leave", "spread()", "replace by constant", 0, which=(3, 4)),
    "packets that end are not counted": Fault(
        BATCHED + "counters.batch_count_out", "_count()", "drop statement", which=(1, 2)
    ),
    "entries of a list have a wrong port": Fault(
        BATCHED + "lane_lists.list_more", "fill_bytes()", "set argument", (2, 0)
    ),
    "a list has only the last port": Fault(
        BATCHED + "release.batch_end_packets", "for", "initialise in loop", which=(1, 2)
    ),
    "blocked heads are never woken": Fault(BATCHED + "release._want", "wake_blocked_heads()", "drop statement"),
    "a losing head does not request again": Fault(BATCHED + "vc_stage._claim_chain", "head_asks()", "drop statement"),
    "the last head that requests a VC gets it": Fault(
        BATCHED + "vc_stage.batch_vcs_choose", "if else", "set condition", False
    ),
    "a reset leaves heads in the wheel": Fault(
        BATCHED + "head_delay.batched_head_delay_reset", "=", "drop statement", which=(4, 4)
    ),
}
ALLOCATOR = BATCHED + "switch_allocator."
OF_ONE_STEP = {
    "none, one step": None,
    "a flit that is drained needs a VC": Fault(
        ALLOCATOR + "_open_behind", "nonzero_mask()", "replace by constant", 0, which=(1, 2)
    ),
    "an empty VC is ready": Fault(ALLOCATOR + "_ready", "&", "keep left", which=(11, 11)),
    "a body is a head where another VC has one": Fault(ALLOCATOR + "_ready", "&", "keep left", which=(1, 11)),
    "a head may take any VC": Fault(ALLOCATOR + "_ready", "&", "keep left", which=(2, 11)),
    "a held connection does not come first": Fault(
        ALLOCATOR + "_select", "connected_first()", "replace by argument", 0
    ),
    "a head's VCs are all that its route allows": Fault(ALLOCATOR + "_select", "&", "keep left", which=(4, 5)),
    "an input port's order of VCs stays": Fault(ALLOCATOR + "_advance", "order_after()", "replace by argument", 1),
    "a head remains a head": Fault(ALLOCATOR + "_leave", "&", "keep left", which=(5, 12)),
    "a drained packet holds its output": Fault(ALLOCATOR + "_leave", "|", "keep left", which=(3, 3)),
    "a tail holds its output": Fault(ALLOCATOR + "_leave", "|", "keep right", which=(3, 3)),
    "a packet does not keep its VC": Fault(ALLOCATOR + "_claim", "blend()", "replace by argument", 2),
    "heads always take the lowest VC": Fault(ALLOCATOR + "_claim", "|", "keep left"),
    "a VC that a head claimed stays free": Fault(ALLOCATOR + "_own", "free_vcs()", "replace by argument", 0),
    "the order of an output's VCs stays": Fault(ALLOCATOR + "_own", "order_after()", "replace by argument", 1),
    "no output is held": Fault(ALLOCATOR + "_hold", "|", "keep left"),
    "an output stays held where nothing is asked for": Fault(
        ALLOCATOR + "allocate_batch", "outputs_put()", "drop statement"
    ),
    "a delay never ends": Fault(BATCHED + "head_delay.end_head_delays", "_begin()", "drop statement"),
}
OF_SLEEPING_LINKS = {
    "none, low-power idle": None,
    "a link that sleeps can be used": Fault(ALLOCATOR + "_ready", "&", "keep left", which=(3, 11)),
    "a link that is wanted never wakes": Fault(BATCHED + "lpi._activate", "|=", "drop statement"),
    "a link wakes before its time": Fault("models.power.lpi.active_from", "+=", "drop statement", which=(2, 3)),
    "a link that falls asleep wakes at once": Fault(
        "models.power.lpi.active_from", "+=", "drop statement", which=(1, 3)
    ),
    "a link that is wanted is not active at once": Fault(BATCHED + "lpi._change", "=", "drop statement", which=(7, 7)),
}
OF_CUT_THROUGH = {
    "none, cut-through": None,
    "a head needs one credit": Fault(ALLOCATOR + "_open_behind", "blend()", "replace by argument", 2),
    "a body needs as many credits as a head": Fault(ALLOCATOR + "_open_behind", "blend()", "replace by argument", 1),
    "more credits than a head needs are none": Fault(
        BATCHED + "output_unit._with_credits", "|", "keep right", which=(2, 2)
    ),
    "credits are enough without the highest bit": Fault(
        BATCHED + "output_unit._with_credits", "&", "keep left", which=(2, 4)
    ),
}
MATRIX = BATCHED + "arbiter."
OF_STATIC = {
    "none, static buffering and matrix arbiters": None,
    "who was refused goes on": Fault(ALLOCATOR + "_ready", "&", "keep left", which=(9, 11)),
    "a packet is whole without its tail": Fault(BATCHED + "vc_buffer.batch_waits_for_rest", "~", "drop operator"),
    "a packet that fills its buffer is not whole": Fault(
        BATCHED + "vc_buffer.batch_waits_for_rest", "load_vector()", "replace by constant", 0, which=(1, 3)
    ),
    "a head that was refused may leave": Fault(BATCHED + "vc_buffer.batch_refuse", "|", "keep left", which=(1, 2)),
    "a head that leaves was refused": Fault(BATCHED + "vc_buffer.batch_refuse", "&", "keep left", which=(2, 2)),
    "where no port sends nobody is refused": Fault(ALLOCATOR + "_stay", "batch_refuse()", "drop statement"),
    "the matrix of VCs stays": Fault(MATRIX + "matrix_after", "row_after()", "replace by argument", 0),
    "the matrix of input ports stays": Fault(
        MATRIX + "advance_input_matrix", "orders_after()", "replace by argument", 0
    ),
    "both ports of a pair have priority": Fault(MATRIX + "_prior", "~", "drop operator"),
    "the drain port is granted to one, by a matrix": Fault(MATRIX + "grant_by_matrix", "&", "keep left", which=(3, 3)),
}
OF_MATRIX = {
    "none, matrix arbiters": None,
    "the matrix of outputs stays": Fault(MATRIX + "matrix_after", "row_after()", "replace by argument", 0),
    "a port accepts any output": Fault(MATRIX + "first_by_matrix", "row_wins()", "replace by argument", 0),
}
OF_ADAPTIVE = {
    "none, adaptive": None,
    "a head that has left still chooses": Fault(ALLOCATOR + "_leave", "~", "drop operator", which=(2, 3)),
    "no batch is due for a choice": Fault(BATCHED + "adaptive.batch_install", "=", "drop statement", which=(4, 4)),
    "a head asks for what it chose first": Fault(
        BATCHED + "adaptive.batch_install", "batch_head_asks()", "drop statement"
    ),
    "a packet to be dropped is never drained": Fault(
        BATCHED + "adaptive.batch_install", "batch_drain()", "drop statement"
    ),
    "a head chooses by the free VCs of long ago": Fault(
        BATCHED + "output_unit.show_output", "=", "drop statement", which=(2, 4)
    ),
    "a head chooses by the credits of long ago": Fault(
        BATCHED + "output_unit.show_output", "=", "drop statement", which=(4, 4)
    ),
    "an adaptive VC needs one credit": Fault(BATCHED + "output_unit._with_enough", "blend()", "replace by argument", 1),
    "an escape VC needs all credits": Fault(BATCHED + "output_unit._with_enough", "blend()", "replace by argument", 2),
}
OF_BUFFERS = {
    "none, output buffers": None,
    "a flit goes into a full buffer": Fault(ALLOCATOR + "_ready", "&", "keep left", which=(5, 11)),
    "no buffer is filled": Fault(BATCHED + "output_buffer.batch_depart", "depart()", "drop statement"),
    "a buffer is not looked at": Fault(BATCHED + "output_buffer.batch_depart", "set_outputs()", "drop statement"),
    "a full buffer stays full": Fault(
        BATCHED + "output_buffer.batch_full_outputs", "set_outputs()", "drop statement", which=(2, 2)
    ),
}
FAULTS |= OF_BUFFERS | OF_ADAPTIVE | OF_ONE_STEP | OF_SLEEPING_LINKS | OF_CUT_THROUGH | OF_STATIC | OF_MATRIX
STEPS = {
    ONE_STEP: OF_ONE_STEP,
    SLEEPING_LINKS: OF_SLEEPING_LINKS,
    CUT_THROUGH: OF_CUT_THROUGH,
    STATIC: OF_STATIC,
    CHOOSES: OF_ADAPTIVE,
    BUFFERS: OF_BUFFERS,
    VC_STAGE + ', arbiter="matrix"': OF_MATRIX,
}


def test_every_fault_follows_its_source():
    for fault in filter(None, FAULTS.values()):
        fault.source()


@pytest.mark.parametrize("name", tiered(FAULTS, one_a_file(FAULTS)))  # `make faults` takes all
def test_a_fault_shows(name, monkeypatch):
    """Runs as plain Python, in which functions are looked up by name; one run without a fault, for comparison."""
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    with faulty_copy(FAULTS[name]) as folder:
        steps = next((steps for steps, faults in STEPS.items() if name in faults), VC_STAGE)
        told = run_in(folder, name, ["-c", PROGRAM.replace("{steps}", steps)])
    if FAULTS[name] is None:
        assert told.startswith("False")
        assert int(told.split()[1]) > 300
    else:
        assert told.startswith("True"), f"{FAULTS[name]} went unnoticed"
