"""An environment that a server cannot start in: one clear line, exit 2, nothing left behind. And a handler that is missing
when it is linked."""
import os
import resource
import signal
import socket
import subprocess

import pytest

from conftest import SCALE, Client, make
from support import port_unused, wait_until

SPEC = """
hardwire: 1
name: place
listen:
  - {address: {env: ADDRESS, default: 127.0.0.1}, port: {env: PORT, default: 0}}
  - {unix: run/place.sock}
threads: {io: 2, workers: 2}
limits: {connections: 500, memory_size: 32MiB}
routes:
  GET /hello: {text: hello}
"""


@pytest.fixture(scope="module")
def program(build_server):
    return build_server(SPEC).program


@pytest.fixture
def place(tmp_path):
    """Where the socket will be, in the working directory of the servers."""
    (tmp_path / "run").mkdir()
    return tmp_path / "run/place.sock"


@pytest.fixture
def elsewhere(tmp_path):
    """Another working directory."""
    (tmp_path / "elsewhere/run").mkdir(parents=True)
    return tmp_path / "elsewhere"


@pytest.fixture
def refused(program, place, tmp_path):
    """refused(env, cwd, limits): starts the server, asserts that it ends at once with one line, and returns that."""

    def refused_(env=None, cwd=None, prepare=None):
        result = subprocess.run([program], cwd=cwd or tmp_path, env={**os.environ, "PORT": "0", **(env or {})},
                                capture_output=True, text=True, timeout=10 * SCALE, preexec_fn=prepare, check=False)
        lines = result.stderr.splitlines()
        assert (result.returncode, result.stdout, len(lines)) == (2, "", 1), result
        assert lines[0].startswith("place: ")
        return lines[0]

    return refused_


# ---- Ports

def test_second_instance(server, program, refused, place, elsewhere):
    port = str(port_unused())
    with server(program=program, env={"PORT": port}, cwd=elsewhere) as first:
        line = refused({"PORT": port})
        assert f"127.0.0.1:{port}" in line and "Address already in use" in line
        assert first.request("GET", "/hello").text == "hello"
        assert not place.exists()
    with server(program=program, env={"PORT": port}) as again:  # at once, though connections are in TIME_WAIT
        assert again.request("GET", "/hello").text == "hello"


@pytest.mark.parametrize("reuse", [0, socket.SO_REUSEADDR, socket.SO_REUSEPORT])
def test_port_of_another_process(refused, reuse):
    with socket.socket() as other:
        if reuse:
            other.setsockopt(socket.SOL_SOCKET, reuse, 1)
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert f"127.0.0.1:{port}" in refused({"PORT": str(port)})


@pytest.mark.parametrize("port", ["", "x", "65536", "-1", "80a", "8080 ", "99999999999", "0x50"])
def test_bad_port(refused, port):
    line = refused({"PORT": port})
    assert "PORT" in line and f'"{port}"' in line


@pytest.mark.parametrize("address", ["", "example.com", "1.2.3", "256.1.1.1", "::g"])
def test_bad_address(refused, address):
    line = refused({"ADDRESS": address})
    assert "ADDRESS" in line and f'"{address}"' in line


def test_address_of_another_machine(refused):
    line = refused({"ADDRESS": "192.0.2.1"})
    assert "192.0.2.1" in line and "Cannot assign requested address" in line


@pytest.mark.skipif(os.geteuid() == 0, reason="root may bind to every port")
def test_privileged_port(refused):
    assert "Permission denied" in refused({"PORT": "1"})


# ---- Descriptors and memory

def test_too_few_descriptors(refused):
    line = refused(prepare=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100)))
    assert "open files" in line and "100" in line and "limits.connections" in line


def test_soft_limit_is_raised(server, program, place):
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    if before[1] < 1000:
        pytest.skip("the hard limit is too low")
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, before[1]))
    try:
        with server(program=program) as running:
            resource.setrlimit(resource.RLIMIT_NOFILE, before)
            clients = [running.client() for _ in range(200)]
            assert all(client.request("GET", "/hello").status == 200 for client in clients)
            for client in clients:
                client.close()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


# ---- Unix sockets

def test_unwritable_place(refused, place, elsewhere):
    place.write_text("precious")
    assert "unix:run/place.sock" in refused()
    assert place.read_text() == "precious"
    place.unlink()
    place.mkdir()
    assert "unix:run/place.sock" in refused()
    assert place.is_dir()
    (elsewhere / "run").rmdir()
    line = refused(cwd=elsewhere)
    assert "unix:run/place.sock" in line and "No such file or directory" in line


def test_stale_socket_is_taken_over(server, program, place):
    """What a server that was killed left behind is no obstacle."""
    with server(program=program) as first:
        first.process.send_signal(signal.SIGKILL)
        first.process.wait()
        assert place.exists()
    with server(program=program):
        with Client(path=place) as client:
            assert client.request("GET", "/hello").text == "hello"
    assert not place.exists()


def test_live_socket_is_refused(server, program, refused, place):
    with server(program=program):
        line = refused()
        assert "unix:run/place.sock" in line and "Address already in use" in line
        with Client(path=place) as client:  # it is the first one's still
            assert client.request("GET", "/hello").text == "hello"
    assert not place.exists()


def test_socket_of_another_process_stays(refused, place):
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(place))
        other.listen()
        refused()
        assert place.exists()


def test_failed_start_leaves_nothing(refused, place, elsewhere):
    """One listener is bound, the other cannot be: both are undone."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        refused({"PORT": str(other.getsockname()[1])})
    assert not place.exists()
    (elsewhere / "run").rmdir()
    port = port_unused()
    refused({"PORT": str(port)}, cwd=elsewhere)
    with pytest.raises(ConnectionRefusedError):
        Client(port)


def test_standard_streams_are_closed(program, place, tmp_path):
    """Nobody reads what it writes: it works all the same."""
    port = port_unused()
    process = subprocess.Popen(["sh", "-c", 'exec "$0" >&- 2>&- <&-', program], cwd=tmp_path,
                               env={**os.environ, "PORT": str(port)})
    try:
        def answered():
            try:
                with Client(port) as client:
                    return client.request("GET", "/hello").text == "hello"
            except ConnectionRefusedError:
                return False

        assert wait_until(answered)
        process.terminate()
        assert process.wait(10 * SCALE) == 0
    finally:
        process.kill()
        process.wait()


# ---- A handler that nobody defines

MISSING = """
hardwire: 1
name: lacking
sources: [lacking.c]
routes:
  GET /there: there
  POST /orders/{id}/items: add_item
"""


def test_missing_handler(generate):
    """make fails, and what the linker prints carries the route."""
    source = '#include "lacking.h"\nvoid there(const struct hw_request *request, struct hw_response *response)\n' \
             '{\n    (void)request;\n    hw_empty_send(response);\n}\n'
    output = generate(MISSING, sources={"lacking.c": source})
    result = make(output.folder)
    assert result.returncode != 0
    assert not output.program.exists()
    assert "add_item" in result.stderr
    assert "POST_orders_id_items" in result.stderr
    assert "GET_there" not in result.stderr
