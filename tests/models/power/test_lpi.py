"""Low-power idle: where any link may matter, a visit advances all links of its switch, and none of another one."""

from models.params import LpiParams, SwitchParams
from models.power.lpi import lpi_begin, lpi_end
from models.power_up import new_state
from models.reset import reset_every

PORTS, SWITCHES = 3, 40


def test_a_visit_advances_all_links_of_its_switch_alone():
    lpi = LpiParams(idle=5, sleep=3, wake=4)
    st = new_state(SwitchParams(ports=PORTS, vcs=2, depth=2, output_buffer=1, lpi=lpi), SWITCHES)
    reset_every(st, SWITCHES)
    since = [0] * SWITCHES
    for switch, cycle, awake in ((0, 20, 0b000), (1, 5, 0b000), (2, 4, 0b111)):
        lpi_begin(st, switch, cycle)
        since[switch] = cycle
        assert st.link_power.since.tolist() == [[last] * PORTS for last in since]
        assert st.switch[switch].awake == awake, "they are active in cycles 0 to 4"
        lpi_end(st, switch, cycle, False)
        since[switch] = cycle + 1
        assert st.link_power.since.tolist() == [[last] * PORTS for last in since]
