"""BookSim2's topologies and routing functions: those that its router has here, and those that are left out."""

from __future__ import annotations

from models.booksim import iq_paths as paths

# Of each topology, its routing functions, and the fewest VCs of a type of packet that they need. Of networks of k^n
# routers and their nodes: "k", "nodes" stand for these numbers.
FUNCTIONS: dict[str, dict[str, tuple[int, int | str]]] = {
    "mesh": {
        "dor": (paths.DIM_ORDER, 1),
        "dim_order": (paths.DIM_ORDER, 1),
        "dim_order_ni": (paths.DIM_ORDER_NI, "nodes"),
        "dim_order_pni": (paths.DIM_ORDER_PNI, "k"),
        "xy_yx": (paths.XY_YX, 2),
        "adaptive_xy_yx": (paths.ADAPTIVE_XY_YX, 2),
        "romm": (paths.ROMM, 2),
        "romm_ni": (paths.ROMM_NI, "nodes"),
        "valiant": (paths.VALIANT, 2),
        "min_adapt": (paths.MIN_ADAPT, 2),
        "planar_adapt": (paths.PLANAR_ADAPT, 3),
    },
    "torus": {
        "dim_order": (paths.DIM_ORDER_TORUS, 2),
        "dim_order_ni": (paths.DIM_ORDER_NI_TORUS, "nodes"),
        "dim_order_bal": (paths.DIM_ORDER_BAL_TORUS, 2),
        "valiant": (paths.VALIANT_TORUS, 4),
        "min_adapt": (paths.MIN_ADAPT_TORUS, 4),
    },
    "cmesh": {
        "dor": (paths.DOR_CMESH, 1),
        "dor_no_express": (paths.DOR_NO_EXPRESS, 1),
        "xy_yx": (paths.XY_YX_CMESH, 2),
        "xy_yx_no_express": (paths.XY_YX_NO_EXPRESS, 2),
    },
    "flatfly": {
        "ran_min": (paths.RAN_MIN, 1),
        "xyyx": (paths.XYYX, 2),
        "adaptive_xyyx": (paths.ADAPTIVE_XYYX, 2),
        "valiant": (paths.VALIANT_FLATFLY, 2),
        "ugal": (paths.UGAL_FLATFLY, 2),
        "ugal_pni": (paths.UGAL_PNI, "2k"),
        "ugal_xyyx": (paths.UGAL_XYYX, 4),
    },
    "fattree": {"nca": (paths.NCA_FATTREE, 1), "anca": (paths.ANCA_FATTREE, 1)},
    "fly": {"dest_tag": (paths.DEST_TAG, 1)},
    "qtree": {"nca": (paths.NCA_QTREE, 1)},
    "tree4": {"nca": (paths.NCA_TREE4, 1), "anca": (paths.ANCA_TREE4, 1)},
    "dragonflynew": {"min": (paths.MIN_DRAGONFLY, 2), "ugal": (paths.UGAL_DRAGONFLY, 3)},
    "anynet": {"min": (paths.TABLE, 1)},
}

LEFT_OUT = ("chaos", "limited_adapt", "valiant_ni")  # BookSim2 has them, and they are refused
