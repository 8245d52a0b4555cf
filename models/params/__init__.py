"""Parameters of a switch, its components and its planes, each checked once."""

from models.params.parts import (
    MAX_CONTEXT_BITS,
    NEVER_IDLE,
    TIME_BITS,
    AdaptiveParams,
    CacheParams,
    CamParams,
    LinkParams,
    LpiParams,
    Params,
    PredictionParams,
    hint_hops,
    index_width,
)
from models.params.planes import PlaneParams
from models.params.switch import SwitchParams

__all__ = [
    "MAX_CONTEXT_BITS",
    "NEVER_IDLE",
    "TIME_BITS",
    "AdaptiveParams",
    "CacheParams",
    "CamParams",
    "LinkParams",
    "LpiParams",
    "Params",
    "PlaneParams",
    "PredictionParams",
    "SwitchParams",
    "hint_hops",
    "index_width",
]
