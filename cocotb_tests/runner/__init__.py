"""Bench runner: builds a design with its bench, runs it, checks its report."""
