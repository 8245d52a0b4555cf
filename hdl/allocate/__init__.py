"""VA and SA: output VCs and crossbar slots."""
