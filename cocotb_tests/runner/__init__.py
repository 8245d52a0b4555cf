"""Builds a design into its bench, runs it, and checks what it reports."""
