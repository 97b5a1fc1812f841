"""Every timeout: what the client gets, never early and at most a second late; and what does not run out."""
import itertools
import signal
import socket
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from conftest import SCALE, Client
from support import Stopwatch, chunked, handlers, head, is_reset, post, wait_until

HEADER, BODY, WRITE, IDLE, HANDLER, DRAIN, LINGER = 0.3, 0.4, 0.5, 0.6, 0.4, 0.7, 0.3

SPEC = """
hardwire: 1
name: waits
sources: [waits.c]
listen: {address: 127.0.0.1, port: 0}
threads: {io: 1, workers: 4}
buffers: {size: 4KiB, count: 32}
limits: {connections: 100, header_size: 4KiB, body_size: 1MiB, memory_size: 64MiB}
timeouts: {header: 300ms, body: 400ms, write: 500ms, idle: 600ms, handler: 400ms, drain: 700ms, linger: 300ms}
routes:
  GET /hello: {text: hello}
  POST /discard: {handler: count, body: {mode: discard}}
  POST /memory: {handler: count, body: {mode: memory}}
  POST /stream: {handler: pieces, body: {mode: stream}}
  POST /worker/stream: {handler: pieces, body: {mode: stream}, run: worker}
  POST /patient/discard: {handler: count, body: {mode: discard}, timeouts: {body: 900ms}}
  GET /large: large
  GET /patient/large: {handler: large, timeouts: {write: 1200ms}}
  GET /large/stream: {handler: large_stream, run: worker}
  GET /slow/{ms}: {handler: slow, run: worker, params: {ms: {type: u32, max: 10000}}}
  GET /patient/slow/{ms}: {handler: slow, run: worker, params: {ms: {type: u32, max: 10000}}, timeouts: {handler: 900ms}}
  GET /slow/stream/{ms}: {handler: slow_stream, run: worker, params: {ms: {type: u32, max: 10000}}}
  GET /suspended: suspended
  GET /states: get_states
  GET /releases: get_releases
  GET /cancelled: get_cancelled
  GET /running: get_running
"""


@pytest.fixture
def waits(server):
    with server(SPEC, handlers("waits")) as running:
        yield running


def number(server, name):
    return int(server.request("GET", f"/{name}").text)


def trickle(client, data, interval=0.05):
    """Sends one byte after the other until something comes back."""
    for byte in data:
        client.send(bytes([byte]))
        client.socket.settimeout(interval)
        try:
            client.socket.recv(1, socket.MSG_PEEK)
            return
        except TimeoutError:
            pass
    raise AssertionError("nothing came back")


def refused(client, status):
    answer = client.response()
    assert (answer.status, answer.field("Connection")) == (status, "close")
    return answer


# ---- header

def test_header_silent(waits):
    """Nothing was sent: there is nothing to answer."""
    watch = Stopwatch()
    with waits.client() as client:
        assert client.is_closed()
    watch.check(HEADER)


@pytest.mark.parametrize("size", [1, 20, 1000, 2500])
def test_header_begun(waits, size):
    watch = Stopwatch()
    with waits.client() as client:
        client.send(head("GET", "/hello", "X: " + "x" * 4000)[:size])
        refused(client, 408)
        watch.check(HEADER)
        assert client.is_closed()


def test_header_trickled(waits):
    """Bytes that come do not make it longer."""
    watch = Stopwatch()
    with waits.client() as client:
        trickle(client, head("GET", "/hello", "X: " + "x" * 1000))
        refused(client, 408)
    watch.check(HEADER)


def test_header_of_the_second_request(waits):
    """From its first byte, not from the answer before."""
    with waits.client() as client:
        assert client.request("GET", "/hello").status == 200
        time.sleep(IDLE / 2)
        watch = Stopwatch()
        client.send("GET /")
        refused(client, 408)
    watch.check(HEADER)


def test_header_behind_a_good_request(waits):
    with waits.client() as client:
        watch = Stopwatch()
        client.send(head("GET", "/hello") + b"GET /")
        assert client.response().text == "hello"
        refused(client, 408)
    watch.check(HEADER)


# ---- body

@pytest.mark.parametrize("target", ["/discard", "/memory", "/stream", "/worker/stream"])
def test_body(waits, target):
    def cut_short(case):
        coding, sent = case
        request = post(target, bytes(60000), coding)
        with waits.client() as client:
            watch = Stopwatch()
            client.send(request[:request.index(b"\r\n\r\n") + 4 + sent])
            refused(client, 408)
            watch.check(BODY)
            assert client.is_closed()

    cases = list(itertools.product(["length", "chunked"], [0, 1, 3000, 50000]))
    with ThreadPoolExecutor(len(cases)) as pool:
        assert len(list(pool.map(cut_short, cases))) == 8
    assert wait_until(lambda: number(waits, "states") == 0)


def test_body_trickled(waits):
    with waits.client() as client:
        client.send(head("POST", "/stream", "Content-Length: 1000"))
        watch = Stopwatch()
        trickle(client, bytes(1000))
        refused(client, 408)
        watch.check(BODY)


def test_body_of_a_route(waits):
    with waits.client() as client:
        client.send(head("POST", "/patient/discard", "Transfer-Encoding: chunked"))
        watch = Stopwatch()
        refused(client, 408)
        watch.check(0.9)


def test_body_in_time(waits):
    """The time of the head does not count, nor that of the body before."""
    with waits.client() as client:
        for _ in range(3):
            for piece in (b"POST /discard HTTP/1.1\r\n", b"Host: h\r\n"):
                client.send(piece)
                time.sleep(0.05)
            client.send("Transfer-Encoding: chunked\r\n\r\n")
            time.sleep(0.25)
            client.send(chunked(b"abc"))
            assert client.response().text == "3"


# ---- idle

def test_idle(waits):
    with waits.client() as client:
        watch = Stopwatch()
        assert client.request("GET", "/hello").status == 200
        assert client.is_closed()
    watch.check(IDLE)


def test_idle_begins_anew(waits):
    with waits.client() as client:
        for _ in range(3):
            watch = Stopwatch()
            assert client.request("GET", "/hello").status == 200
            time.sleep(IDLE * 0.7)
        assert client.is_closed()
    watch.check(IDLE)


def test_idle_after_a_worker(waits):
    with waits.client() as client:
        assert client.request("GET", "/slow/100").status == 200
        watch = Stopwatch()
        assert client.is_closed()
    watch.check(IDLE - 0.1)


# ---- write

def small_window_client(server):
    """A client that takes little before the server has to wait."""
    connected = socket.socket()
    connected.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connected.connect(("127.0.0.1", server.port))
    return Client(connected=connected)


@pytest.mark.parametrize("target, seconds", [("/large", WRITE), ("/patient/large", 1.2)])
def test_write(waits, target, seconds):
    """A client that reads nothing is cut off, and what was borrowed is given back."""
    with waits.client() as client:
        watch = Stopwatch()
        client.send(head("GET", target))
        assert wait_until(lambda: number(waits, "releases") == 1)
        watch.check(seconds)
        with pytest.raises(AssertionError, match="closed after"):
            client.response()


def test_write_of_a_stream(waits):
    with waits.client() as client:
        watch = Stopwatch()
        client.send(head("GET", "/large/stream"))
        assert wait_until(lambda: number(waits, "cancelled") == 1)
        watch.check(WRITE)


def test_write_pipelined(waits):
    """Requests without end whose answers are never read."""
    with waits.client() as client:
        watch = Stopwatch()
        client.socket.settimeout(0.1)
        try:
            while True:
                client.socket.send(head("GET", "/hello") * 1000)
        except TimeoutError:
            pass
        assert wait_until(lambda: is_reset(client))
        watch.check(WRITE)


def test_write_goes_on(waits):
    """A client that takes a little every now and then is not cut off, though it takes far longer in all."""
    with small_window_client(waits) as client:
        client.send(head("GET", "/large"))
        end = time.monotonic() + 3 * WRITE
        while time.monotonic() < end:
            client.socket.settimeout(1)
            assert client.socket.recv(32768)
            time.sleep(WRITE / 5)
        assert number(waits, "releases") == 0
        client.socket.settimeout(5 * SCALE)
        left = 0
        while data := client.socket.recv(1 << 20):
            left += len(data)
            if number(waits, "releases") == 1 and left > 1 << 20:
                break
    assert wait_until(lambda: number(waits, "releases") == 1)


# ---- handler

def test_handler_on_a_worker(waits):
    with waits.client() as client:
        watch = Stopwatch()
        client.send(head("GET", "/slow/1000"))
        answer = refused(client, 503)
        watch.check(HANDLER)
        assert answer.field("Retry-After") == "1"
        assert client.is_closed()
    assert wait_until(lambda: number(waits, "cancelled") == 1)


def test_handler_of_a_route(waits):
    with waits.client() as client:
        assert client.request("GET", "/patient/slow/600").text == "slow"
        watch = Stopwatch()
        client.send(head("GET", "/patient/slow/2000"))
        refused(client, 503)
        watch.check(0.9)


def test_handler_that_waits_for_a_worker(waits):
    """The time in the queue counts."""
    clients = [waits.client() for _ in range(6)]
    watch = Stopwatch()
    for client in clients:
        client.send(head("GET", "/slow/700"))
    for client in clients:
        refused(client, 503)
        client.close()
    watch.check(HANDLER)
    assert wait_until(lambda: number(waits, "running") == 0)
    assert waits.request("GET", "/slow/1").text == "slow"


def test_handler_suspended(waits):
    with waits.client() as client:
        watch = Stopwatch()
        client.send(head("GET", "/suspended"))
        refused(client, 503)
        watch.check(HANDLER)
        assert client.is_closed()
    assert wait_until(lambda: number(waits, "cancelled") == 1)


def test_handler_that_has_begun_to_send(waits):
    """A stream takes as long as it likes."""
    with waits.client() as client:
        answer = client.request("GET", "/slow/stream/1000")
        assert (answer.status, answer.text) == (200, "ab")
        assert client.request("GET", "/hello").status == 200


def test_handler_may_take_all_workers(waits):
    """Handlers that are out of time hold their workers, and then give them back."""
    clients = [waits.client() for _ in range(4)]
    for client in clients:
        client.send(head("GET", "/slow/800"))
    for client in clients:
        assert client.response().status == 503
        client.close()
    assert wait_until(lambda: number(waits, "running") == 0)
    assert waits.request("GET", "/slow/1").text == "slow"


# ---- linger

@pytest.mark.parametrize("request_", [
    head("POST", "/discard", "Content-Length: 9999999"),
    head("GET", "/hello", "X: " + "x" * 9000),
    b"GET /hello HTTP/1.1\r\nno field\r\n\r\n",
], ids=["413", "431", "400"])
def test_linger(waits, request_):
    """The answer's end comes at once, and a client that does not close is closed."""
    with waits.client() as client:
        watch = Stopwatch()
        client.send(request_)
        assert client.response().status in (400, 413, 431)
        assert client.is_closed()
        assert wait_until(lambda: is_reset(client))
        watch.check(LINGER)


def test_linger_ends_with_the_client(waits):
    with waits.client() as client:
        client.send("GET /hello HTTP/1.1\r\nno field\r\n\r\n")
        assert client.response().status == 400
    assert waits.request("GET", "/hello").status == 200


# ---- drain

def stopping(server):
    server.process.send_signal(signal.SIGTERM)
    return Stopwatch()


def test_drain_lets_requests_end(waits):
    with waits.client() as quick, waits.client() as uploading, waits.client() as idle:
        assert idle.request("GET", "/hello").status == 200
        uploading.send(head("POST", "/stream", "Content-Length: 10") + b"12345")
        quick.send(head("GET", "/slow/300"))
        assert wait_until(lambda: number(waits, "running") == 1 and number(waits, "states") == 1)
        stopping(waits)
        assert idle.is_closed()
        assert quick.response().text == "slow"  # its head may have been written before
        assert quick.is_closed()
        uploading.send("67890")
        answer = uploading.response()
        assert (answer.text, answer.field("Connection")) == ("all", "close")
    assert waits.process.wait(5 * SCALE) == 0


def test_drain_ends(waits):
    """A body that does not come on is cut off; a handler that does not return is not waited for without end."""
    with waits.client() as uploading, waits.client() as handled, waits.client() as reading:
        reading.send(head("GET", "/patient/large"))
        handled.send(head("GET", "/patient/slow/800"))
        assert wait_until(lambda: number(waits, "running") == 1)
        uploading.send(head("POST", "/patient/discard", "Content-Length: 10"))
        assert waits.request("GET", "/hello").status == 200
        watch = stopping(waits)
        assert uploading.is_closed()
        watch.check(DRAIN)
        assert handled.is_closed()
        assert waits.process.wait(5 * SCALE) == 0
    assert "timeouts.drain" in waits.log()


def test_drain_without_requests(waits):
    watch = stopping(waits)
    assert waits.process.wait(5 * SCALE) == 0
    watch.check(0)


def test_drain_and_a_handler_that_hangs(waits):
    """The process ends all the same, 2 s after timeouts.drain at the latest."""
    with waits.client() as client:
        client.send(head("GET", "/slow/10000"))
        assert wait_until(lambda: number(waits, "running") == 1)
        watch = stopping(waits)
        refused(client, 503)
        assert waits.process.wait(10 * SCALE) == 0
        watch.check(DRAIN, DRAIN + 2)
    assert "has not returned" in waits.log()


def test_second_signal_ends_at_once(waits):
    with waits.client() as client:
        client.send(head("GET", "/patient/slow/5000"))
        assert wait_until(lambda: number(waits, "running") == 1)
        stopping(waits)
        assert wait_until(lambda: refuses_connections(waits.port))
        watch = stopping(waits)
        assert waits.process.wait(5 * SCALE) == -signal.SIGTERM
        watch.check(0)


def refuses_connections(port):
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except (ConnectionRefusedError, ConnectionResetError):  # reset: the socket was closed while it connected
        return True
    return False
