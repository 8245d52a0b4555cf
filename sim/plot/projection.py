"""Projection of a network in space onto the paper, with its depth."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sim.plot.topology_places import Places

TURN, TILT = np.deg2rad(-57.0), np.deg2rad(24.0)  # direction of the eye, from the x axis and above the floor
WIDTH = 0.1  # width of a link, relative to the least distance of two switches
RADIUS = 0.17  # radius of a switch
CORNERS = 14  # corners of the polygon that stands for a circle


class View(NamedTuple):
    """A viewing direction.

    Attributes
    ----------
    right, up, towards : array [3]
        Axes of the paper, in space; `towards` points to the eye.
    """

    right: Places
    up: Places
    towards: Places

    def on_paper(self, points: Places) -> Places:
        """Return points [..., 3], projected onto the paper [..., 2]."""
        return np.stack((points @ self.right, points @ self.up), axis=-1)


FROM_ABOVE = View(np.array((1.0, 0, 0)), np.array((0, 1.0, 0)), np.array((0, 0, 1.0)))
ASLANT = View(
    np.array((-np.sin(TURN), np.cos(TURN), 0.0)),
    np.array((-np.sin(TILT) * np.cos(TURN), -np.sin(TILT) * np.sin(TURN), np.cos(TILT))),
    np.array((np.cos(TILT) * np.cos(TURN), np.cos(TILT) * np.sin(TURN), np.sin(TILT))),
)


def view_of(place: Places) -> View:
    """Return the view of switches: from above if they lie flat."""
    return FROM_ABOVE if np.ptp(place[:, 2]) < 1e-9 else ASLANT


def ribbons(ends: Places, view: View) -> Places:
    """Return segments [M, 2, 3] as strips [M, 4, 2]."""
    start, end = view.on_paper(ends[:, 0]), view.on_paper(ends[:, 1])
    along = end - start
    length = np.maximum(np.hypot(*along.T), 1e-9)[:, None]
    aside = WIDTH / 2 * np.column_stack((-along[:, 1], along[:, 0])) / length
    return np.stack((start + aside, end + aside, end - aside, start - aside), axis=1)


def discs(place: Places, view: View) -> Places:
    """Return switches [S, 3] as polygons that stand for circles [S, CORNERS, 2]."""
    angle = 2 * np.pi * np.arange(CORNERS) / CORNERS
    circle = RADIUS * np.column_stack((np.cos(angle), np.sin(angle)))
    return view.on_paper(place)[:, None] + circle
