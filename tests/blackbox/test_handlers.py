"""What handlers in C may call: the request, the response, streams, suspension, the log; and clients that go away."""
import random
import re
import socket
import threading
import time

import pytest

from conftest import SANITIZERS, SCALE, Client
from support import handlers, head, post, reset, wait_until

SPEC = """
hardwire: 1
name: calls
sources: [calls.c]
listen: {address: 127.0.0.1, port: 0}
threads: {io: 2, workers: 8}
buffers: {size: 16KiB, count: 64}
limits: {body_size: 1MiB, memory_size: 64MiB}
timeouts: {handler: 20s}
log: {rate: 50}
routes:
  GET /u32/{n}: {handler: u32, params: {n: u32}}
  GET /u64/{n}: {handler: u64, params: {n: u64}}
  GET /i32/{n}: {handler: i32, params: {n: i32}}
  GET /i64/{n}: {handler: i64, params: {n: i64}}
  GET /ranged/{a}/{b}/{c...}: {handler: ranged, params: {a: {type: u32, min: 5, max: 10}, b: {type: i32, min: -3, max: -1}}}
  GET /field/{name}: field
  GET /fields: fields
  GET /parameter/{name}: parameter
  GET /cookie/{name}: cookie
  PATCH /about/{x}: about
  GET /wrong: wrong_calls
  GET /second: second_send
  GET /nothing: nothing
  GET /worker/nothing: {handler: nothing, run: worker}
  GET /json: json
  GET /status/{n}: {handler: status, params: {n: u32}}
  GET /empty/{n}: {handler: empty, params: {n: u32}}
  GET /bytes/{n}: {handler: bytes, params: {n: u32}}
  GET /worker/bytes/{n}: {handler: bytes, params: {n: u32}, run: worker}
  GET /borrowed/{n}: {handler: borrowed, params: {n: u32}}
  GET /worker/borrowed/{n}: {handler: borrowed, params: {n: u32}, run: worker}
  POST /echo: {handler: echo, body: {mode: memory}}
  POST /worker/echo: {handler: echo, body: {mode: memory}, run: worker}
  GET /stream/{n}: {handler: stream, params: {n: u32}}
  GET /worker/stream/{n}: {handler: stream, params: {n: u32}, run: worker}
  GET /full: stream_full
  GET /worker/large: {handler: stream_large, run: worker}
  GET /suspend/{ms}/{pieces}: {handler: suspend, params: {ms: u32, pieces: u32}}
  GET /worker/suspend/{ms}/{pieces}: {handler: suspend_slowly, params: {ms: u32, pieces: u32}, run: worker}
  GET /here: suspend_here
  GET /worker/here: {handler: suspend_here, run: worker}
  GET /suspend/nothing: suspend_nothing
  POST /pieces: {handler: pieces, body: {mode: stream}}
  POST /worker/pieces: {handler: pieces, body: {mode: stream}, run: worker}
  POST /early: {handler: pieces_early, body: {mode: stream}}
  POST /worker/early: {handler: pieces_early, body: {mode: stream}, run: worker}
  GET /log/much: log_much
  GET /log/one: log_one
  GET /counts: counts
"""


@pytest.fixture
def calls(server):
    with server(SPEC, handlers("calls")) as running:
        yield running
        assert wait_until(lambda: is_even(running)), running.request("GET", "/counts").text


def is_even(server):
    """All that was made for a request was given back, once; no thread has a response."""
    allocated, released, out = map(int, server.request("GET", "/counts").text.split())
    return allocated == released and out == 0


# ---- Parameters

@pytest.mark.parametrize("target", [
    "u32/0", "u32/4294967295", "u64/0", "u64/18446744073709551615", "i32/0", "i32/2147483647", "i32/-2147483648",
    "i64/9223372036854775807", "i64/-9223372036854775808", "i64/-1",
])
def test_number(calls, target):
    answer = calls.request("GET", f"/{target}")
    assert (answer.status, answer.text) == (200, target.split("/")[1])


@pytest.mark.parametrize("target", [
    "u32/4294967296", "u32/-1", "u32/+1", "u32/01", "u32/1.0", "u32/0x1", "u32/%201", "u32/1%20", "u32/a", "u32/1%00",
    "u32/99999999999999999999999", "u64/18446744073709551616", "u64/-0", "i32/2147483648", "i32/-2147483649", "i32/--1",
    "i32/-", "i64/9223372036854775808", "i64/-9223372036854775809", "i64/1e3",
])
def test_no_number(calls, target):
    with calls.client() as client:
        answer = client.request("GET", f"/{target}")
        assert answer.status == 400
        if "%00" not in target:
            assert '"n"' in answer.text
            assert client.request("GET", "/u32/1").text == "1"


def test_ranges(calls):
    assert calls.request("GET", "/ranged/5/-3/x/y%2Fz").text == "5 -3 x/y/z"
    assert calls.request("GET", "/ranged/10/-1/").text == "10 -1 "
    for target, name in (("4/-1", "a"), ("11/-1", "a"), ("5/-4", "b"), ("5/0", "b")):
        answer = calls.request("GET", f"/ranged/{target}/x")
        assert (answer.status, f'"{name}"' in answer.text) == (400, True)


# ---- The request

def test_fields(calls):
    with calls.client() as client:
        client.send(head("GET", "/field/x-a", "X-A:  \t one two \t ", "x-a: second", "X-Empty:", "X-B:b"))
        assert client.response().text == "[one two] 7"
        client.send(head("GET", "/field/X-EMPTY", "X-Empty:"))
        assert client.response().text == "[] 0"
        client.send(head("GET", "/field/x-blank", "X-Blank: \t "))
        assert client.response().text == "[] 0"
        client.send(head("GET", "/field/x", "X-A: 1"))
        assert client.response().text == "absent"
        client.send(head("GET", "/fields", *[f"N{i}: {i}" for i in range(20)]))
        assert client.response().text == "Host=h\nN0=0\nN1=1\nN2=2\nN3=3\n"  # the visit ends when it is told to


@pytest.mark.parametrize("query, text", [
    ("a=1", "1"), ("b=2&a=1&a=3", "1"), ("a", ""), ("a=", ""), ("b&a=1", "1"), ("a=1%202+3", "1 2 3"), ("a=%26%3D", "&="),
    ("a=b=c", "b=c"), ("%61=1", "1"), ("a=%zz%4", "%zz%4"), ("&&a=1&", "1"), ("A=1", "absent"), ("", "absent"),
    ("aa=1", "absent"), ("a=x%00y", "x\0y"), ("=1", "absent"), ("a=%c3%a9", "é"),
])
def test_parameter(calls, query, text):
    assert calls.request("GET", f"/parameter/a?{query}").text == text


@pytest.mark.parametrize("cookies, text", [
    (["a=1"], "1"), (["b=2; a=1"], "1"), (["b=2", "a=1"], "1"), (["a=1; a=2"], "1"), (['a="x"'], '"x"'), (["a="], ""),
    (["a"], "absent"), (["aa=1"], "absent"), (["A=1"], "absent"), (["b=a=1"], "absent"), ([], "absent"),
    ([" a=1 ; b=2"], "1"), (["a=1;b=2"], "1"), (["; ;a=1"], "1"),
])
def test_cookie(calls, cookies, text):
    with calls.client() as client:
        client.send(head("GET", "/cookie/a", *[f"Cookie: {cookie}" for cookie in cookies]))
        assert client.response().text == text


def test_about(calls):
    assert calls.request("PATCH", "/about/a%20b?q=%20").text == "1 /about/a%20b?q=%20 /about/a b test.example"


# ---- The response

def test_wrong_calls(calls):
    answer = calls.request("GET", "/wrong")
    assert answer.text == "-1 " * 14 + "-3 -3 -2 0 0 0 "
    assert (answer.status, answer.reason) == (299, "Unknown")
    assert answer.field("X-Injected") is None
    assert [value for name, value in answer.fields if name == "X-Good"] == ["first", ""]
    assert {name for name, _ in answer.fields} == {"Date", "Content-Length", "Content-Type", "X-Good"}


def test_second_send(calls):
    with calls.client() as client:
        for _ in range(3):
            answer = client.request("GET", "/second")
            assert (answer.status, answer.text) == (200, "first")
            assert answer.field("X-Late") is None
    assert "second_send" not in calls.log()


@pytest.mark.parametrize("target", ["/nothing", "/worker/nothing", "/suspend/nothing"])
def test_nothing_sent(calls, target):
    with calls.client() as client:
        answer = client.request("GET", target)
        assert (answer.status, answer.field("X-Lost")) == (500, None)
        assert client.request("GET", "/u32/1").text == "1"
    assert f'error: the handler of "GET {target}" sent no response\n' in calls.log()


def test_json(calls):
    answer = calls.request("GET", "/json")
    assert (answer.status, answer.reason, answer.text) == (201, "Created", '{"ok":true}')
    assert answer.field("Content-Type") == "application/json"
    assert [value for name, value in answer.fields if name == "Set-Cookie"] == ["a=b", "c=d; Path=/"]


def test_status(calls):
    with calls.client() as client:
        for number in (200, 201, 299, 400, 404, 418, 500, 599):
            answer = client.request("GET", f"/status/{number}")
            assert (answer.status, answer.text) == (number, "a body")
        for number in (204, 304):  # they have no content, whatever the handler sends
            assert client.request("GET", f"/status/{number}").status == number
        assert client.request("GET", "/empty/0").status == 204
        assert client.request("GET", "/empty/205").field("Content-Length") == "0"
        assert client.request("GET", "/empty/404").field("Content-Length") == "0"


@pytest.mark.parametrize("prefix", ["", "/worker"])
def test_bytes(calls, prefix):
    """What does not fit in buffers.size is an error, and everything below is whole."""
    with calls.client() as client:
        sizes = list(range(15900, 16400, 7)) + [0, 1, 100, 100000]
        fits = []
        for size in sizes:
            answer = client.request("GET", f"{prefix}/bytes/{size}")
            if answer.status == 200:
                assert answer.body == b"b" * size
                fits.append(size)
            else:
                assert (answer.status, answer.text) == (507, "too big")
        assert max(fits) >= 16000
        assert 100000 not in fits
        client.send(head("GET", f"{prefix}/bytes/10000") * 30)
        for _ in range(30):
            assert client.response().body == b"b" * 10000


@pytest.mark.parametrize("prefix", ["", "/worker"])
def test_borrowed(calls, prefix):
    with calls.client() as client:
        for size in (0, 1, 50000, 5000000):
            assert client.request("GET", f"{prefix}/borrowed/{size}").body == b"b" * size
        client.send(head("HEAD", f"{prefix}/borrowed/5000"))
        assert client.response(head=True).field("Content-Length") == "5000"
        client.send(head("GET", f"{prefix}/borrowed/70000") * 10)
        for _ in range(10):
            assert len(client.response().body) == 70000


@pytest.mark.parametrize("prefix", ["", "/worker"])
@pytest.mark.parametrize("how", ["close", "reset", "close in the middle"])
def test_borrowed_is_released_after_a_hang_up(calls, prefix, how):
    for _ in range(10):
        client = calls.client()
        client.send(head("GET", f"{prefix}/borrowed/8000000"))
        if how == "close in the middle":
            client.socket.recv(1000)
        if how == "reset":
            reset(client)
        client.close()
    assert wait_until(lambda: is_even(calls))


@pytest.mark.parametrize("prefix", ["", "/worker"])
def test_echo(calls, prefix):
    with calls.client() as client:
        for size in (0, 1, 10000, 17000, 1 << 20):
            body = random.Random(size).randbytes(size)
            assert client.request("POST", f"{prefix}/echo", body=body).body == body
            client.send(post(f"{prefix}/echo", body, "chunked"))
            assert client.response().body == body
        # Behind a body the next request lies; it is not damaged.
        client.send(post(f"{prefix}/echo", b"abc") + head("GET", "/u32/7") + post(f"{prefix}/echo", b"def", "chunked")
                    + head("GET", "/u32/8"))
        assert [client.response().text for _ in range(4)] == ["abc", "7", "def", "8"]


# ---- Streams

@pytest.mark.parametrize("target, size", [
    ("/stream/0", 0), ("/stream/10", 10000), ("/worker/stream/0", 0), ("/worker/stream/1", 1000),
    ("/worker/stream/3000", 3000000), ("/worker/large", 3000000),
])
def test_stream(calls, target, size):
    with calls.client() as client:
        for _ in range(2):
            answer = client.request("GET", target)
            assert (answer.status, len(answer.body)) == (200, size)
            assert answer.chunks is not None
            if "large" not in target:
                assert answer.field("Content-Type") == "text/event-stream"
        client.send(head("HEAD", target))
        assert client.response(head=True).field("Transfer-Encoding") == "chunked"
        assert client.request("GET", "/u32/1").text == "1"


def test_stream_on_an_io_thread_never_blocks(calls):
    """What does not fit is HW_EAGAIN; what never could, HW_ETOOBIG; what was sent arrives."""
    answer = calls.request("GET", "/full")
    too_big, count, error = re.search(r"stream_full: (-?\d+), then (\d+) pieces, then (-?\d+)", calls.log()).groups()
    assert (too_big, error) == ("-3", "-4")
    assert len(answer.body) == int(count) * 1000
    assert int(count) >= 10


@pytest.mark.parametrize("target", ["/worker/stream/3000", "/suspend/1/3000", "/worker/suspend/1/3000", "/worker/large",
                                    "/worker/borrowed/3000000"])
def test_slow_reader(calls, target):
    """The sender waits for the client, and loses nothing."""
    connected = socket.socket()
    connected.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connected.connect(("127.0.0.1", calls.port))
    with Client(connected=connected, timeout=10) as client:
        client.send(head("GET", target))
        time.sleep(0.3)
        for _ in range(20):
            client.buffer += client.socket.recv(1000)
            time.sleep(0.01)
        assert len(client.response().body) == 3000000


# ---- Suspension

@pytest.mark.parametrize("target, text", [
    ("/suspend/0/0", "later"), ("/suspend/50/0", "later"), ("/worker/suspend/0/0", "later"),
    ("/worker/suspend/50/0", "later"), ("/here", "here"), ("/worker/here", "here"),
])
def test_suspend(calls, target, text):
    with calls.client() as client:
        for _ in range(20):
            client.send(head("GET", target) + head("GET", "/u32/5"))
            assert client.response().text == text
            assert client.response().text == "5"


def test_suspended_stream(calls):
    with calls.client() as client:
        for target in ("/suspend/0/100", "/worker/suspend/0/100"):
            answer = client.request("GET", target)
            assert len(answer.body) == 100000


def test_suspended_hold_no_worker(calls):
    clients = [calls.client() for _ in range(30)]
    for client in clients:
        client.send(head("GET", "/worker/suspend/500/0"))
    time.sleep(0.1 * SCALE)
    assert calls.request("GET", "/worker/bytes/1").text == "b"
    for client in clients:
        assert client.response().text == "later"
        client.close()


@pytest.mark.parametrize("target", ["/suspend/100/0", "/suspend/100/1000", "/worker/suspend/100/0", "/worker/suspend/100/1000"])
def test_suspended_and_the_client_goes(calls, target):
    for how in (reset, Client.close):
        for _ in range(5):
            client = calls.client()
            client.send(head("GET", target))
            time.sleep(0.005)
            how(client)
    assert wait_until(lambda: is_even(calls))


# ---- Bodies as streams

@pytest.mark.parametrize("coding", ["length", "chunked"])
@pytest.mark.parametrize("prefix", ["", "/worker"])
def test_pieces(calls, prefix, coding):
    with calls.client() as client:
        for size in (0, 1, 20000, 1 << 20):
            client.send(post(f"{prefix}/pieces", bytes(size), coding))
            assert client.response().text == f"all {size}"


@pytest.mark.parametrize("coding", ["length", "chunked"])
@pytest.mark.parametrize("prefix", ["", "/worker"])
def test_early_answer(calls, prefix, coding):
    """It reaches the client though its body is not read to the end, and then the connection is closed."""
    with calls.client() as client:
        request = post(f"{prefix}/early", bytes(1 << 20), coding)
        client.send(request[:5000])
        answer = client.response()
        assert answer.text.startswith("early ")
        assert answer.field("Connection") == "close"
        client.send(request[5000:])
        assert client.is_closed()
    with calls.client() as client:  # a body that is there at once
        client.send(post(f"{prefix}/early", b"abc"))
        assert client.response().text in ("all 3", "early 3")


@pytest.mark.parametrize("coding", ["length", "chunked"])
@pytest.mark.parametrize("target", ["/pieces", "/worker/pieces", "/early", "/worker/early"])
def test_hang_up_in_a_body(calls, target, coding):
    request = post(target, bytes(100000), coding)
    for size in (len(request) - 100000, len(request) - 99990, 50000, 90000):
        for how in (reset, Client.close):
            client = calls.client()
            client.send(request[:size])
            time.sleep(0.005)
            how(client)
    assert wait_until(lambda: is_even(calls))


@pytest.mark.parametrize("target", ["/pieces", "/worker/pieces"])
def test_broken_framing(calls, target):
    with calls.client() as client:
        client.send(head("POST", target, "Transfer-Encoding: chunked") + b"3\r\nabc\r\n")
        time.sleep(0.02)
        client.send("no size\r\n")
        assert client.response().status == 400
        assert client.is_closed()
    assert wait_until(lambda: is_even(calls))


# ---- The log

@pytest.mark.parametrize("level, count", [("error", 1), ("warning", 2), ("info", 3), ("debug", 4)])
def test_log_levels(server, level, count):
    lines = ["error: an error 1", "warning: a warning", "info: an info with ?[31m and?a line", "debug: a debug line"]
    spec = f"""
hardwire: 1
name: notes
sources: [notes.c]
listen: {{address: 127.0.0.1, port: 0}}
log: {{level: {level}}}
routes:
  GET /log: log_all
"""
    with server(spec, handlers("notes")) as notes:
        assert notes.request("GET", "/log").status == 204
        assert notes.log().splitlines()[1:] == lines[:count]


def test_log_rate(calls):
    assert calls.request("GET", "/log/much").status == 204
    seen = calls.log().count("one of many")
    assert 50 <= seen <= 100 * SCALE  # 50 a second: a second may have ended meanwhile
    time.sleep(1.1)
    assert calls.request("GET", "/log/one").status == 204
    left_out = sum(map(int, re.findall(r"warning: (\d+) lines were left out", calls.log())))
    assert left_out + seen == 1000
    assert calls.log().endswith("error: one more\n")


# ---- All at once

def test_clients_that_go_away_under_load(calls):
    """Requests of every kind, half of whose clients leave at a random moment, in one way or another."""
    targets = ["/worker/stream/300", "/worker/borrowed/300000", "/borrowed/300000", "/suspend/2/0", "/suspend/0/300",
               "/worker/suspend/0/100", "/worker/bytes/1000", "/here", "/worker/here", "/stream/10", "/u32/1"]
    posts = ["/pieces", "/worker/pieces", "/early", "/worker/early", "/echo", "/worker/echo"]
    end = time.monotonic() + (4 if not SANITIZERS else 8)
    wrong = []

    def one(luck):
        with calls.client(timeout=20) as client:
            if luck.random() < 0.5:
                request = head("GET", luck.choice(targets)) * luck.choice([1, 1, 3])
            else:
                request = post(luck.choice(posts), bytes(luck.choice([1, 5000, 50000])), luck.choice(["length", "chunked"]))
            if luck.random() < 0.5:
                client.send(request)
                try:
                    status = client.response().status
                except TimeoutError:
                    status = (0, client.buffer[:80], len(client.buffer))
                if status not in (200, 503):
                    wrong.append((status, request[:80], len(request)))
                return
            client.send(request[:luck.randrange(1, len(request) + 1)])
            time.sleep(luck.choice([0, 0, 0.001, 0.01]))
            if luck.random() < 0.3:
                client.socket.setblocking(False)
                client.socket.recv(luck.choice([1, 10000]))
            if luck.random() < 0.5:
                reset(client)

    def run(seed):
        luck = random.Random(seed)
        while time.monotonic() < end:
            try:
                one(luck)
            except OSError:
                pass  # BlockingIOError, or a reset of an answer to a request that was cut
            except AssertionError as error:
                wrong.append(error)

    threads = [threading.Thread(target=run, args=(seed,)) for seed in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert calls.request("GET", "/u32/1").text == "1"
    assert wait_until(lambda: is_even(calls), 10)
