"""HTTP/1.1 as clients see it: connections, methods, targets, framing, listeners, stop."""
import email.utils
import os
import signal
import socket
import subprocess
import threading
import time

import pytest

from conftest import SCALE, Client
from support import chunked, handlers, head, needs, port_unused, wait_until

SPEC = """
hardwire: 1
name: web
sources: [web.c]
listen:
  - {address: 127.0.0.1, port: {env: PORT, default: 0}}
  - {address: "::1", port: 0}
  - {unix: web.sock}
  - {address: {env: ADDRESS, default: 127.0.0.1}, port: {env: PORT2, default: 0}}
threads: {io: 2, workers: 2}
buffers: {size: 16KiB, count: 32}
limits: {memory_size: 16MiB}
routes:
  GET /hello: {text: "Hello, World!"}
  GET /large: {text: "LARGE"}
  /any: {text: any}
  GET /json: {json: '{"a": [1, 2]}'}
  GET /teapot: {text: "nothing here", status: 404}
  /old: {redirect: /hello}
  /moved: {redirect: "http://other.example/x", status: 301}
  GET /{$}: root
  GET /tree/: tree
  POST /tree/: post_tree
  GET /tree/leaf: {text: leaf}
  GET /segment/{name}: segment
  GET /segment/fixed: {text: fixed}
  GET /rest/{rest...}: rest
  GET /host: host
  GET other.example/host: other_host
  POST /size: size
  GET /slow: {handler: slow, run: worker}
  GET /stream: {handler: stream, run: worker}
  DELETE /thing: remove_it
  PUT /thing: {text: put}
""".replace("LARGE", "large " * 5000)


@pytest.fixture(scope="module")
def program(build_server):
    return build_server(SPEC, sources=handlers("web")).program


@pytest.fixture
def web(server, program):
    with server(program=program) as running:
        yield running


def old(target, *lines):
    return ("\r\n".join([f"GET {target} HTTP/1.0", *lines, "", ""])).encode()


# ---- Connections

def test_keep_alive(web):
    with web.client() as client:
        for _ in range(50):
            answer = client.request("GET", "/hello")
            assert (answer.status, answer.text, answer.field("Connection")) == (200, "Hello, World!", None)
        answer = client.request("GET", "/hello", {"Connection": "close"})
        assert answer.field("Connection") == "close"
        assert client.is_closed()


def test_close_among_options(web):
    with web.client() as client:
        answer = client.request("GET", "/hello", {"Connection": "x, Close"})
        assert answer.field("Connection") == "close"
        assert client.is_closed()


def test_nothing_is_answered_behind_a_close(web):
    with web.client() as client:
        client.send(head("GET", "/hello", "Connection: close") + head("GET", "/hello"))
        assert client.response().field("Connection") == "close"
        assert client.is_closed()


def test_http_1_0(web):
    with web.client() as client:
        client.send(old("/hello"))
        answer = client.response()
        assert (answer.text, answer.field("Connection")) == ("Hello, World!", "close")
        assert client.is_closed()
    with web.client() as client:
        for target in ("/hello", "/large", "/segment/x", "/missing", "/slow"):
            client.send(old(target, "Connection: keep-alive"))
            assert client.response().field("Connection") == "keep-alive"
    with web.client() as client:  # a stream's end is the close
        client.send(old("/stream", "Connection: keep-alive"))
        answer = client.response()
        assert (answer.text, answer.chunks, answer.field("Connection")) == ("onetwo", None, "close")


def test_client_that_ends_its_side(web):
    """A request behind which the client closes its sending side is answered."""
    for target, text in (("/hello", "Hello, World!"), ("/slow", "slow"), ("/stream", "onetwo")):
        with web.client() as client:
            client.send(head("GET", target))
            client.send_end()
            assert client.response().text == text
            assert client.is_closed()


def test_request_cut_short(web):
    with web.client() as client:
        client.send("GET /hello HTT")
        client.send_end()
        assert client.response().status == 400
        assert client.is_closed()
    with web.client() as client:
        client.send(head("POST", "/size", "Content-Length: 5") + b"123")
        client.send_end()
        assert client.response().status == 400


# ---- Pipelining

def test_pipelining_order(web):
    """Different kinds of answers come in the order of their requests."""
    targets = ["/hello", "/segment/a", "/large", "/slow", "/missing", "/stream", "/json", "/segment/b"]
    with web.client() as client:
        client.send(b"".join(head("GET", target) for target in targets * 3))
        for _ in range(3):
            assert client.response().text == "Hello, World!"
            assert client.response().text == "a"
            assert len(client.response().body) == 30000
            assert client.response().text == "slow"
            assert client.response().status == 404
            assert client.response().text == "onetwo"
            assert client.response().text == '{"a": [1, 2]}'
            assert client.response().text == "b"


@needs("strace")
@pytest.mark.parametrize("target", ["/hello", "/segment/abc"])
def test_100_pipelined_are_one_write(web, tmp_path, target):
    """strace counts what the server writes to the connection for 100 requests that arrive together."""
    trace = tmp_path / "trace"
    with web.client() as client:
        assert client.request("GET", "/hello").status == 200
        strace = subprocess.Popen(["strace", "-f", "-qq", "-p", str(web.pid), "-o", trace, "-e",
                                   "trace=sendto,sendmsg,write,writev,recvfrom"], stderr=subprocess.DEVNULL)
        try:
            assert wait_until(lambda: all_traced(web.pid))
            client.send(head("GET", target) * 100)
            for _ in range(100):
                assert client.response().status == 200
        finally:
            strace.send_signal(signal.SIGINT)
            strace.wait(10)
    lines = trace.read_text().splitlines()
    writes = [line for line in lines if "send" in line or "write" in line]
    reads = [line for line in lines if "recv" in line]
    assert len(reads) >= 1
    assert len(writes) == 1 if target == "/hello" else 1 <= len(writes) <= 2, lines


def all_traced(pid):
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/status") as status:
            if "TracerPid:\t0\n" in status.read():
                return False
    return True


def test_pipelined_head_in_pieces(web):
    """Requests cut at every place."""
    data = head("GET", "/segment/one") + head("POST", "/size", "Content-Length: 3") + b"abc" + head("GET", "/hello")
    for at in range(1, len(data)):
        with web.client() as client:
            client.send(data[:at])
            client.send(data[at:])
            assert [client.response().text for _ in range(3)] == ["one", "3", "Hello, World!"], at


# ---- Methods

def test_head(web):
    for target in ("/hello", "/large", "/segment/abc", "/stream", "/slow", "/missing", "/old", "/json"):
        with web.client() as client:
            client.send(head("GET", target))
            get = client.response()
            client.send(head("HEAD", target))
            answer = client.response(head=True)
            for name in ("Content-Length", "Content-Type", "Transfer-Encoding", "Location"):
                assert answer.field(name) == get.field(name), target
            assert answer.status == get.status
            assert client.request("GET", "/hello").text == "Hello, World!"  # no byte of a body came


def test_options(web):
    answer = web.request("OPTIONS", "/thing")
    assert (answer.status, answer.field("Allow")) == (204, "PUT, DELETE, OPTIONS")
    answer = web.request("OPTIONS", "*")
    assert answer.status == 204
    assert set(answer.field("Allow").split(", ")) == {"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"} or \
        "PATCH" in answer.field("Allow")  # a route without a method has every method
    assert web.request("OPTIONS", "/missing").status == 404
    assert web.request("OPTIONS", "/any").text == "any"
    assert web.request("GET", "*").status == 400


def test_method_not_allowed(web):
    answer = web.request("GET", "/thing")
    assert (answer.status, answer.field("Allow")) == (405, "PUT, DELETE, OPTIONS")
    answer = web.request("POST", "/hello", body=b"x")
    assert (answer.status, answer.field("Allow")) == (405, "GET, HEAD, OPTIONS")
    answer = web.request("PUT", "/tree/x")
    assert answer.status == 405
    assert set(answer.field("Allow").split(", ")) == {"GET", "HEAD", "POST", "OPTIONS"}


def test_not_found(web):
    for target in ("/missing", "/Hello", "/hello/", "/segment", "/segment/", "/segment/a/b", "/thin", "/things"):
        answer = web.request("GET", target)
        assert answer.status == 404, target
        assert answer.text == "404 Not Found\n"


def test_not_implemented(web):
    for method in ("BREW", "GETX", "get", "CONNECT", "X-Y"):
        with web.client() as client:
            client.send(head(method, "/hello"))
            assert client.response().status == 501, method
    with web.client() as client:
        client.send(head("POST", "/size", "Transfer-Encoding: gzip, chunked"))
        assert client.response().status == 501


def test_any_method(web):
    for method in ("GET", "POST", "PATCH", "DELETE", "PROPFIND", "TRACE"):
        assert web.request(method, "/any").text == "any", method


@pytest.mark.parametrize("version", ["HTTP/2.0", "HTTP/0.9", "HTTP/1.2", "HTTP/3.0"])
def test_version_not_supported(web, version):
    with web.client() as client:
        client.send(f"GET /hello {version}\r\nHost: h\r\n\r\n")
        assert client.response().status == 505


def test_http_0_9(web):
    with web.client() as client:
        client.send("GET /hello\r\n\r\n")
        assert client.response().status == 505


def test_http_2_preface(web):
    with web.client() as client:
        client.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        assert client.response().status == 505


# ---- What is no HTTP

@pytest.mark.parametrize("data", [
    "GET /hello HTTP/1.1\nHost: h\n\n",
    "GET /hello HTTP/1.1\r\nHost: h\r\nX: a\rb\r\n\r\n",
    "GET /hello HTTP/1.1\r\nHost : h\r\n\r\n",
    "GET /hello HTTP/1.1\r\nHost: h\r\nX: a\r\n b\r\n\r\n",
    "GET /hello HTTP/1.1\r\nHost: h\r\nX\r\n\r\n",
    "GET /hello HTTP/1.1\r\nHost: h\r\nX: \0\r\n\r\n",
    "GET /hello HTTP/1.1\r\nHost: h\r\n: x\r\n\r\n",
    "GET /hello HTTP/1.1\r\n\r\n",
    "GET /hello HTTP/1.1\r\nHost: h\r\nHost: h\r\n\r\n",
    "GET /hello HTTP/1.1\r\nHost: a b\r\n\r\n",
    "GET /hello HTTP/1.1\r\nHost: h:x\r\n\r\n",
    "GET /hello HTTP/1.1\r\nHost: user@h\r\n\r\n",
    "GET /hel lo HTTP/1.1\r\nHost: h\r\n\r\n",
    "GET hello HTTP/1.1\r\nHost: h\r\n\r\n",
    "GET /hello#x HTTP/1.1\r\nHost: h\r\n\r\n",
    "GET /hell\xf6 HTTP/1.1\r\nHost: h\r\n\r\n",
    "GET /%zz HTTP/1.1\r\nHost: h\r\n\r\n",
    "GET /%4 HTTP/1.1\r\nHost: h\r\n\r\n",
    "GET /%00 HTTP/1.1\r\nHost: h\r\n\r\n",
    "GET /../hello HTTP/1.1\r\nHost: h\r\n\r\n",
    "GET /a/%2e%2E/../hello HTTP/1.1\r\nHost: h\r\n\r\n",
    "GET ftp://h/hello HTTP/1.1\r\nHost: h\r\n\r\n",
    "GET http:///hello HTTP/1.1\r\nHost: h\r\n\r\n",
    "POST /size HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
    "POST /size HTTP/1.1\r\nHost: h\r\nContent-Length: +1\r\n\r\nx",
    "POST /size HTTP/1.1\r\nHost: h\r\nContent-Length: 1,1\r\n\r\nx",
    "POST /size HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999999999999\r\n\r\nx",
    "POST /size HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "POST /size HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "POST /size HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "POST /size HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\nx\r\n0\r\n\r\n",
    "POST /size HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nxx\r\n0\r\n\r\n",
    "POST /size HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1 \r\nx\r\n0\r\n\r\n",
    "POST /size HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\nx\r\n0\r\n\r\n",
    "POST /size HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n0\r\n\r\n",
    "POST /size HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n11111111111111111\r\nx\r\n0\r\n\r\n",
    "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    "\x00\x00\x00\x00",
])
def test_bad_request(web, data):
    with web.client() as client:
        client.send(data)
        answer = client.response()
        assert (answer.status, answer.field("Connection")) == (400, "close")
        assert client.is_closed()


def test_empty_lines_before_a_request(web):
    """RFC 9112 section 2.2."""
    with web.client() as client:
        client.send(b"\r\n\r\n" + head("GET", "/hello") + b"\r\n" + head("GET", "/hello"))
        assert client.response().status == 200
        assert client.response().status == 200


def test_hidden_request(web):
    """A body is never taken for a request."""
    inner = head("GET", "/missing")
    with web.client() as client:
        client.send(head("POST", "/size", f"Content-Length: {len(inner)}") + inner + head("GET", "/hello"))
        assert client.response().text == str(len(inner))
        assert client.response().text == "Hello, World!"
        client.send(head("GET", "/hello", f"Content-Length: {len(inner)}") + inner + head("GET", "/json"))
        assert client.response().text == "Hello, World!"
        assert client.response().text == '{"a": [1, 2]}'
        client.send(head("GET", "/missing", "Transfer-Encoding: chunked") + chunked(inner) + head("GET", "/json"))
        assert client.response().status == 404
        assert client.response().text == '{"a": [1, 2]}'


# ---- Expect

def test_expect(web):
    with web.client() as client:
        client.send(head("POST", "/size", "Content-Length: 3", "Expect: 100-continue"))
        assert client.response().status == 100
        client.send("abc")
        assert client.response().text == "3"
        client.send(head("POST", "/size", "Transfer-Encoding: chunked", "Expect: 100-Continue"))
        assert client.response().status == 100
        client.send(chunked(b"abcd"))
        assert client.response().text == "4"
        client.send(head("POST", "/size", "Content-Length: 3", "Expect: 100-continue") + b"abc")
        assert client.response().text == "3"  # the body is there already
        client.send(head("GET", "/hello", "Expect: 100-continue"))
        assert client.response().text == "Hello, World!"  # there is none


def test_expect_refused(web):
    for target, status in (("/size", 413), ("/missing", 404), ("/hello", 405)):
        with web.client() as client:
            client.send(head("POST", target, "Content-Length: 9999999", "Expect: 100-continue"))
            assert client.response().status in (status, 413), target
            assert client.is_closed()
    with web.client() as client:
        client.send(head("POST", "/missing", "Content-Length: 3", "Expect: 100-continue"))
        answer = client.response()
        assert (answer.status, answer.field("Connection")) == (404, "close")
        assert client.is_closed()
    with web.client() as client:
        client.send(head("POST", "/size", "Content-Length: 3", "Expect: miracles"))
        assert client.response().status == 417


# ---- Targets and routes

def test_absolute_form(web):
    with web.client() as client:
        client.send(head("GET", "http://Named.Example:81/host?q"))
        assert client.response().text == "named.example http://Named.Example:81/host?q"
        client.send(head("GET", "HTTP://h/hello"))
        assert client.response().text == "Hello, World!"
        client.send(head("GET", "http://h"))
        assert client.response().text == "/"
        client.send(head("GET", "http://h?q"))
        assert client.response().text == "/"


def test_hosts(web):
    with web.client() as client:
        for host, text in (("other.example", "the other host"), ("OTHER.example:8080", "the other host"),
                           ("third.example", "third.example /host"), ("[::1]:80", "[::1] /host"), ("", " /host")):
            client.send(f"GET /host HTTP/1.1\r\nHost: {host}\r\n\r\n")
            assert client.response().text == text
        client.send(old("/host", "Connection: keep-alive"))
        assert client.response().text == " /host"


@pytest.mark.parametrize("target, text", [
    ("/segment/a%20b", "a b"), ("/segment/a+b", "a+b"), ("/segment/a%2Fb", "a/b"), ("/segment/%c3%a9", "é"),
    ("/segment/a%25b", "a%b"), ("/segment/%66ixed", "fixed"), ("/%68ello", "Hello, World!"),
    ("/segment/fixed", "fixed"), ("/segment/fixe", "fixe"),
    ("/rest/", ""), ("/rest/a", "a"), ("/rest/a/b/", "a/b/"), ("/rest/a%2Fb/c", "a/b/c"),
    ("/rest/a//b", "a/b"), ("/rest/./a/./b", "a/b"), ("/rest/a/../b", "b"), ("/rest/a/%2e%2e/b", "b"),
    ("/rest/a/..", ""), ("/rest/...", "..."), ("/rest/..a", "..a"), ("//hello", "Hello, World!"),
    ("/x/../hello", "Hello, World!"), ("/./hello", "Hello, World!"),
    ("/", "/"), ("/?a=b", "/"), ("/hello?x=/../y", "Hello, World!"),
    ("/tree/", "/tree/"), ("/tree/a/b", "/tree/a/b"), ("/tree/leaf", "leaf"), ("/tree/leaf/", "/tree/leaf/"),
])
def test_targets(web, target, text):
    answer = web.request("GET", target)
    assert (answer.status, answer.text) == (200, text)


@pytest.mark.parametrize("target, location", [
    ("/tree", "/tree/"), ("/tree?a=b&c=%20", "/tree/?a=b&c=%20"), ("//tree", "/tree/"), ("/rest", "/rest/"),
    ("http://h/tree", "/tree/"),
])
def test_slash_redirect(web, target, location):
    for method in ("GET", "HEAD"):
        answer = web.request(method, target)
        assert (answer.status, answer.field("Location")) == (308, location)


def test_redirect(web):
    answer = web.request("GET", "/old")
    assert (answer.status, answer.field("Location"), answer.body) == (308, "/hello", b"")
    answer = web.request("POST", "/moved", body=b"x")
    assert (answer.status, answer.field("Location")) == (301, "http://other.example/x")


def test_statuses(web):
    answer = web.request("GET", "/teapot")
    assert (answer.status, answer.text) == (404, "nothing here")
    assert web.request("DELETE", "/thing").status == 204
    assert web.request("GET", "/json").field("Content-Type") == "application/json"


# ---- Date

def test_date(web):
    """It is the time of the answer, in the one right form, and goes on."""
    dates = []
    with web.client() as client:
        for _ in range(3):
            for target in ("/hello", "/segment/x", "/stream", "/missing"):
                before = int(time.time())
                date = client.request("GET", target).field("Date")
                then = email.utils.parsedate_to_datetime(date).timestamp()
                assert before - 1 <= then <= time.time()
                assert email.utils.formatdate(then, usegmt=True) == date
                dates.append(then)
            time.sleep(0.6)
    assert dates == sorted(dates)
    assert dates[-1] > dates[0]


# ---- Listeners

def test_listeners(server, program, tmp_path):
    port, port2 = port_unused(), port_unused()
    with server(program=program, env={"PORT": str(port), "PORT2": str(port2), "ADDRESS": "127.0.0.2"}) as web:
        assert f"listening on 127.0.0.1:{port}, [::1]:{web.ports[1]}, unix:web.sock, 127.0.0.2:{port2};" in web.log()
        places = [{"port": port}, {"port": web.ports[1], "host": "::1"}, {"path": tmp_path / "web.sock"},
                  {"port": port2, "host": "127.0.0.2"}]
        for place in places:
            for _ in range(10):  # the threads share them
                with Client(**place) as client:
                    assert client.request("GET", "/hello").text == "Hello, World!"
                    assert client.request("POST", "/size", body=bytes(60000)).text == "60000"
                    assert len(client.request("GET", "/large").body) == 30000
        with pytest.raises(ConnectionRefusedError):
            Client(port, "127.0.0.2")
    assert not (tmp_path / "web.sock").exists()


def test_start_line(web):
    lines = web.log().splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("web: listening on 127.0.0.1:")
    assert "ms;" in lines[0] and lines[0].endswith("bytes reserved")


# ---- Stop

@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_stop_while_requests_run(server, program, number):
    """Those that have begun are answered, new clients are refused, the process ends with 0."""
    with server(program=program) as web:
        clients = [web.client() for _ in range(4)]
        clients[0].send(head("GET", "/slow"))
        clients[1].send(head("GET", "/slow"))
        clients[2].send(head("POST", "/size", "Content-Length: 10") + b"12345")
        assert clients[3].request("GET", "/hello").status == 200
        time.sleep(0.05)
        web.process.send_signal(number)
        assert clients[3].is_closed()
        assert clients[0].response().text == "slow"
        assert clients[1].response().text == "slow"
        clients[2].send("67890")
        assert clients[2].response().text == "10"
        for client in clients:
            assert client.is_closed()
            client.close()
        assert web.process.wait(5 * SCALE) == 0
        with pytest.raises(ConnectionRefusedError):
            web.client()


def test_stop_under_load(server, program):
    """No answer that has begun is cut, whatever the moment."""
    with server(program=program) as web:
        broken = []
        answered = [0] * 8

        def ask(number):
            try:
                while True:
                    with web.client() as client:
                        for _ in range(20):
                            answer = client.request("GET", ("/hello", "/large", "/stream")[number % 3])
                            answered[number] += 1
                            if answer.status != 200:
                                broken.append(answer)
                            if answer.field("Connection") == "close":
                                break
            except ConnectionRefusedError:
                pass  # it has stopped
            except (AssertionError, OSError) as error:
                broken.append(error)

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        assert wait_until(lambda: min(answered) > 20)
        web.stop()
        for thread in threads:
            thread.join()
        # A request that meets the close of an idle connection is lost by HTTP's own rules: closed before its first byte.
        assert [error for error in broken if "closed in a status line: b''" not in str(error)
                and not isinstance(error, (ConnectionResetError, BrokenPipeError))] == []


def test_hup_does_not_stop(web):
    web.process.send_signal(signal.SIGHUP)
    assert wait_until(lambda: "HUP" in web.log())
    assert web.request("GET", "/hello").status == 200


def test_signals_do_not_reach_the_threads(web):
    """PIPE, ALRM and the like keep their defaults only where they cannot hurt: a client that goes away is no signal."""
    for _ in range(20):
        with web.client() as client:
            client.send(head("GET", "/large") * 20)
            client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    assert web.request("GET", "/hello").status == 200

