"""Every limit, at it and one over it: what the client gets, and that an answer that refuses arrives."""
import threading
import time
import zlib

import pytest

from support import handlers, head, post, wait_until

SPEC = """
hardwire: 1
name: bounds
sources: [bounds.c]
listen: {address: 127.0.0.1, port: 0}
threads: {io: 1, workers: 1, queue: 2}
buffers: {size: 4KiB, count: 32, bodies: 1}
limits: {connections: 16, requests: 5, headers: 10, cookies: 5, parameters: 6, target_size: 128B, header_size: 1KiB,
         body_size: 10000B, memory_size: 16MiB}
timeouts: {linger: 1s}
log: {level: error}
routes:
  GET /hello: {text: hello}
  POST /baked: {text: baked}
  POST /discard: {handler: count, body: {mode: discard}}
  POST /memory: {handler: whole, body: {mode: memory}}
  POST /stream: {handler: pieces, body: {mode: stream}}
  /worker/:
    run: worker
    routes:
      POST /worker/discard: {handler: count, body: {mode: discard}}
      POST /worker/memory: {handler: whole, body: {mode: memory}}
      POST /worker/stream: {handler: pieces, body: {mode: stream}}
      GET /worker/gate: wait_at_gate
  /group/:
    limits: {body_size: 2000B}
    routes:
      POST /group/memory: {handler: whole, body: {mode: memory}}
      POST /group/more: {handler: whole, body: {mode: memory}, limits: {body_size: 20000B}}
      POST /group/none: {handler: count, limits: {body_size: 0B}}
  GET /live: live
  GET /gate/open: open_gate
  GET /gate/close: close_gate
  GET /gate/waiting: waiting
"""


@pytest.fixture
def limits(server):
    with server(SPEC, handlers("bounds")) as running:
        yield running


# ---- Requests of which something has the number or size n.

def of_headers(n):
    return head("GET", "/hello", *[f"X-{i}: 1" for i in range(n - 1)])  # and Host


def of_header_size(n):
    shell = head("GET", "/hello", "X: ")
    return head("GET", "/hello", "X: " + "x" * (n - len(shell)))


def of_target_size(n):
    return head("GET", "/hello?" + "x" * (n - len("/hello?")))


def of_cookies(n):
    return head("GET", "/hello", "Cookie: " + "; ".join(f"c{i}=1" for i in range(n)))


def of_cookies_in_fields(n):
    return head("GET", "/hello", *[f"Cookie: c{i}=1" for i in range(n)])


def of_parameters(n):
    return head("GET", "/hello?" + "&".join(f"p{i}=1" for i in range(n)))


BODIES = [
    ("/baked", 10000), ("/discard", 10000), ("/memory", 10000), ("/stream", 10000), ("/worker/discard", 10000),
    ("/worker/memory", 10000), ("/worker/stream", 10000), ("/group/memory", 2000), ("/group/more", 20000),
    ("/group/none", 0),
]

# Name, the request of n, the limit, the status over it.
TABLE = [
    ("headers", of_headers, 10, 431),
    ("header_size", of_header_size, 1024, 431),
    ("target_size", of_target_size, 128, 414),
    ("cookies", of_cookies, 5, 431),
    ("cookies in fields", of_cookies_in_fields, 5, 431),
    ("parameters", of_parameters, 6, 400),
]
for target, limit in BODIES:
    for coding in ("length", "chunked"):
        TABLE.append((f"body_size of {target}, {coding}",
                      lambda n, target=target, coding=coding: post(target, bytes(n), coding), limit, 413))
ROWS = pytest.mark.parametrize("request_of, limit, status", [row[1:] for row in TABLE], ids=[row[0] for row in TABLE])


@ROWS
def test_at_the_limit(limits, request_of, limit, status):
    with limits.client() as client:
        for _ in range(2):  # nothing is left over from the request before
            client.send(request_of(limit))
            assert client.response().status == 200


@ROWS
def test_one_over_the_limit(limits, request_of, limit, status):
    with limits.client() as client:
        client.send(request_of(limit + 1))
        answer = client.response()
        assert (answer.status, answer.field("Connection")) == (status, "close")
        assert client.is_closed()
    assert wait_until(lambda: limits.request("GET", "/live").text == "0")
    assert limits.request("GET", "/hello").status == 200


@ROWS
def test_one_over_behind_a_good_request(limits, request_of, limit, status):
    """A refusal does not cost the request before it its answer."""
    with limits.client() as client:
        client.send(head("GET", "/hello") + request_of(limit + 1))
        assert client.response().text == "hello"
        assert client.response().status == status
        assert client.is_closed()


@ROWS
def test_a_byte_at_a_time(limits, request_of, limit, status):
    """The limits do not depend on how the bytes arrive: the beginning in single bytes, the rest in odd pieces."""
    request = request_of(limit + 1)
    with limits.client() as client:
        for byte in request[:40]:
            client.send(bytes([byte]))
        try:
            for at in range(40, len(request), 997):
                client.send(request[at:at + 997])
        except (BrokenPipeError, ConnectionResetError):
            pass  # it was refused, and all that the client may want to say was waited for
        assert client.response().status == status


@pytest.mark.parametrize("request_of, status", [
    (lambda: head("GET", "/hello", "X: " + "x" * 2000), 431),
    (lambda: head("GET", "/hello?" + "x" * 2000), 414),
    (lambda: head("POST", "/discard", "Content-Length: 8000000"), 413),
    (lambda: head("POST", "/memory", "Content-Length: 8000000"), 413),
    (lambda: head("POST", "/worker/stream", "Content-Length: 8000000"), 413),
    (lambda: head("POST", "/discard", "Transfer-Encoding: chunked") + b"10000\r\n", 413),
    (lambda: head("POST", "/stream", "Transfer-Encoding: chunked") + b"1000\r\n" * 1 + bytes(4096) + b"\r\n2000\r\n", 413),
    (lambda: head("POST", "/nothing/here", "Content-Length: 8000000"), 413),
], ids=["431", "414", "413 discard", "413 memory", "413 stream on a worker", "413 chunked", "413 second chunk",
        "413 without a route"])
def test_refusal_reaches_a_client_that_keeps_sending(limits, request_of, status):
    """It sends 4 MB more before it reads: closed at once, the connection would be reset and the answer lost."""
    with limits.client() as client:
        client.send(request_of())
        for _ in range(64):
            client.send(bytes(65536))
        client.send_end()
        assert client.response().status == status
        assert client.is_closed()
    assert wait_until(lambda: limits.request("GET", "/live").text == "0")


# ---- Bodies arrive as they were sent.

@pytest.mark.parametrize("coding", ["length", "chunked"])
@pytest.mark.parametrize("target", ["/memory", "/stream", "/worker/memory", "/worker/stream"])
def test_body_is_whole(limits, target, coding):
    with limits.client() as client:
        for size in (0, 1, 4000, 4500, 9999):
            body = bytes(i * 7 % 251 for i in range(size))
            client.send(post(target, body, coding))
            assert client.response().text == f"{size} {zlib.adler32(body)}"
            if size == 4000:
                break  # limits.requests
    with limits.client() as client:
        body = bytes(i * 7 % 251 for i in range(9999))
        request = post(target, body, coding)
        for at in range(0, len(request), 333):
            client.send(request[at:at + 333])
        assert client.response().text == f"9999 {zlib.adler32(body)}"
    with limits.client() as client:  # the next request may come with it
        client.send(post(target, body[:100], coding) + post(target, body, coding) + head("GET", "/hello"))
        assert client.response().text == f"100 {zlib.adler32(body[:100])}"
        assert client.response().text == f"9999 {zlib.adler32(body)}"
        assert client.response().text == "hello"


# ---- requests, connections, queue, bodies

def test_requests(limits):
    with limits.client() as client:
        for _ in range(4):
            assert client.request("GET", "/hello").field("Connection") is None
        assert client.request("GET", "/hello").field("Connection") == "close"
        assert client.is_closed()


def test_requests_pipelined(limits):
    with limits.client() as client:
        client.send(head("GET", "/hello") * 20)
        last = [client.response().field("Connection") for _ in range(5)]
        assert last == [None] * 4 + ["close"]
        assert client.is_closed()


def test_chunk_over_the_limit_is_refused_before_what_follows(limits):
    """Whatever stands where the chunk's end would be, and however the bytes come."""
    body = b"1000\r\n" + bytes(4096) + b"\r\n2000\r\n" + bytes(8192)
    for pause in (0, 0.05):
        with limits.client() as client:
            client.send(head("POST", "/stream", "Transfer-Encoding: chunked") + body[:-8000])
            time.sleep(pause)
            client.send(body[-8000:] + b"no CRLF")
            assert client.response().status == 413


def test_connections(limits):
    clients = [limits.client() for _ in range(16)]
    try:
        for client in clients:
            assert client.request("GET", "/hello").status == 200
        with limits.client() as late:
            answer = late.response()
            assert (answer.status, answer.field("Connection")) == (503, "close")
            assert answer.field("Retry-After") == "1"
            assert late.is_closed()
        with limits.client() as late:  # and if it has sent its request already
            late.send(head("GET", "/hello"))
            assert late.response().status == 503
        assert clients[0].request("GET", "/hello").status == 200
        clients.pop().close()
        assert wait_until(lambda: limits.request("GET", "/hello").status == 200)
    finally:
        for client in clients:
            client.close()


def test_queue(limits):
    limits.request("GET", "/gate/close")
    clients = [limits.client() for _ in range(4)]
    try:
        for number, client in enumerate(clients[:3]):
            client.send(head("GET", "/worker/gate"))
            # one is with the worker, two wait
            assert wait_until(lambda: limits.request("GET", "/gate/waiting").text == "1"), number
        answer = clients[3].request("GET", "/worker/gate")
        assert (answer.status, answer.field("Retry-After")) == (503, "1")
        assert clients[3].request("GET", "/hello").status == 200
        limits.request("GET", "/gate/open")
        for client in clients[:3]:
            assert client.response().text == "through"
        assert clients[3].request("GET", "/worker/gate").text == "through"
    finally:
        limits.request("GET", "/gate/open")
        for client in clients:
            client.close()


@pytest.mark.parametrize("target", ["/memory", "/worker/memory"])
@pytest.mark.parametrize("coding", ["length", "chunked"])
def test_bodies(limits, target, coding):
    """One body that does not fit behind its head may be in memory; the next is refused, small ones are not."""
    body = bytes(9000)
    request = post(target, body, coding)
    with limits.client() as first, limits.client() as second, limits.client() as third:
        first.send(request[:7000])
        limits.request("GET", "/hello")  # by now the server has seen it
        second.send(request[:7000])
        answer = second.response()
        assert (answer.status, answer.field("Retry-After")) == (503, "1")
        assert second.is_closed()
        third.send(post(target, b"small", coding))
        assert third.response().text.startswith("5 ")
        first.send(request[7000:])
        assert first.response().text.startswith("9000 ")
        third.send(request)
        assert third.response().text.startswith("9000 ")


def test_body_slot_comes_back_after_a_hang_up(limits):
    for _ in range(3):
        with limits.client() as client:
            client.send(post("/memory", bytes(9000))[:7000])
            limits.request("GET", "/hello")
    assert wait_until(lambda: limits.request("POST", "/memory", body=bytes(9000)).status == 200)


# ---- What has no key, but an end

@pytest.mark.parametrize("rest", [b"1;" + b"x" * 5000 + b"\r\n", b"1;x\r\n"[:4] + b"y" * 5000, b"1\r\nx\r\n0\r\n" + b"T: x\r\n" * 1000,
                                  b"0" * 5000 + b"1\r\n"],
                         ids=["extension", "extension without end", "trailers", "zeros of a size"])
def test_framing_without_end(limits, rest):
    with limits.client() as client:
        client.send(head("POST", "/discard", "Transfer-Encoding: chunked") + rest)
        answer = client.response()
        assert answer.status == 400
        assert client.is_closed()


def test_small_chunks_are_fair(limits):
    """A body of single-byte chunks has more framing than a head may have, and is good."""
    with limits.client() as client:
        client.send(head("POST", "/memory", "Transfer-Encoding: chunked") + b"1\r\nx\r\n" * 3000 + b"0\r\n\r\n")
        assert client.response().text == f"3000 {zlib.adler32(b'x' * 3000)}"


def test_many_clients_over_every_limit(limits):
    """All rows at once, from several threads: the server goes on."""
    wrong = []

    def attack(rows):
        for name, request_of, limit, status in rows:
            for _ in range(3):
                with limits.client() as client:
                    client.send(request_of(limit + 1))
                    if client.response().status not in (status, 503):  # 503: all bodies or queue places are taken
                        wrong.append(name)

    threads = [threading.Thread(target=attack, args=(TABLE[i::4],)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert wait_until(lambda: limits.request("GET", "/live").text == "0")
