"""Names of figures of workloads, as tables, pictures and objects show them; files call the ratio `slow_down`."""

SLOW_DOWN = "run time ÷ ideal"
IDEAL = "ideal: no contention, mean distance"
