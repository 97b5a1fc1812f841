"""Every spec of specs/: generated, built, started, asked, stopped; and built alone from what --vendor writes."""
# ctest: timeout 400
import json
import os
import re
import shutil
import threading
import time

import pytest

from conftest import SANITIZERS, SCALE, SPECS, WARNINGS, curl, make

ALL = sorted(path.stem for path in SPECS.glob("*.yaml"))


def spec(name):
    return SPECS / f"{name}.yaml"


def test_all_are_tested():
    assert ALL == ["actuator", "api", "cases", "hello", "hello_h2", "upload"]


@pytest.mark.parametrize("name", ALL)
def test_name_is_the_base_name(name):
    assert re.search(rf"^name: {name}$", spec(name).read_text(), re.MULTILINE)


# ---- hello

def test_hello_is_short():
    assert len(spec("hello").read_text().splitlines()) <= 10


def test_hello(server):
    with server(spec("hello")) as hello:
        url = f"http://127.0.0.1:{hello.port}"
        head, _, body = curl("-i", f"{url}/hello").partition("\n\n")
        assert head.startswith("HTTP/1.1 200 OK\n")
        assert body == "Hello, World!"
        answer = hello.request("GET", "/hello")
        assert answer.reason == "OK"
        assert answer.field("Content-Type") == "text/plain; charset=utf-8"
        assert answer.field("Content-Length") == "13"
        assert hello.request("HEAD", "/hello").field("Content-Length") == "13"
        assert hello.request("GET", "/").status == 404
        refused = hello.request("POST", "/hello", body=b"x")
        assert refused.status == 405
        assert sorted(refused.field("Allow").split(", ")) == ["GET", "HEAD", "OPTIONS"]


def test_hello_pipelined(server):
    with server(spec("hello")) as hello, hello.client() as client:
        for _ in range(3):
            client.send("GET /hello HTTP/1.1\r\nHost: h\r\n\r\n" * 100)
            for _ in range(100):
                assert client.response().text == "Hello, World!"
        client.send("GET /hello HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
        assert client.response().field("Connection") == "close"
        assert client.is_closed()


# ---- actuator

def test_actuator(server):
    with server(spec("actuator")) as actuator:
        answer = actuator.request("GET", "/actuator/health")
        assert answer.status == 200
        assert answer.field("Content-Type") == "application/json"
        assert answer.body == b'{"status":"UP"}'


def test_actuator_takes_200_headers(server):
    fields = {f"X-{i}": "1" for i in range(199)}  # and Host
    with server(spec("actuator")) as actuator:
        assert actuator.request("GET", "/actuator/health", fields).status == 200
        assert actuator.request("GET", "/actuator/health", {**fields, "X-199": "1"}).status == 431


# ---- upload

def test_upload_counts(server, tmp_path):
    payload = tmp_path / "payload"
    payload.write_bytes(b"x" * 512 * 1024)
    with server(spec("upload")) as upload:
        assert curl("--data-binary", f"@{payload}", f"http://127.0.0.1:{upload.port}/upload") == "524288\n"
        with upload.client() as client:
            for size in (0, 1, 65536, 1024 * 1024):
                answer = client.request("POST", "/upload", body=b"x" * size)
                assert (answer.status, answer.text) == (200, f"{size}\n")
            client.send("POST /upload HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
                        "3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n")
            assert client.response().text == "7\n"
        assert upload.request("GET", "/hello").text == "Hello, World!"


def test_upload_limit(server):
    with server(spec("upload")) as upload, upload.client() as client:
        client.send(f"POST /upload HTTP/1.1\r\nHost: h\r\nContent-Length: {1024 * 1024 + 1}\r\n\r\n")
        assert client.response().status == 413


# ---- api

def test_api_collection(server):
    with server(spec("api")) as api:
        assert json.loads(api.request("GET", "/items").body) == []
        made = api.request("POST", "/items", body='a "first" one\n'.encode())
        assert made.status == 201
        assert made.field("Location") == "/items/1"
        first = {"id": 1, "name": 'a "first" one\n'}
        second = {"id": 2, "name": "żółw"}
        assert json.loads(made.body) == first
        assert json.loads(api.request("POST", "/items", body="żółw".encode()).body) == second
        assert json.loads(api.request("GET", "/items/2").body) == second
        listed = api.request("GET", "/items")
        assert listed.field("Content-Type") == "application/json"
        assert listed.chunks is not None
        assert json.loads(listed.body) == [first, second]
        assert api.request("DELETE", "/items/1").status == 204
        assert api.request("DELETE", "/items/1").status == 404
        assert api.request("GET", "/items/1").status == 404
        assert json.loads(api.request("GET", "/items").body) == [second]


def test_api_refuses(server):
    with server(spec("api")) as api:
        for target in ("/items/0", "/items/x", "/items/4294967296", "/items/-1", "/items/01", "/items/1%00"):
            assert api.request("GET", target).status == 400, target
        assert api.request("POST", "/items", body=b"").status == 400
        assert api.request("POST", "/items", body=b"x" * 200).status == 201
        assert api.request("POST", "/items", body=b"x" * 201).status == 413
        assert api.request("PUT", "/items/1", body=b"x").status == 405


def test_api_is_full(server):
    with server(spec("api")) as api, api.client() as client:
        # 200 bytes that JSON writes as six each: the longest list that there can be
        assert [client.request("POST", "/items", body=b"\x01" * 200).status for _ in range(65)] == [201] * 64 + [507]
        assert len(json.loads(client.request("GET", "/items").body)) == 64
        assert client.request("DELETE", "/items/7").status == 204
        assert client.request("POST", "/items", body=b"x").status == 201


def test_api_slow_handlers_run_at_a_time(server):
    """64 requests of 5 ms on 16 workers: 20 ms and not 320, and other requests are answered meanwhile."""
    with server(spec("api")) as api:
        statuses = []

        def ask():
            with api.client() as client:
                for _ in range(4):
                    statuses.append(client.request("GET", "/slow").status)

        threads = [threading.Thread(target=ask) for _ in range(16)]
        for thread in threads:
            thread.start()
        assert api.request("GET", "/items/1").status == 404
        for thread in threads:
            thread.join()
        assert statuses == [200] * 64


# ---- cases

def test_cases(server):
    with server(spec("cases")) as cases:
        assert cases.request("GET", "/hello").text == "Hello, World!"
        assert cases.request("POST", "/echo", body=b"abc\0def").body == b"abc\0def"
        assert cases.request("POST", "/echo", body=b"x" * 1024 * 1024).body == b"x" * 1024 * 1024
        assert cases.request("GET", "/echo").status == 405
        assert cases.request("GET", "/users/a%20b%2Fc").text == "a b/c"
        assert cases.request("GET", "/cookie/sid", {"Cookie": "a=1; sid=42"}).text == "42"
        assert cases.request("GET", "/cookie/sid", {"Cookie": "a=1"}).status == 404
        assert cases.request("GET", "/cookie/sid%00x", {"Cookie": "sid=42"}).status == 400
        assert cases.request("GET", "/setcookie/abc").field("Set-Cookie") == "v=abc"
        for value in ("a%0d%0aX-Injected:%201", "a%3Bb", "a%20b", "a%22", "a%00", "%7F", "x" * 1024):
            answer = cases.request("GET", f"/setcookie/{value}")
            assert (answer.status, answer.field("Set-Cookie")) == (400, None)


def test_cases_event_stream(server):
    with server(spec("cases")) as cases:
        answer = cases.request("GET", "/sse")
        assert answer.field("Content-Type") == "text/event-stream"
        assert answer.text == "".join(f"data: {i}\n\n" for i in range(1, 11))
        with cases.client() as client:
            client.send("GET /sse HTTP/1.0\r\n\r\n")
            answer = client.response()
            assert (answer.chunks, answer.field("Connection")) == (None, "close")
            assert answer.text.endswith("data: 10\n\n")
        # One that hangs up in the middle does no harm.
        with cases.client() as client:
            client.send("GET /sse HTTP/1.1\r\nHost: h\r\n\r\n")
            assert client.fill()
        assert cases.request("GET", "/hello").status == 200


# ---- hello_h2

def test_hello_h2(server):
    with server(spec("hello_h2")) as running:
        secure = ["-k", f"https://127.0.0.1:{running.ports[1]}/hello"]
        assert curl("--http2-prior-knowledge", f"http://127.0.0.1:{running.port}/hello") == "Hello, World!"
        assert curl("--http2", "-w", "%{http_version}", *secure) == "Hello, World!2"
        assert curl("--http1.1", "-w", "%{http_version}", *secure) == "Hello, World!1.1"
        assert len(running.request("GET", "/page").body) == 65536
        assert running.request("POST", "/upload", body=bytes(1000000)).text.strip() == "1000000"


# ---- --vendor

@pytest.mark.skipif(SANITIZERS != "", reason="the compilers' own flags are tested once")
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("name", ALL)
def test_vendored_output_builds_alone(generate, server, tmp_path, name, compiler):
    """The output is copied away and built without pkg-config, or where OpenSSL and nghttp2 are the system's with the
    system's own: nothing of this repository is within its reach."""
    compiler = compiler if shutil.which(compiler) else f"{compiler}-19"
    generated = generate(spec(name), vendor=True)
    alone = tmp_path / "alone"
    shutil.copytree(generated.folder, alone)
    nowhere = {**os.environ, "PKG_CONFIG_PATH": ""}
    if name not in ("cases", "hello_h2"):
        nowhere |= {"PKG_CONFIG": "false", "PKG_CONFIG_LIBDIR": "/nonexistent"}
    result = make(alone, compiler, f"-O1 {WARNINGS}", env=nowhere)
    assert result.returncode == 0, result.stdout + result.stderr
    with server(program=alone / name) as running:
        assert running.request("GET", "/nothing-is-here").status == 404
