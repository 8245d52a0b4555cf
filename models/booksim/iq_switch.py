"""Switch allocation: which input VCs send their first flit over the crossbar."""

from __future__ import annotations

from models.booksim.iq_channel import is_free, is_full, packet_of
from models.booksim.iq_claim import claimable, front, take_vc
from models.booksim.iq_depart import continues, depart, input_of
from models.booksim.iq_lists import put, take_first
from models.booksim.iq_matching import allocate_requests
from models.booksim.iq_requests import add_request, clear_requests, supersedes
from models.booksim.iq_state import ACTIVE, BEHIND, CLAIMING, NONE, Routers
from models.jit.compiled import compiled, compiled_noinline

STALLED = -2  # not even asked


@compiled
def output_is_full(st: Routers, channel: int) -> bool:
    """Return whether the buffer before a channel takes no further flit."""
    size = st.k.output_buffer_size
    return size >= 0 and st.waiting_at[channel, 1] >= size


@compiled_noinline
def allocate_switch(st: Routers, r: int) -> int:
    """Decide which input VCs get the crossbar, and enter its output in `result`; return how many asked."""
    a, k, count = st.switch, st.k, st.switching.length[r]
    outputs = k.ports * k.output_speedup
    for m in range(a.requests[0]):
        st.asked[a.inputs.number[m] * outputs + a.outputs.number[m]] = 0
    clear_requests(a)
    if not count:
        return 0
    for at in range(count):
        _ask(st, r, st.switching.item[r, at])
    allocate_requests(a, r, st.ports[r] * k.input_speedup, st.ports[r] * k.output_speedup)
    for at in range(count):
        number = st.switching.item[r, at]
        input_ = input_of(st, number)
        granted = a.inputs.matched[input_] != NONE and a.label_of[input_] == number % k.vcs
        if st.result[number] == STALLED or not granted:
            st.result[number] = NONE
            continue
        st.turn[r, input_] = (number % k.vcs + k.input_speedup) % k.vcs
        st.result[number] = a.inputs.matched[input_]
        if k.speculative and not _is_in_time(st, r, number, st.result[number] // k.output_speedup):
            st.result[number] = NONE
    return count


@compiled
def _ask(st: Routers, r: int, number: int) -> None:
    """Ask for the output of an input VC, or, speculatively, for all outputs to which its head may go."""
    vc = st.vc[r * st.k.ports * st.k.vcs + number]
    st.result[number] = NONE
    if vc.state == ACTIVE:
        channel = r * st.k.ports + vc.out
        if is_full(st, channel, vc.out_vc) or output_is_full(st, channel):
            st.result[number] = STALLED
        else:
            _request(st, r, number, vc.out, 0)
        return
    packet = st.packet[packet_of(front(st, r, number))]
    for route in range(packet.routes):
        if _has_vc(st, r, packet.out[route], packet.first_vc[route], packet.last_vc[route]):
            _request(st, r, number, packet.out[route], BEHIND)
        else:
            st.result[number] = STALLED


@compiled
def _has_vc(st: Routers, r: int, out: int, first: int, last: int) -> bool:
    """Return whether a head may ask speculatively: by default, whether a VC of the output is free and has a credit."""
    channel = r * st.k.ports + out
    free = credited = False
    if st.k.spec_check_elig and not output_is_full(st, channel):
        for vc in range(first, last + 1):
            if is_free(st, channel, vc):
                free = True
                credited |= not st.k.spec_check_cred or not is_full(st, channel, vc)
    return (free or not st.k.spec_check_elig) and (credited or not st.k.spec_check_cred)


@compiled
def _request(st: Routers, r: int, number: int, out: int, behind: int) -> None:
    """Enter the request of an input VC; of those of one input of the crossbar for one output, one counts."""
    k, a = st.k, st.switch
    input_ = input_of(st, number)
    output = out * k.output_speedup + number // k.vcs % k.output_speedup
    if st.held_in[r, input_] != NONE or st.held_out[r, output] != NONE:
        return
    vc = number % k.vcs
    priority = st.packet[packet_of(front(st, r, number))].priority + behind
    slot = input_ * k.ports * k.output_speedup + output
    m = st.asked[slot] - 1
    if m < 0:
        add_request(a, input_, output, vc, priority, priority)
        st.asked[slot] = a.requests[0]
    elif supersedes(vc, priority, a.label[m], a.inputs.priority[m], st.turn[r, input_], k.vcs):
        a.label[m] = vc
        a.inputs.priority[m] = priority
        a.outputs.priority[m] = priority


@compiled
def _is_in_time(st: Routers, r: int, number: int, out: int) -> bool:
    """Return whether a grant finds a VC with a credit: that of an input VC, or the one that its head gets now."""
    vc, channel = st.vc[r * st.k.ports * st.k.vcs + number], r * st.k.ports + out
    if vc.state != CLAIMING:
        return not is_full(st, channel, vc.out_vc)
    if st.k.piggyback:
        return claimable(st, r, number, out) != NONE
    claimed = st.claimed[number]
    return claimed != NONE and claimed // st.k.vcs == out and not is_full(st, channel, claimed % st.k.vcs)


@compiled_noinline
def send_granted(st: Routers, r: int, count: int, cycle: int) -> None:
    """Send the flits of the first `count` input VCs that `allocate_switch` chose; the others ask again."""
    take_first(st, st.switching, r, count)
    for at in range(count):
        number = st.kept[at]
        output = st.result[number]
        if output == NONE or not _owns_vc(st, r, number, output // st.k.output_speedup):
            put(st.switching, r, number)
            continue
        depart(st, r, number, output, cycle)
        if not continues(st, r, number):
            continue
        if st.k.hold_switch_for_packet:
            hold(st, r, number, output)
        else:
            put(st.switching, r, number)


@compiled
def _owns_vc(st: Routers, r: int, number: int, out: int) -> bool:
    """Return whether an input VC owns a VC of the output, which a head of "piggyback" gets now."""
    if st.vc[r * st.k.ports * st.k.vcs + number].state == ACTIVE:
        return True
    claimed = claimable(st, r, number, out)
    if claimed == NONE:
        return False
    traffic = st.packet[packet_of(front(st, r, number))].traffic
    st.turn_of_output[r * st.k.ports + out, traffic] = (claimed + 1) % st.k.vcs
    take_vc(st, r, number, out, claimed)
    return True


@compiled
def hold(st: Routers, r: int, number: int, output: int) -> None:
    """Keep the connection of an input VC for the rest of its packet."""
    input_ = input_of(st, number)
    st.held_vc[r, input_] = number % st.k.vcs
    st.held_in[r, input_] = output
    st.held_out[r, output] = input_
    put(st.holding, r, number)


@compiled_noinline
def check_held(st: Routers, r: int) -> int:
    """Enter in `result` which held connections can be used; return how many input VCs hold one."""
    count = st.holding.length[r]
    for at in range(count):
        number = st.holding.item[r, at]
        vc = st.vc[r * st.k.ports * st.k.vcs + number]
        full = is_full(st, r * st.k.ports + vc.out, vc.out_vc)
        st.result[number] = STALLED if full else st.held_in[r, input_of(st, number)]
    return count


@compiled_noinline
def send_held(st: Routers, r: int, count: int, cycle: int) -> None:
    """Send the flits of the first `count` input VCs that hold a connection; without a flit or a credit it ends."""
    take_first(st, st.holding, r, count)
    for at in range(count):
        number = st.kept[at]
        input_, output = input_of(st, number), st.result[number]
        if output >= 0 and not output_is_full(st, r * st.k.ports + output // st.k.output_speedup):
            depart(st, r, number, output, cycle)
            if continues(st, r, number):
                put(st.holding, r, number)
            else:
                _release(st, r, input_)
        else:
            _release(st, r, input_)
            put(st.switching, r, number)


@compiled
def _release(st: Routers, r: int, input_: int) -> None:
    st.held_out[r, st.held_in[r, input_]] = NONE
    st.held_in[r, input_] = NONE
    st.held_vc[r, input_] = NONE
