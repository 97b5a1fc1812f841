"""The load tools that people use: no error of any kind."""
# ctest: serial
import re

import pytest

from conftest import SANITIZERS, SPECS, run
from support import many_files, needs

SHARE = 20 if SANITIZERS else 1


@pytest.fixture
def hello(server):
    with many_files(4096), server(SPECS / "hello.yaml") as running:
        yield running


def h2load(server, path, requests, *more):
    """Runs h2load over HTTP/1.1; every request must succeed with 200."""
    result = run(["h2load", "--h1", "-n", requests, *more, f"http://127.0.0.1:{server.port}{path}"])
    assert f"{requests} succeeded, 0 failed, 0 errored, 0 timeout" in result.stdout, result.stdout + result.stderr
    assert f"status codes: {requests} 2xx, 0 3xx, 0 4xx, 0 5xx" in result.stdout, result.stdout


@needs("wrk")
def test_wrk(hello):
    connections = 1000 if not SANITIZERS else 200
    result = run(["wrk", "-t4", f"-c{connections}", "-d2s", "--latency", f"http://127.0.0.1:{hello.port}/hello"])
    assert result.returncode == 0, result.stdout + result.stderr
    assert int(re.search(r"(\d+) requests in ", result.stdout)[1]) > 1000 // SHARE
    assert "Socket errors" not in result.stdout, result.stdout
    assert "Non-2xx" not in result.stdout, result.stdout
    assert hello.request("GET", "/hello").status == 200


@needs("h2load")
def test_h2load_pipelined(hello):
    h2load(hello, "/hello", 100000 // SHARE, "-c", "10", "-m", "100")


@needs("h2load")
def test_h2load_many_connections(hello):
    h2load(hello, "/hello", 100000 // SHARE, "-c", "1000" if not SANITIZERS else "200")


@needs("h2load")
@pytest.mark.parametrize("size", [512 * 1024, 100, 70000])
def test_h2load_upload(server, tmp_path, size):
    payload = tmp_path / "payload"
    payload.write_bytes(bytes(size))
    with server(SPECS / "upload.yaml") as upload:
        h2load(upload, "/upload", 500 // SHARE, "-c", "10", "-d", payload)


@needs("h2load")
@pytest.mark.parametrize("path, requests", [("/items/1", 20000), ("/items", 10000), ("/slow", 1000)])
def test_h2load_handlers(server, path, requests):
    with server(SPECS / "api.yaml") as api:
        assert api.request("POST", "/items", body=b"an item").status == 201
        h2load(api, path, requests // SHARE, "-c", "50")
        h2load(api, path, requests // SHARE, "-c", "5", "-m", "20")
