"""Requests: tests of some, statuses, errors of several, and persistent ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sim.mpi.comm import Comm
from sim.mpi.constants import ANY_SOURCE, ANY_TAG, PROC_NULL, UNDEFINED
from sim.mpi.datatype import DATATYPES
from sim.mpi.errors import ERROR_CLASSES, MpiError
from sim.mpi.persistent import Prequest
from sim.mpi.request import Request
from sim.mpi.status import Status
from tests.sim.mpi.programs import run


def test_testsome_returns_those_that_are_over() -> None:
    def program(comm: Comm) -> Any:
        if comm.rank:
            comm.compute(comm.rank * 20e-6)
            comm.send(10 * comm.rank, 0)
            return None
        requests = [comm.irecv(source=peer) for peer in (2, 1)]
        assert Request.testsome(requests) == ([], [])
        while not all(request.get_status() for request in requests):
            pass
        statuses: list[Status] = []
        assert Request.testsome(requests, statuses) == ([0, 1], [20, 10])
        assert [status.source for status in statuses] == [2, 1]
        return Request.testsome(requests), Request.testany(requests), Request.Waitany(requests)

    assert run(program, 3)[1][0] == ((None, None), (UNDEFINED, True, None), UNDEFINED)


def test_a_request_to_nobody_is_over_but_not_null() -> None:
    def program(comm: Comm) -> None:
        status = Status()
        for request in (comm.Irecv(np.zeros(1), PROC_NULL), comm.isend(1, PROC_NULL)):
            assert request
            assert request.get_status(status)
            request.Wait(status)
            assert (status.source, status.tag, status.count) == (PROC_NULL, ANY_TAG, 0)
            assert not request
            assert request == Request()
        status.Set_tag(3)
        assert Request().test(status) == (True, None)
        assert (status.source, status.tag) == (ANY_SOURCE, ANY_TAG)

    run(program, 1)


def test_errors_of_several_are_in_their_statuses() -> None:
    def program(comm: Comm) -> None:
        buffers = [np.zeros(1), np.zeros(2)]
        requests = [comm.Irecv(buffer, 0, tag) for tag, buffer in enumerate(buffers)]
        for tag in range(2):
            comm.Isend(np.full(2, 7.0), 0, tag)
        statuses = [Status()]
        with pytest.raises(MpiError, match="truncated") as caught:
            Request.Waitall(requests, statuses)
        assert caught.value.Get_error_class() == ERROR_CLASSES["ERR_IN_STATUS"]
        assert [each.Get_error() for each in statuses] == [ERROR_CLASSES["ERR_TRUNCATE"], 0]
        assert buffers[1].tolist() == [7.0, 7.0]

    run(program, 1)


def test_counts_of_a_status() -> None:
    def program(comm: Comm) -> None:
        status = Status()
        comm.Isend(np.zeros(3, "i4"), 0, 4)
        comm.probe(status=status)
        comm.Recv(np.zeros(3, "i4"))
        pair = DATATYPES["INT"].Create_contiguous(2)
        counts = [status.Get_count(kind) for kind in (DATATYPES["INT"], DATATYPES["DOUBLE"], pair)]
        assert counts == [3, UNDEFINED, UNDEFINED]
        assert (status.Get_count(), status.Get_elements(pair), status.tag) == (12, 3, 4)

    run(program, 1)


def test_persistent_requests_are_started_again() -> None:
    def program(comm: Comm) -> Any:
        sent, got, seen = np.zeros(1), np.zeros(1), []
        peer = 1 - comm.rank
        both = [comm.Recv_init(got, peer, 1), comm.Send_init(sent, peer, 1)]
        assert all(both)
        assert Request.testall(both)[0]  # inactive
        for turn in range(3):
            sent[0] = 10 * comm.rank + turn
            Prequest.Startall(both)
            with pytest.raises(MpiError, match="the request is active") as caught:
                both[0].Start()
            assert caught.value.Get_error_class() == ERROR_CLASSES["ERR_REQUEST"]
            Request.Waitall(both)
            seen.append(got[0])
        both[0].Free()
        assert [bool(each) for each in both] == [False, True]
        return seen

    assert run(program, 2)[1] == [[10.0, 11.0, 12.0], [0.0, 1.0, 2.0]]
