"""HTTP/2 against real clients, over TLS and as h2c: the same routes and handlers as HTTP/1.1, and what only HTTP/2 has.

The rules of frames and streams are h2spec's (conformance/) and the unit tests'; here it is whole servers.
"""
# ctest: timeout 240
import os
import random
import struct
import zlib

import pytest

import http2
from conftest import SCALE, SPECS, run
from support import handlers, needs, wait_until
from test_handlers import SPEC as CALLS
from test_handlers import is_even
from test_limits import SPEC as BOUNDS

LISTEN = """listen:
  - {address: 127.0.0.1, port: 0, protocols: [http/1.1, h2c]}
  - address: 127.0.0.1
    port: 0
    protocols: [h2, http/1.1]
    tls: {certificate: {env: CERTIFICATE, default: none}, key: {env: KEY, default: none}}
"""
TRANSPORTS = pytest.mark.parametrize("tls", [False, True], ids=["h2c", "h2"])


def both(spec, memory="256MiB", extra=""):
    """A spec of another file with both listeners."""
    spec = spec.replace("listen: {address: 127.0.0.1, port: 0}\n", LISTEN + extra)
    return spec.replace("memory_size: 64MiB", f"memory_size: {memory}").replace("memory_size: 16MiB",
                                                                               f"memory_size: {memory}")


@pytest.fixture
def calls(server):
    with server(both(CALLS), handlers("calls")) as running:
        yield running
        assert wait_until(lambda: is_even(running)), running.request("GET", "/counts").text


@pytest.fixture
def hello(server):
    with server(SPECS / "hello_h2.yaml") as running:
        yield running


def client_of(running, tls):
    return http2.Client(running.ports[1 if tls else 0], tls)


# ---- Answers.

@TRANSPORTS
def test_baked(hello, tls):
    with client_of(hello, tls) as client:
        answer = client.request("GET", "/hello")
        assert (answer.status, answer.body) == (200, b"Hello, World!")
        assert answer.fields["content-length"] == "13"
        head = client.request("HEAD", "/hello")
        assert (head.status, head.body, head.fields["content-length"]) == (200, b"", "13")
        page = client.request("GET", "/page")
        assert len(page.body) == int(page.fields["content-length"]) > 65000
        assert client.request("GET", "/nowhere").status == 404
        wrong = client.request("DELETE", "/hello")
        assert (wrong.status, wrong.fields["allow"]) == (405, "GET, HEAD, OPTIONS")
        assert client.request("OPTIONS", "/hello").status == 204
        assert client.request("BREW", "/hello").status == 501
    assert hello.request("GET", "/page").body == page.body


@TRANSPORTS
@pytest.mark.parametrize("where", ["", "/worker"], ids=["io", "worker"])
def test_handlers(calls, tls, where):
    with client_of(calls, tls) as client:
        for size in (0, 1, 15000, 16384, 100000):
            if size <= 15000:
                assert len(client.request("GET", f"{where}/bytes/{size}").body) == size
            assert len(client.request("GET", f"{where}/borrowed/{size}").body) == size
        for size in (0, 1, 8000, 20000, 100000, 1000000):
            body = random.Random(size).randbytes(size)
            answer = client.request("POST", f"{where}/echo", body=body)
            assert (answer.status, zlib.crc32(answer.body)) == (200, zlib.crc32(body))
        assert len(client.request("GET", f"{where}/stream/12").body) == 12000
        assert client.request("GET", f"{where}/suspend/20/0").body == b"later"
        assert len(client.request("GET", f"{where}/suspend/20/5").body) == 5000
        assert client.request("GET", f"{where}/nothing").status == 500


@TRANSPORTS
def test_a_stream_that_waits_for_the_client(calls, tls):
    with client_of(calls, tls) as client:
        assert len(client.request("GET", "/worker/large").body) == 3000000


@TRANSPORTS
@pytest.mark.parametrize("where", ["", "/worker"], ids=["io", "worker"])
def test_pieces(calls, tls, where):
    plain = calls.request("POST", f"{where}/pieces", body=b"x" * 50000).text
    with client_of(calls, tls) as client:
        for size in (0, 1, 8000, 50000, 1000000):
            answer = client.request("POST", f"{where}/pieces", body=b"x" * size)
            assert answer.status == 200
            if size == 50000:
                assert answer.body.decode().split()[0] == plain.split()[0]
        early = client.request("POST", f"{where}/early", body=b"x" * 500000)
        assert early.status == 200


@TRANSPORTS
def test_request_trailers(calls, tls):
    with client_of(calls, tls) as client:
        answer = client.request("POST", "/echo", body=b"abc", trailers=[("x-sum", "1")])
        assert (answer.status, answer.body) == (200, b"abc")


@TRANSPORTS
def test_fields_and_crumbs(calls, tls):
    with client_of(calls, tls) as client:
        answer = client.request("GET", "/field/x-one", [("x-one", "1"), ("cookie", "a=1"), ("cookie", "b=2")])
        assert answer.body == b"[1] 1"
        crumbs = [("cookie", "a=1"), ("x-between", "x"), ("cookie", "b=2"), ("cookie", "c=3")]
        assert b"a=1; b=2; c=3" in client.request("GET", "/field/cookie", crumbs).body
        assert b"x" in client.request("GET", "/field/x-between", crumbs).body
        assert b"2" in client.request("GET", "/cookie/b", crumbs).body


@TRANSPORTS
def test_many_at_a_time(hello, tls):
    with client_of(hello, tls) as client:
        for _ in range(10):
            streams = [client.start("GET", "/page" if i % 10 == 0 else "/hello") for i in range(100)]
            answers = client.wait(*streams)
            assert all(a.status == 200 for a in answers)
            assert sum(len(a.body) for a in answers) > 10 * 65000 + 90 * 13 - 1


@TRANSPORTS
def test_cancellation(calls, tls):
    """Streams that the client gives up while workers and later threads have them."""
    with client_of(calls, tls) as client:
        for path in ("/worker/suspend/50/3", "/suspend/50/3", "/worker/large", "/borrowed/1000000", "/worker/stream/10"):
            stream = client.start("GET", path)
            client.h2.reset_stream(stream, 8)
            client.flush()
        stream = client.start("POST", "/worker/pieces", end=False)
        client.h2.send_data(stream, b"x" * 1000)
        client.flush()
        client.h2.reset_stream(stream, 8)
        client.flush()
        assert client.request("GET", "/u32/7").body == b"7"
    with client_of(calls, tls) as client:  # and connections that end while they are under way
        client.start("GET", "/worker/suspend/50/3")
        client.start("POST", "/pieces", end=False)
    assert calls.request("GET", "/u32/7").text == "7"


def test_a_worker_does_not_hold_up_other_streams(calls):
    with client_of(calls, False) as client:
        slow = client.start("GET", "/worker/suspend/300/0")
        assert client.request("GET", "/u32/1").body == b"1"
        assert not client.answers[slow].ended
        assert client.wait(slow)[0].body == b"later"


# ---- Flow control and priorities.

def test_windows_of_a_byte(hello):
    with http2.Raw(hello.port, greet=False) as raw:
        raw.send(http2.PREFACE + http2.frame(http2.SETTINGS, 0, 0, struct.pack(">HI", 4, 1)))
        raw.send(http2.frame(http2.HEADERS, 5, 1, http2.block()))
        body = b""
        while len(body) < 13:
            body += raw.until(http2.DATA, 1)
            raw.send(http2.frame(http2.WINDOW_UPDATE, 0, 1, struct.pack(">I", 1)))
        assert body == b"Hello, World!"


def test_urgency(hello):
    """RFC 9218: what is more urgent leaves first, whenever it was asked for."""
    with http2.Raw(hello.port, greet=False) as raw:
        raw.send(http2.PREFACE + http2.frame(http2.SETTINGS, 0, 0, struct.pack(">HI", 4, 0)))
        for stream, urgency in ((1, 6), (3, 0), (5, 3)):
            raw.send(http2.frame(http2.HEADERS, 5, stream, http2.block(("priority", f"u={urgency}"), path="/page")))
        for stream in (1, 3, 5):
            assert raw.until(http2.HEADERS, None) is not None
        settings = http2.frame(http2.SETTINGS, 0, 0, struct.pack(">HI", 4, 65535))
        raw.send(settings + http2.frame(http2.WINDOW_UPDATE, 0, 0, struct.pack(">I", 1 << 20)))
        ended = []
        while len(ended) < 3:
            kind, flags, stream, payload = raw.read()
            if kind == http2.DATA and payload and stream not in ended:
                ended.append(stream)
                raw.send(http2.frame(http2.WINDOW_UPDATE, 0, stream, struct.pack(">I", 65535)))
        assert ended == [3, 5, 1]


def test_an_upload_does_not_wait(hello):
    """The window is as large as the spec says: 512 KiB go out before anything is read."""
    with http2.Client(hello.port) as client:
        client.request("GET", "/hello")  # our settings are there
        stream = client.start("POST", "/upload", end=False)
        assert client.h2.local_flow_control_window(stream) >= 512 * 1024
        client.send(stream, bytes(512 * 1024))
        assert client.wait(stream)[0].body.strip() == b"524288"


# ---- Beside HTTP/1.1.

def test_preface_in_pieces(hello):
    whole = http2.PREFACE + http2.frame(http2.SETTINGS) + http2.frame(http2.HEADERS, 5, 1, http2.block())
    with http2.Raw(hello.port, greet=False) as raw:
        for byte in whole:
            raw.send(bytes([byte]))
        assert raw.status(1) == 200
    assert hello.request("GET", "/hello").status == 200


@pytest.mark.parametrize("text", ["PRI * HTTP/1.1\r\nHost: x\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n", "PRISM / HTTP/1.1\r\n\r\n"])
def test_no_preface(hello, text):
    with hello.client() as client:
        client.send(text)
        assert client.response().status in (400, 501, 505)


def test_illegal_requests(hello):
    """Each is a stream error; the connection goes on (RFC 9113 section 8.1.1)."""
    bad = [
        [("connection", "close")], [("te", "gzip")], [("transfer-encoding", "chunked")], [("keep-alive", "1")],
        [("upgrade", "h2c")], [("X-Upper", "1")], [("x", "a\rb")], [("x", "a\nb")], [("x", "a\0b")], [("x", " a")],
        [("x y", "1")], [("", "1")], [(":extra", "1")], [("x", "1"), (":path", "/")], [("content-length", "5")],
        [("content-length", "x")], [(":path", "/two")],
    ]
    with http2.Raw(hello.port) as raw:
        stream = 1
        for fields in bad:
            raw.send(http2.frame(http2.HEADERS, 5, stream, http2.block(*fields)))
            assert raw.reset(stream) == http2.PROTOCOL_ERROR, fields
            stream += 2
        raw.send(http2.frame(http2.HEADERS, 5, stream, http2.block()))
        assert raw.status(stream) == 200


# ---- Limits: the same as over HTTP/1.1.

def crossing(name, n):
    """(method, path, fields, body) of a request that has n of something."""
    if name == "headers":
        return "GET", "/hello", [(f"x-{i}", "1") for i in range(n - 1)], None  # and :authority, which is Host
    if name == "cookies":
        return "GET", "/hello", [("cookie", f"c{i}=1") for i in range(n)], None
    if name == "target_size":
        return "GET", "/hello?" + "x" * (n - len("/hello?")), [], None
    if name == "parameters":
        return "GET", "/hello?" + "&".join(f"p{i}=1" for i in range(n)), [], None
    return "POST", name, [], bytes(n)


TABLE = [("headers", 10, 431), ("cookies", 5, 431), ("target_size", 128, 414), ("parameters", 6, 400)] + [
    (path, limit, 413) for path, limit in (
        ("/baked", 10000), ("/discard", 10000), ("/memory", 10000), ("/stream", 10000), ("/worker/discard", 10000),
        ("/worker/memory", 10000), ("/worker/stream", 10000), ("/group/memory", 2000), ("/group/more", 20000),
        ("/group/none", 0))]


@pytest.fixture
def bounds(server):
    spec = both(BOUNDS).replace("requests: 5, ", "")
    with server(spec, handlers("bounds")) as running:
        yield running


def status_of(running, transport, request):
    method, path, fields, body = request
    if transport == "http/1.1":
        lines = {}
        for key, value in fields:
            lines[key] = f"{lines[key]}; {value}" if key in lines else value
        with running.client() as client:
            return client.request(method, path, lines, body).status
    with client_of(running, transport == "h2") as client:
        for with_length in (True, False):
            fields_ = fields + ([("content-length", str(len(body)))] if body is not None and with_length else [])
            first = client.request(method, path, fields_, body).status
            if body is None or not with_length or first != 200:
                return first
    return None


@pytest.mark.parametrize("transport", ["http/1.1", "h2c", "h2"])
@pytest.mark.parametrize("name, limit, status", TABLE, ids=[row[0] for row in TABLE])
def test_limits(bounds, transport, name, limit, status):
    assert status_of(bounds, transport, crossing(name, limit)) == 200
    assert status_of(bounds, transport, crossing(name, limit + 1)) == status


# ---- The end.

@TRANSPORTS
def test_drain(server, tls):
    """Two GOAWAYs, and what was asked for before the second is answered (RFC 9113 section 6.8)."""
    with server(both(CALLS), handlers("calls")) as running:
        with http2.Raw(running.ports[1 if tls else 0], tls) as raw:
            raw.send(http2.frame(http2.HEADERS, 5, 1, http2.block(path="/worker/suspend/600/0")))
            raw.send(http2.frame(http2.HEADERS, 5, 3, http2.block(path="/u32/1")))
            assert raw.status(3) == 200
            running.process.terminate()
            assert struct.unpack(">II", raw.until(http2.GOAWAY)) == (0x7fffffff, 0)
            ping = raw.until(http2.PING)
            raw.send(http2.frame(http2.HEADERS, 5, 5, http2.block(path="/u32/5")))  # it may be on its way already
            raw.send(http2.frame(http2.PING, http2.ACK, 0, ping))
            answered, last = {}, None
            while (got := raw.read()) is not None:  # the last GOAWAY may come before the answers
                if got[0] == http2.HEADERS:
                    answered[got[2]] = dict(raw.decoder.decode(got[3]))[":status"]
                elif got[0] == http2.GOAWAY:
                    last = struct.unpack(">II", got[3])
        assert (answered, last) == ({5: "200", 1: "200"}, (5, 0))
        assert running.process.wait(10 * SCALE) == 0


# ---- Clients.

@needs("nghttp")
def test_nghttp(hello):
    result = run(["nghttp", "-nv", "--no-verify-peer", f"https://127.0.0.1:{hello.ports[1]}/page"])
    assert result.returncode == 0 and ":status: 200" in result.stdout


@needs("h2load")
@pytest.mark.parametrize("arguments", [("-n20000", "-c100", "-m10"), ("-n2000", "-c2", "-m100")])
def test_h2load(hello, arguments, tmp_path):
    payload = tmp_path / "payload"
    payload.write_bytes(os.urandom(512 * 1024))
    for url in (f"http://127.0.0.1:{hello.port}", f"https://127.0.0.1:{hello.ports[1]}"):
        result = run(["h2load", *arguments, f"{url}/hello"])
        assert " 0 failed, 0 errored, 0 timeout" in result.stdout, result.stdout
        result = run(["h2load", "-n200", "-c10", "-m5", "-d", payload, f"{url}/upload"])
        assert " 0 failed, 0 errored, 0 timeout" in result.stdout, result.stdout


@pytest.mark.parametrize("options", [["--http2-prior-knowledge"], ["--http1.1"]])
def test_curl(hello, options, tmp_path):
    body = tmp_path / "body"
    body.write_bytes(bytes(300000))
    for url in (f"http://127.0.0.1:{hello.port}", f"https://127.0.0.1:{hello.ports[1]}"):
        flags = ["-sS", "-k"] + (["--http2"] if url.startswith("https") and options[0] != "--http1.1" else options)
        assert run(["curl", *flags, f"{url}/hello"]).stdout == "Hello, World!"
        assert run(["curl", *flags, "--data-binary", f"@{body}", f"{url}/upload"]).stdout.strip() == "300000"
        body2 = tmp_path / "large"
        body2.write_bytes(bytes(2000000))
        result = run(["curl", *flags, "-o", tmp_path / "answer", "-w", "%{http_code}", "--data-binary", f"@{body2}",
                      f"{url}/upload"])
        assert result.stdout == "413", result.stderr


def test_idle_connections_cost_no_descriptor_afterwards(hello):
    def descriptors():
        return len(os.listdir(f"/proc/{hello.pid}/fd"))

    before = descriptors()
    clients = [http2.Client(hello.ports[i % 2], i % 2 == 1) for i in range(20)]
    for client in clients:
        assert client.request("GET", "/hello").status == 200
        client.socket.close()
    assert wait_until(lambda: descriptors() == before)
