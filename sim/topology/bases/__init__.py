"""Two hypercubes on the same nodes (paper D): graph metrics, cables, costs, and the search for the second basis."""
