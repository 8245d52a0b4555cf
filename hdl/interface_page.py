"""Page on the interface of one switch, Markdown: ports, layouts, credits, reset, a template of its instance.

Tables are made from the members and layouts that the RTL has. Plumbing: neither model nor bench.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

from hdl.bus.stream_rules import stream_rules
from hdl.instance_template import instance_template
from hdl.port_table import PortRow, port_rows
from hdl.register_table import register_rows, register_rules
from hdl.switch_module import SwitchModule
from models import formats
from models.params import SwitchParams
from models.register_map import RegisterMap, register_map


def interface_page(module: SwitchModule, name: str) -> str:
    """Return the page of a switch whose Verilog module is called `name`."""
    params, streams = module.params, module.streams
    rows = port_rows(module)
    sections = {
        f"Ports of {name}": f"{_neighbours(params)}\n{_ports(rows)}",
        "Layouts": "\n".join(_layouts(params, rows)),
    }
    if streams:
        sections["Streams"] = _paragraphs(*stream_rules(params, streams))
    if streams is None or streams.network:
        sections["Flow control"] = _flow_control(params)
    sections["Reset"] = _reset(params, module.table)
    if module.registers:
        found = register_map(params, table=module.table, streams=module.stream_count)
        sections["Registers"] = _registers(found)
    elif params.counter_width:
        counters = [(str(counter.value), f"`{counter.name.lower()}`") for counter in formats.Counter]
        sections["Counters"] = f"Values of `counter_number`:\n\n{_table(('number', 'counter'), counters)}"
    sections["Instance"] = f"```verilog\n{instance_template(name, rows)}```\n"
    return "\n".join(f"## {title}\n\n{text}" for title, text in sections.items())


def _registers(registers: RegisterMap) -> str:
    """Return the rules of registers, and their table."""
    heads = ("address", "register", "bits", "access", "reset", "meaning")
    return f"{_paragraphs(*register_rules(registers))}\n{_table(heads, register_rows(registers))}"


def layout_table(layout: formats.Layout) -> str:
    """Return the table of the fields of a layout."""
    rows, low = [], 0
    for field in layout:
        high = low + field.width - 1
        rows.append((bits(high, low), f"`{field.name}`", str(field.width), field.meaning))
        low = high + 1
    return _table(("bits", "field", "width", "meaning"), rows)


def bits(high: int, low: int) -> str:
    """Return a range of bits, as Verilog writes it."""
    return f"{high}:{low}" if high > low else str(low)


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of Markdown whose columns are aligned, to be read as text, too."""
    lines = [heads, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(heads))]
    lines.insert(1, ["-" * width for width in widths])
    cells = ([text.ljust(width) for text, width in zip(line, widths, strict=True)] for line in lines)
    return "".join(f"| {' | '.join(line)} |\n" for line in cells)


def _neighbours(params: SwitchParams) -> str:
    """Return what is at which port."""
    text = f"The switch has ports i = 0 to {params.ports - 1}."
    if params.crossbar is not None:
        text += f" Port i leads to the exchanger at place i of dimension {params.crossbar}."
    elif params.routing == "dimension_order":
        text += " Ports 2d and 2d + 1 lead to the neighbours in direction + and − of dimension d."
    elif params.routing == "hyper_crossbar":
        text += " Port d leads to the crossbar of dimension d."
    elif params.routing == "hypercube":
        text += " Port d leads to the switch that differs in coordinate d."
        if params.fold is not None:
            text += (
                f" Port {len(params.radix)} leads to the switch that differs in the coordinates of {params.fold:#b}."
            )
    elif params.routing == "hyperx":
        text += (
            " A dimension of k places has k − 1 ports, dimension 0 the lowest: port i of them leads to place i, or to "
            "i + 1 if i is not below the switch's own place."
        )
    elif params.routing == "dragonfly":
        first = params.radix[0] - 1
        text += (
            f" Port i below {first} leads to switch i of the group, or to i + 1 if i is not below the switch's own "
            f"number. Ports from {first} on lead to other groups ({params.arrangement})."
        )
    elif params.routing == "fat_tree":
        arity = params.radix[0]
        text += f" Ports below {arity} lead up, the others down, at level 0 to nodes."
    if params.first_local < params.ports:
        text += f" Ports from {params.first_local} on lead to nodes."
    return _paragraphs(text)


def _ports(rows: Sequence[PortRow]) -> str:
    """Return the table of ports."""
    cells = [
        (
            f"`{row.pattern}`",
            "input" if row.is_input else "output",
            str(row.width),
            ": ".join(filter(None, (row.place, row.meaning))),
            row.timing,
        )
        for row in rows
    ]
    return _table(("port", "direction", "width", "meaning", "timing"), cells)


def _layouts(params: SwitchParams, rows: Sequence[PortRow]) -> list[str]:
    """Return the layout of each word, of the tag and of the header flits."""
    carriers: dict[formats.Layout, list[str]] = {}
    for row in rows:
        if row.layout:
            carriers.setdefault(row.layout, []).append(f"`{row.pattern}`")
    parts = [f"{', '.join(ports)}:\n\n{layout_table(layout)}" for layout, ports in carriers.items()]
    parts.append(f"Destination tag:\n\n{layout_table(formats.tag(params))}")
    cells = [
        (str(number), bits(high - low, 0), bits(high, low)) for number, (high, low) in enumerate(formats.header(params))
    ]
    text = "Header, the first flits of a packet; bits of `data` above the tag are the user's, as are all other flits:"
    parts.append(f"{text}\n\n{_table(('flit', 'bits of data', 'bits of the tag'), cells)}")
    return parts


def _flow_control(params: SwitchParams) -> str:
    """Return the rules of credits and packets."""
    return _paragraphs(
        f"""
        Initial credits: {params.depth} for each of {params.vcs} VCs, in both directions of a link. The sender has them
        after reset. It spends one per flit, in the cycle of `valid`, and sends no flit without a credit of its VC.
        The receiver needs a buffer of {params.depth} flits for each VC, as it cannot refuse a flit. It returns one
        credit for each flit that leaves the buffer, with the number of its VC, at most one per cycle. More credits
        than flits are an error, which the switch does not check. The sender of `link_in_<i>` and the receiver of
        `link_out_<i>` are outside the switch: another switch or a node.
        """,
        """
        A packet is one or more flits on one VC; `tail` is 1 in its last flit. The next flit on that VC is a head.
        Packets on different VCs may alternate. A link carries at most one flit per cycle.
        """,
    )


def _reset(params: SwitchParams, table: bool) -> str:
    """Return the rules of reset."""
    parts = [
        """
        `rst` is synchronous and active high: one rising edge of `clk` with `rst` = 1 resets all state but memories.
        Flits, credits and words of streams in a cycle with `rst` = 1 are lost, so reset both ends together. Registers
        have the same values at power-up, where the technology has initial values.
        """
    ]
    if params.has_cache:
        parts.append(
            f"""
            After reset the route caches flush: `flushing` is 1 in the first {params.cache.sets} cycles with `rst` = 0.
            Packets may be sent from the first cycle on; all lookups miss until `flushing` is 0.
            """
        )
    if params.linear or (params.has_cam and table):
        parts.append(
            """
            The route table is a memory: empty at power-up, and a reset does not change it. Program it before packets
            are sent; packets to unknown destinations are dropped.
            """
        )
    return _paragraphs(*parts)


def _paragraphs(*texts: str) -> str:
    """Return paragraphs whose lines are filled."""
    return "\n\n".join(textwrap.fill(" ".join(text.split()), 116, break_on_hyphens=False) for text in texts) + "\n"
