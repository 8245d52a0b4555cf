"""Covering array of switches: every allowed pair of levels of two parameters is in one (pairwise testing)."""
