"""Low-power idle of an output link (IEEE 802.3az; Abe et al.: paper B, section 2; microarchitecture.md, section 10)."""

from __future__ import annotations

from amaranth.hdl import Module, Signal
from amaranth.lib import enum, wiring
from amaranth.lib.wiring import In, Out

from hdl import formats
from models.params import TIME_BITS, LpiParams, SwitchParams


class Phase(enum.Enum, shape=3):  # type: ignore[call-arg]  # Amaranth gives enumerations a shape
    """State of a link; bit 2 is 1 if it can carry flits."""

    SLEEP = 0
    LPI = 1
    REFRESH = 2
    WAKE = 3
    ACT = 4


class Lpi(wiring.Component):
    """Puts a link to sleep after `idle` cycles without a want, and wakes it at the next want.

    Parameters
    ----------
    params : LpiParams

    Ports
    -----
    wanted : In(1)
        A buffered flit whose route is ready, or a hint, wants the link.
    idle, sleep, wake : In(TIME_BITS)
        T_lt, T_ls, T_lw in cycles; 0 counts as 1, and an `idle` of all ones is infinite. Each is read when its phase
        begins.
    phase : Out(Phase)
        Register.
    active : Out(1)
        Register: flits may be sent.
    wakes : Out(1)
        The link enters WAKE at the end of this cycle.
    """

    def __init__(self, params: LpiParams) -> None:
        self._params = params
        super().__init__(
            {
                "wanted": In(1),
                "idle": In(TIME_BITS),
                "sleep": In(TIME_BITS),
                "wake": In(TIME_BITS),
                "phase": Out(Phase, init=Phase.ACT),
                "active": Out(1, init=1),
                "wakes": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Build the phase register and the timer, which counts down the rest of the phase."""
        m = Module()
        params = self._params
        timer = Signal(TIME_BITS, init=params.idle)
        last = Signal()
        pending = Signal()
        m.d.comb += last.eq(~timer[1:].any())
        m.d.comb += self.active.eq(self.phase.as_value()[2])
        m.d.sync += timer.eq(timer - 1)
        with m.Switch(self.phase):
            with m.Case(Phase.ACT):
                with m.If(self.wanted):
                    m.d.sync += timer.eq(self.idle)
                # All ones means never; no other time counts down to this value.
                with m.Elif(timer.all()):
                    m.d.sync += timer.eq(timer)
                with m.Elif(last):
                    m.d.sync += self.phase.eq(Phase.SLEEP)
                    m.d.sync += timer.eq(self.sleep)
            with m.Case(Phase.SLEEP):
                with m.If(self.wanted):
                    m.d.sync += pending.eq(1)
                with m.If(last):
                    m.d.sync += pending.eq(0)
                    m.d.sync += self.phase.eq(Phase.LPI)
                    m.d.sync += timer.eq(params.refresh_interval)
                    m.d.comb += self.wakes.eq(self.wanted | pending)
            with m.Case(Phase.LPI):
                m.d.comb += self.wakes.eq(self.wanted)
                if params.refresh_interval:
                    with m.If(last):
                        m.d.sync += self.phase.eq(Phase.REFRESH)
                        m.d.sync += timer.eq(params.refresh)
            with m.Case(Phase.REFRESH):
                m.d.comb += self.wakes.eq(self.wanted)
                with m.If(last):
                    m.d.sync += self.phase.eq(Phase.LPI)
                    m.d.sync += timer.eq(params.refresh_interval)
            with m.Case(Phase.WAKE), m.If(last):
                m.d.sync += self.phase.eq(Phase.ACT)
                m.d.sync += timer.eq(self.idle)
        with m.If(self.wakes):
            m.d.sync += self.phase.eq(Phase.WAKE)
            m.d.sync += timer.eq(self.wake)
        return m


class LpiTimes(wiring.Component):
    """Time registers of low-power idle, one set per switch.

    Parameters
    ----------
    params : SwitchParams
        With `lpi`.

    Ports
    -----
    write : In(ValidSignature(lpi_time))
        New value of one register, seen from the next cycle on.
    idle, sleep, wake : Out(TIME_BITS)
        Registers.
    """

    def __init__(self, params: SwitchParams) -> None:
        if params.lpi is None:
            raise ValueError("lpi is not set: LpiTimes needs it")
        self._params = params.lpi
        super().__init__(
            {
                "write": In(formats.ValidSignature(formats.lpi_time(params))),
                "idle": Out(TIME_BITS, init=params.lpi.idle),
                "sleep": Out(TIME_BITS, init=params.lpi.sleep),
                "wake": Out(TIME_BITS, init=params.lpi.wake),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Build three registers."""
        m = Module()
        for number, register in enumerate((self.idle, self.sleep, self.wake)):
            with m.If(self.write.valid & (self.write.payload.number == number)):
                m.d.sync += register.eq(self.write.payload.cycles)
        return m
