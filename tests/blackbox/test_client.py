"""The client of conftest.py itself: it must see what is malformed, or no other test here means anything."""
import socket

import pytest

from conftest import SANITIZER_REPORT, Client, Closed, Malformed

DATE = "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n"


@pytest.fixture
def answer():
    """answer(BYTES, head=False): what the client makes of these bytes and the close behind them."""

    def answer_(data, head=False):
        near, far = socket.socketpair()
        with far, Client(connected=near, timeout=1) as client:
            far.sendall(data.encode("latin-1"))
            far.shutdown(socket.SHUT_WR)
            return client.response(head)

    return answer_


def test_good(answer):
    plain = answer(f"HTTP/1.1 200 OK\r\n{DATE}Content-Length: 3\r\nX-A: b \t c \r\nX-Empty:\r\n\r\nabcdef")
    assert (plain.status, plain.reason, plain.text) == (200, "OK", "abc")
    assert (plain.field("x-a"), plain.field("X-Empty"), plain.field("X-B")) == ("b \t c", "", None)
    chunked = answer(f"HTTP/1.1 200 OK\r\n{DATE}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n")
    assert (chunked.text, chunked.chunks) == ("abc0123456789", [3, 10])
    assert answer(f"HTTP/1.1 200 OK\r\n{DATE}Connection: close\r\n\r\nto the end").text == "to the end"
    assert answer(f"HTTP/1.1 200 OK\r\n{DATE}Content-Length: 3\r\n\r\n", head=True).body == b""
    assert answer("HTTP/1.1 100 Continue\r\n\r\n").status == 100


@pytest.mark.parametrize("data", [
    f"HTTP/1.1 200 OK\n{DATE}Content-Length: 0\r\n\r\n",
    f"HTTP/1.1  200 OK\r\n{DATE}Content-Length: 0\r\n\r\n",
    f"HTTP/1.1 200\r\n{DATE}Content-Length: 0\r\n\r\n",
    f"HTTP/2.0 200 OK\r\n{DATE}Content-Length: 0\r\n\r\n",
    f"garbage HTTP/1.1 200 OK\r\n{DATE}Content-Length: 0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
    f"HTTP/1.1 200 OK\r\n{DATE}{DATE}Content-Length: 0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 0\r\n\r\n",
    f"HTTP/1.1 200 OK\r\n{DATE}Content-Length : 0\r\n\r\n",
    f"HTTP/1.1 200 OK\r\n{DATE}Content-Length: 0\r\n folded\r\n\r\n",
    f"HTTP/1.1 200 OK\r\n{DATE}X: \0\r\nContent-Length: 0\r\n\r\n",
    f"HTTP/1.1 200 OK\r\n{DATE}Content-Length: 0\r\nContent-Length: 0\r\n\r\n",
    f"HTTP/1.1 200 OK\r\n{DATE}Content-Length: +3\r\n\r\nabc",
    f"HTTP/1.1 200 OK\r\n{DATE}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    f"HTTP/1.0 200 OK\r\n{DATE}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    f"HTTP/1.1 200 OK\r\n{DATE}Transfer-Encoding: gzip\r\n\r\n",
    f"HTTP/1.1 200 OK\r\n{DATE}\r\nbody without framing",
    f"HTTP/1.1 204 No Content\r\n{DATE}Content-Length: 0\r\n\r\n",
    f"HTTP/1.1 200 OK\r\n{DATE}Transfer-Encoding: chunked\r\n\r\n3\nabc\r\n0\r\n\r\n",
    f"HTTP/1.1 200 OK\r\n{DATE}Transfer-Encoding: chunked\r\n\r\n0x3\r\nabc\r\n0\r\n\r\n",
    f"HTTP/1.1 200 OK\r\n{DATE}Transfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n0\r\n\r\n",
])
def test_malformed(answer, data):
    with pytest.raises(Malformed):
        answer(data)


@pytest.mark.parametrize("data", [
    "",
    "HTTP/1.1 200 O",
    f"HTTP/1.1 200 OK\r\n{DATE}Content-Length: 3\r\n",
    f"HTTP/1.1 200 OK\r\n{DATE}Content-Length: 3\r\n\r\nab",
    f"HTTP/1.1 200 OK\r\n{DATE}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
    f"HTTP/1.1 200 OK\r\n{DATE}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n",
])
def test_cut_short(answer, data):
    with pytest.raises(Closed):
        answer(data)


def test_close():
    near, far = socket.socketpair()
    with Client(connected=near) as client:
        assert not client.is_closed(0.01)
        far.sendall(b"x")
        with pytest.raises(Malformed):
            client.is_closed()
    near, far = socket.socketpair()
    with Client(connected=near) as client:
        far.close()
        assert client.is_closed()


@pytest.mark.parametrize("line", [
    "==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x1",
    "==1==ERROR: LeakSanitizer: detected memory leaks",
    "a.c:1:2: runtime error: signed integer overflow: 2147483647 + 1 cannot be represented in type 'int'",
    "WARNING: ThreadSanitizer: data race (pid=1)",
])
def test_sanitizer_reports_are_seen(line):
    assert SANITIZER_REPORT.search(f"listening on 127.0.0.1:1\n{line}\n")
