"""Memory: none is taken for a request, little is held, none is leaked, and as much is reserved as was said."""
# ctest: serial
import os
import re
import signal
import socket
import struct
import subprocess
import time

import pytest

from conftest import CC, HARDWIRE, SANITIZERS, SPECS, Server, run
from support import FOLDER, descriptors, head, needs, post, resident_kib, wait_until

COUNTED = ["malloc", "calloc", "realloc", "aligned_alloc", "mmap", "brk"]

no_sanitizer = pytest.mark.skipif(SANITIZERS != "", reason="a sanitizer takes memory of its own")


# ---- Nothing is allocated

@pytest.fixture(scope="module")
def counter(tmp_path_factory):
    """The library that counts."""
    library = tmp_path_factory.mktemp("preload") / "count.so"
    result = run([CC, "-O1", "-fPIC", "-shared", "-Wall", "-Wextra", "-Werror", "-o", library, FOLDER / "preload/count.c"])
    assert result.returncode == 0, result.stderr
    return library


class Counted:
    """A server under the counting library and under strace, which sees what libc itself asks of the kernel."""

    def __init__(self, program, counter, folder):
        self.counts_file = folder / "counts"
        self.counts_file.write_bytes(bytes(8 * len(COUNTED)))
        self.trace_file = folder / "trace"
        log = folder / "log"
        # -D: the server is our child, strace its tracer elsewhere. seccomp-bpf: only these calls are slowed down.
        command = ["strace", "-D", "-f", "-qq", "--seccomp-bpf", "-o", self.trace_file, "-e",
                   "trace=mmap,brk,mremap,munmap,madvise", "-E", f"LD_PRELOAD={counter}", "-E",
                   f"HW_COUNT_FILE={self.counts_file}", program]
        with open(log, "wb") as output:
            process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=output,
                                       stderr=output, cwd=folder, env={**os.environ, "PORT": "0"})
        self.server = Server(process, log)

    def counts(self):
        """So many calls of each by now; the kernel's calls behind them."""
        calls = dict(zip(COUNTED, struct.unpack(f"{len(COUNTED)}Q", self.counts_file.read_bytes())))
        lines = [line for line in self.trace_file.read_text().splitlines() if "resumed" not in line and "(" in line]
        return calls, lines

    def end(self):
        if self.server.process.poll() is None:
            self.server.process.send_signal(signal.SIGKILL)
        self.server.process.wait()


@pytest.fixture
def counted(build_server, counter, tmp_path):
    made = []

    def counted_(spec):
        made.append(Counted(build_server(spec).program, counter, tmp_path))
        made[-1].server.wait_started(10)
        return made[-1]

    yield counted_
    for each in made:
        each.end()


def h2load(server, path, requests, *more):
    """Sends the requests on 100 connections unless `more` says otherwise; all must succeed."""
    result = run(["h2load", "--h1", "-c", "100", "-n", requests, *more, f"http://127.0.0.1:{server.port}{path}"])
    assert f"{requests} succeeded, 0 failed, 0 errored, 0 timeout" in result.stdout, result.stdout + result.stderr


def mixed(server):
    """What h2load does not send: bodies of all kinds, streams, pipelines, refusals, hang-ups."""
    for _ in range(20):
        with server.client() as client:
            client.send(head("GET", "/items") + post("/items", b"x" * 50, "chunked") + post("/items", b"y" * 100))
            assert [client.response().status for _ in range(3)][0] == 200
            client.send(head("GET", "/slow") + head("HEAD", "/items/1") + head("OPTIONS", "/items") + b"no http\r\n\r\n")
            assert client.response().text == "slow\n"
        with server.client() as client:
            client.send(post("/items", b"z" * 300))
            assert client.response().status == 413
        with server.client() as client:
            client.send(head("GET", "/items"))


@no_sanitizer
@needs("strace")
@needs("h2load")
@pytest.mark.parametrize("name, loads, others", [
    ("hello", [("/hello", 200000, ["-m", "4"])], None),
    ("api", [("/items/1", 60000, []), ("/items", 20000, []), ("/slow", 2000, [])], mixed),
    ("upload", [("/upload", 400, ["-d", "payload"])], None),
])
def test_no_request_allocates(counted, tmp_path, monkeypatch, name, loads, others):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "payload").write_bytes(bytes(512 * 1024))
    running = counted(SPECS / f"{name}.yaml")
    server = running.server
    if name == "api":
        assert server.request("POST", "/items", body=b"one").status == 201

    def load(divisor):
        for path, requests, more in loads:
            h2load(server, path, requests // divisor, *more)
        if others is not None:
            others(server)

    load(4)  # warm-up
    before = running.counts()
    assert before[0]["mmap"] > 0 and len(before[1]) > 5, "nothing is counted"
    load(1)
    after = running.counts()
    assert after[0] == before[0]
    assert after[1] == before[1]


@no_sanitizer
@needs("strace")
def test_the_counter_counts(build_server, counted):
    """Starting takes memory: both ways of counting see it."""
    calls, lines = counted(SPECS / "hello.yaml").counts()
    assert calls["mmap"] >= 1
    assert any("mmap(" in line for line in lines)


# ---- Little is held

@no_sanitizer
def test_idle_server_is_small(server):
    with server(SPECS / "hello.yaml") as hello:
        assert hello.request("GET", "/hello").status == 200
        time.sleep(0.2)
        assert resident_kib(hello.pid) <= 4096


@no_sanitizer
def test_links_libc_only(build_server):
    for name in ("hello", "api"):
        result = run(["ldd", build_server(SPECS / f"{name}.yaml").program])
        libraries = {line.split()[0].split("/")[-1].split(".so")[0] for line in result.stdout.splitlines()}
        assert libraries <= {"linux-vdso", "linux-gate", "libc", "ld-linux-x86-64", "ld-linux-aarch64"}, result.stdout


@no_sanitizer
def test_first_request_soon_after_exec(build_server, tmp_path):
    """From exec to the first answer, the best of five."""
    program = build_server(SPECS / "hello.yaml").program
    best = 1.0
    for _ in range(5):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        with open(tmp_path / "log", "wb") as log:
            began = time.monotonic()
            process = subprocess.Popen([program], stdout=log, stderr=log, env={"PORT": str(port)})
        try:
            best = min(best, time_of_answer(port) - began)
        finally:
            process.kill()
            process.wait()
    assert best <= 0.020, f"{best * 1000:.1f} ms"


def time_of_answer(port):
    end = time.monotonic() + 5
    while time.monotonic() < end:
        try:
            with socket.create_connection(("127.0.0.1", port)) as connection:
                connection.sendall(head("GET", "/hello"))
                assert connection.recv(1000).startswith(b"HTTP/1.1 200 OK\r\n")
                return time.monotonic()
        except ConnectionRefusedError:
            time.sleep(0.0002)
    raise AssertionError("no answer")


# ---- None is leaked

@needs("h2load")
@no_sanitizer
def test_uploads_do_not_grow(server, tmp_path):
    payload = tmp_path / "payload"
    payload.write_bytes(bytes(512 * 1024))
    with server(SPECS / "upload.yaml") as upload:
        for _ in range(3):  # more at a time than later: what the kernel gives on first touch is there
            h2load(upload, "/upload", 400, "-d", payload, "-c", "200")
        before = resident_kib(upload.pid)
        for _ in range(3):
            h2load(upload, "/upload", 500, "-d", payload, "-c", "10")
            assert resident_kib(upload.pid) <= before + 128


@pytest.mark.parametrize("name", ["hello", "api", "upload", "actuator"])
def test_reserved_is_what_explain_says(server, name):
    result = run([HARDWIRE, "explain", SPECS / f"{name}.yaml"])
    assert result.returncode == 0, result.stderr
    lines = result.stdout[result.stdout.index("\nMemory"):].splitlines()
    budget = [int(match[1]) for match in (re.match(r" *(\d+) .*(?<!in all)$", line) for line in lines) if match]
    (said,) = re.findall(r"^ *(\d+) .*in all$", result.stdout, re.MULTILINE)
    limit = budget.pop()  # limits.memory_size, the last line
    assert sum(budget) == int(said) <= limit
    with server(SPECS / f"{name}.yaml") as running:
        (reserved,) = re.findall(r"; (\d+) bytes reserved\n", running.log())
        assert reserved == said
        assert reserved_kib(running.pid) <= int(said) / 1024 or SANITIZERS


def reserved_kib(pid):
    """The writable memory that is nobody else's, from no file but the program's own: what there can be in all."""
    total = 0
    with open(f"/proc/{pid}/maps") as maps:
        for line in maps:
            place, rights, _, _, inode, *_ = line.split()
            begin, end = (int(part, 16) for part in place.split("-"))
            if rights.startswith("rw") and rights.endswith("p") and inode == "0":
                total += end - begin
    return total // 1024


def test_descriptors_are_given_back(server):
    with server(SPECS / "hello.yaml") as hello:
        before = descriptors(hello.pid)
        clients = [hello.client() for _ in range(100)]
        assert all(client.request("GET", "/hello").status == 200 for client in clients)
        assert descriptors(hello.pid) == before + 100
        for client in clients:
            client.close()
        assert wait_until(lambda: descriptors(hello.pid) == before)
