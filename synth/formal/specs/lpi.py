"""Properties of low-power idle: exact duration of each phase, and exact time until a wanted link is active."""

from __future__ import annotations

from functools import partial

from amaranth.asserts import AnyConst, AnySeq
from amaranth.hdl import Mux, Signal, Value

from hdl.power.lpi import Lpi, LpiTimes, Phase
from hdl.switch import Switch
from models.params import NEVER_IDLE, TIME_BITS, LpiParams, SwitchParams
from synth.formal.proof import Proof
from synth.formal.property import Fault, Property


def _phases(proof: Proof, params: LpiParams) -> None:
    """Claim the phase in every cycle; the proof counts cycles up, the component counts them down."""
    m = proof.m
    inside = proof.inside(Lpi(params))
    link = inside.ports
    phase, timer = link.phase, inside.register("timer")
    # The expected phase, its total duration, and the cycles spent in it; in ACT, the cycles without a want.
    due = Signal(Phase, init=Phase.ACT)
    length = Signal(TIME_BITS, init=params.idle)
    done = Signal(TIME_BITS)
    wanted_in_sleep = Signal()
    over = Signal()
    endless = Signal()  # T_lt is "never"
    m.d.comb += [over.eq(done + 1 == length), endless.eq(length.all())]
    then = Signal(Phase)
    m.d.comb += then.eq(due)
    m.d.sync += done.eq(done + 1)
    with m.Switch(due):
        with m.Case(Phase.ACT):
            with m.If(link.wanted):
                m.d.sync += [done.eq(0), length.eq(_at_least_1(link.idle))]
            with m.Elif(endless):
                m.d.sync += done.eq(0)
            with m.Elif(over):
                m.d.comb += then.eq(Phase.SLEEP)
        with m.Case(Phase.SLEEP):
            m.d.sync += wanted_in_sleep.eq(wanted_in_sleep | link.wanted)
            with m.If(over):
                m.d.sync += wanted_in_sleep.eq(0)
                m.d.comb += then.eq(Mux(wanted_in_sleep | link.wanted, Phase.WAKE, Phase.LPI))
        with m.Case(Phase.LPI):
            with m.If(link.wanted):
                m.d.comb += then.eq(Phase.WAKE)
            with m.Elif(over if params.refresh_interval else 0):
                m.d.comb += then.eq(Phase.REFRESH)
        with m.Case(Phase.REFRESH):
            with m.If(link.wanted):
                m.d.comb += then.eq(Phase.WAKE)
            with m.Elif(over):
                m.d.comb += then.eq(Phase.LPI)
        with m.Case(Phase.WAKE), m.If(over):
            m.d.comb += then.eq(Phase.ACT)
    m.d.sync += due.eq(then)
    with m.If(then != due):
        m.d.sync += done.eq(0)
        with m.Switch(then):
            for begins, time in (
                (Phase.ACT, link.idle),
                (Phase.SLEEP, link.sleep),
                (Phase.LPI, Value.cast(params.refresh_interval)),
                (Phase.REFRESH, Value.cast(params.refresh)),
                (Phase.WAKE, link.wake),
            ):
                with m.Case(begins):
                    m.d.sync += length.eq(_at_least_1(time))

    proof.claim(phase == due)
    proof.claim(link.active == (phase == Phase.ACT))
    proof.claim(link.wakes == ((then == Phase.WAKE) & (phase != Phase.WAKE)))
    proof.invariant(Value.cast(due) <= Value.cast(Phase.ACT))
    proof.invariant(inside.register("pending") == wanted_in_sleep)
    proof.invariant(~wanted_in_sleep | (due == Phase.SLEEP))
    with m.If((due != Phase.LPI) | (params.refresh_interval > 0)):
        proof.invariant((done < length) & (_at_least_1(timer) == length - done))
    if not params.refresh_interval:
        proof.invariant(due != Phase.REFRESH)


def _at_least_1(time: Value) -> Value:
    return Mux(time == 0, 1, time)


def _never(proof: Proof, params: SwitchParams) -> None:
    """Claim that a link stays in ACT from a want on at which T_lt is all ones, until a want at which it is not.

    T_lt is the register, written at any time; and a write is seen there from the next cycle on, with all its bits.
    """
    m = proof.m
    times = proof.inside(LpiTimes(params), name="times").ports
    assert params.lpi is not None
    inside = proof.inside(Lpi(params.lpi), driven=["idle", "sleep", "wake"], name="link")
    link = inside.ports
    m.d.comb += [link.idle.eq(times.idle), link.sleep.eq(times.sleep), link.wake.eq(times.wake)]
    written = Signal(TIME_BITS, init=NEVER_IDLE)
    with m.If(times.write.valid & (times.write.payload.number == 0)):
        m.d.sync += written.eq(times.write.payload.cycles)
    never = Signal(init=1)
    with m.If(link.wanted & (link.phase == Phase.ACT)):
        m.d.sync += never.eq(written == NEVER_IDLE)
    proof.claim(times.idle == written)
    with m.If(never):
        proof.claim(link.active & (link.phase == Phase.ACT) & ~link.wakes)
        proof.invariant(inside.register("timer").all())


def _in_time(proof: Proof, params: LpiParams) -> None:
    """Claim when a link that is wanted once can carry flits; the three times have any values and stay the same."""
    m = proof.m
    inside = proof.inside(Lpi(params), driven=["idle", "sleep", "wake"])
    link = inside.ports
    times = {name: Signal(TIME_BITS, name=name) for name in ("idle", "sleep", "wake")}
    for name, time in times.items():
        m.d.comb += [time.eq(AnyConst(TIME_BITS)), getattr(link, name).eq(time)]
    sleep, wake = _at_least_1(times["sleep"]), _at_least_1(times["wake"])
    phase, timer = link.phase, inside.register("timer")

    # Cycles spent in the phase, and cycles until the link can carry flits if it is wanted in this cycle.
    gone = Signal(TIME_BITS)
    gone_before = Signal(TIME_BITS)
    phase_before = Signal(Phase, init=Phase.ACT)
    m.d.comb += gone.eq(Mux(phase == phase_before, gone_before, 0))
    m.d.sync += [phase_before.eq(phase), gone_before.eq(gone + 1)]
    wait = Signal(TIME_BITS + 1)
    with m.Switch(phase):
        with m.Case(Phase.SLEEP):
            m.d.comb += wait.eq(sleep - gone + wake)
            proof.invariant((gone < sleep) & (_at_least_1(timer) == sleep - gone))
        with m.Case(Phase.LPI, Phase.REFRESH):
            m.d.comb += wait.eq(1 + wake)
        with m.Case(Phase.WAKE):
            m.d.comb += wait.eq(wake - gone)
            proof.invariant((gone < wake) & (_at_least_1(timer) == wake - gone))

    # Mark any cycle with a want; it may be the only one.
    marked = Signal()
    left = Signal(TIME_BITS + 1)
    with m.If(marked):
        m.d.sync += [left.eq(left - 1), marked.eq(left > 0)]
    with m.Elif(link.wanted & ~link.active & AnySeq(1)):
        m.d.sync += [left.eq(wait - 1), marked.eq(1)]
    proof.invariant(Value.cast(phase) <= Value.cast(Phase.ACT))
    with m.If(marked):
        proof.claim(link.active == (left == 0))
        proof.invariant(left == wait)
        proof.invariant((phase == Phase.ACT) | (phase == Phase.WAKE) | inside.register("pending"))
        proof.invariant((phase != Phase.LPI) & (phase != Phase.REFRESH))


def _awake(proof: Proof, params: SwitchParams) -> None:
    """Claim that a flit on a link was sent while the link was active; within a switch with all its components."""
    inside = proof.inside(Switch(params))
    for o in range(params.ports):
        proof.invariant(inside.register("phase", f"lpi_{o}") <= Value.cast(Phase.ACT))
        active = Signal(name=f"active_{o}", init=1)
        proof.m.d.sync += active.eq(inside.register("phase", f"lpi_{o}") == Phase.ACT)
        with proof.m.If(inside.ports.link_out[o].flit.valid):
            proof.claim(active)


_FILE = "hdl/power/lpi.py"
_CLAIM = (
    "ACT ends with the T_lt-th cycle in a row without a want, never if T_lt is all ones; SLEEP lasts T_ls; refreshes "
    "begin and end on time; a want in SLEEP, LPI or REFRESH wakes the link; nothing shortens WAKE, which lasts T_lw; "
    "the link is active only in ACT (times that change in any cycle, {})"
)
_SWITCH = SwitchParams(
    ports=3, data_width=16, depth=2, routing="dimension_order", radix=(2,), counter_width=0,
    lpi=LpiParams(idle=1, sleep=1, wake=1),
)  # fmt: skip

PROPERTIES = [
    Property(
        "lpi: phases, with refresh",
        _CLAIM.format("refresh of 3 every 20"),
        partial(_phases, params=LpiParams(idle=3, refresh_interval=20, refresh=3)),
        Fault(_FILE, "with m.Case(Phase.WAKE), m.If(last):", "with m.Case(Phase.WAKE), m.If(last | self.wanted):"),
    ),
    Property(
        "lpi: phases, with long refresh",
        _CLAIM.format("refresh of 50,000 every 60,000"),
        partial(_phases, params=LpiParams(idle=3, refresh_interval=60_000, refresh=50_000)),
        Fault(_FILE, "with m.Case(Phase.WAKE), m.If(last):", "with m.Case(Phase.WAKE), m.If(last | self.wanted):"),
    ),
    Property(
        "lpi: phases, without refresh",
        _CLAIM.format("no refresh"),
        partial(_phases, params=LpiParams(idle=3)),
        Fault(_FILE, "m.d.sync += pending.eq(0)", "m.d.sync += pending.eq(self.wanted)"),
    ),
    Property(
        "lpi: never",
        "from a want on at which the register T_lt is all ones, a link is in ACT and never wakes up, until a want at "
        "which it is not; the register shows what was written last (written at any time)",
        partial(_never, params=SwitchParams(lpi=LpiParams(idle=NEVER_IDLE))),
        Fault(_FILE, "timer.eq(timer)", "timer.eq(timer >> 8 == 0)"),
    ),
    Property(
        "lpi: awake in time",
        "a link that is wanted, if only in one cycle, is active after exactly the rest of SLEEP and T_lw, or 1 + T_lw "
        "in LPI or REFRESH, or the rest of WAKE, and not before (any times, refresh of 3 every 20)",
        partial(_in_time, params=LpiParams(idle=3, refresh_interval=20, refresh=3)),
        Fault(_FILE, "self.wakes.eq(self.wanted | pending)", "self.wakes.eq(self.wanted)"),
    ),
    Property(
        "lpi: nothing is sent asleep",
        "every flit on a link was sent while the link was in ACT (switch of 3 ports, 2 VCs of 2, computed routes)",
        partial(_awake, params=_SWITCH),
        Fault("hdl/switch.py", "self._masked(output.has_credit, takes)", "output.has_credit"),
    ),
]
