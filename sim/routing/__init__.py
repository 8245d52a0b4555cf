"""Routing: one algorithm per file, each yields tables; `deadlock` checks tables of any algorithm."""
