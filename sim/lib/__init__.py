"""What every folder uses: registries, progress, checks of arrays, clocks, random numbers."""
