"""Fixtures of all black-box tests: generate, build, start and stop servers, and speak HTTP/1.1 to them strictly.

ctest says by environment variables what to test and how (tests/CMakeLists.txt):
  HARDWIRE             the generator
  HARDWIRE_BUILD       the build folder, which holds hardwire.pc
  HW_TEST_CC           the compiler of generated servers
  HW_TEST_CFLAGS       its flags, those of a sanitizer among them
  HW_TEST_SANITIZERS   "", "address,undefined" or "thread"
"""
import contextlib
import os
import re
import shlex
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
SPECS = REPOSITORY / "specs"
BUILD = Path(os.environ.get("HARDWIRE_BUILD", REPOSITORY / "build"))
HARDWIRE = Path(os.environ.get("HARDWIRE", BUILD / "hardwire"))
CC = os.environ.get("HW_TEST_CC", "cc")
CFLAGS = os.environ.get("HW_TEST_CFLAGS", "-O1 -g")
SANITIZERS = os.environ.get("HW_TEST_SANITIZERS", "")
WARNINGS = "-std=c17 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror"

# What the specs of specs/ take from the environment.
ENVIRONMENT = {"PORT": "0", "TLS_PORT": "0", "CERTIFICATE": str(REPOSITORY / "certs" / "dev.pem"),
               "KEY": str(REPOSITORY / "certs" / "dev.key")}

# How much slower than usual everything may be: times in tests are multiplied by it.
SCALE = 5 if SANITIZERS else 1

SANITIZER_REPORT = re.compile(r"ERROR: \w+Sanitizer|WARNING: \w+Sanitizer|runtime error: |SUMMARY: \w+Sanitizer")
LISTENING = re.compile(r"(?:\d+\.\d+\.\d+\.\d+|\[[0-9a-f:.]+\]):(\d+)")


def run(command, **options):
    """Runs a command to its end and returns it with its output as text; never raises for its exit status."""
    options.setdefault("timeout", 120 * SCALE)
    return subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          check=False, **options)


# ---- From a spec to a program.

class Output:
    """What `hardwire generate` wrote."""

    def __init__(self, spec, folder):
        self.spec = spec
        self.folder = folder
        self.name = re.search(r"^name: *(\w+)", spec.read_text(), re.MULTILINE)[1]
        self.program = folder / self.name


def spec_place(tmp_path_factory, spec, sources):
    """The path of a spec that is a path, or a text to be written into a new folder with its sources {name: text}."""
    if isinstance(spec, Path):
        return spec
    folder = tmp_path_factory.mktemp("spec")
    for name, text in (sources or {}).items():
        (folder / name).write_text(text)
    name = re.search(r"^name: *(\w+)", spec, re.MULTILINE)[1]
    path = folder / f"{name}.yaml"
    path.write_text(spec)
    return path


@pytest.fixture(scope="session")
def generate(tmp_path_factory):
    """generate(SPEC, vendor=False, sources=None, folder=None): generates from a path or a text into `folder`, or a new
    one, and returns its Output."""

    def generate_(spec, vendor=False, sources=None, folder=None):
        path = spec_place(tmp_path_factory, spec, sources)
        folder = folder or tmp_path_factory.mktemp("out")
        result = run([HARDWIRE, "generate", path, "-o", folder] + (["--vendor"] if vendor else []))
        assert result.returncode == 0, result.stdout + result.stderr
        return Output(path, folder)

    return generate_


def make(folder, cc=CC, cflags=f"{WARNINGS} {CFLAGS}", env=None):
    """Runs make in an output folder; the sanitizers' flags are for the linker too."""
    sanitize = " ".join(word for word in shlex.split(cflags) if word.startswith("-fsanitize"))
    return run(["make", "-C", folder, f"CC={cc}", f"CFLAGS={cflags}", f"LDFLAGS={sanitize}"], env=env)


@pytest.fixture(scope="session")
def build_server(generate):
    """build_server(SPEC, vendor=False, sources=None): generates and compiles with the flags of this run, warnings as
    errors; returns the Output. The same spec and sources are built once a session."""
    built = {}

    def build_server_(spec, vendor=False, sources=None):
        key = (str(spec), vendor, tuple(sorted((sources or {}).items())))
        if key not in built:
            output = generate(spec, vendor, sources)
            result = make(output.folder)
            assert result.returncode == 0, result.stdout + result.stderr
            assert os.access(output.program, os.X_OK), f"make left no {output.program}"
            built[key] = output
        return built[key]

    return build_server_


# ---- A running server.

class Server:
    def __init__(self, process, log):
        self.process = process
        self.pid = process.pid
        self.log_path = log
        self.ports = []
        self.port = None

    def log(self):
        """What it has written to standard output and standard error."""
        return self.log_path.read_text(errors="replace")

    def wait_started(self, seconds):
        """Waits for the line that says where it listens."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            lines = self.log().split("\n")[:-1]
            self.ports = [int(port) for line in lines for port in LISTENING.findall(line)]
            if self.ports or any("unix:" in line for line in lines):
                self.port = self.ports[0] if self.ports else None
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.002)
        pytest.fail(f"the server did not start (status {self.process.poll()}):\n{self.log()}")

    def client(self, **options):
        return Client(self.port, **options)

    def request(self, method, target, fields=(), body=None):
        """One request on a connection of its own."""
        with self.client() as client:
            return client.request(method, target, fields, body)

    def stop(self, number=signal.SIGTERM, seconds=10):
        """Sends a signal and asserts that the server ends well."""
        self.process.send_signal(number)
        try:
            status = self.process.wait(seconds * SCALE)
        except subprocess.TimeoutExpired:
            pytest.fail(f"the server did not stop within {seconds * SCALE} s:\n{self.log()}")
        assert status == 0, f"the server ended with status {status}:\n{self.log()}"

    def sanitizers_check(self):
        assert not SANITIZER_REPORT.search(self.log()), self.log()


@pytest.fixture
def server(build_server, tmp_path):
    """server(SPEC, sources=None, env=None, program=None, cwd=None): a context with a running Server on ports that the
    kernel chose. The spec takes its ports from the environment variables PORT and TLS_PORT, or has port 0. At the end the server gets
    TERM unless it has ended; it must then exit with 0 and without a sanitizer's report."""
    count = 0

    @contextlib.contextmanager
    def server_(spec=None, sources=None, env=None, program=None, cwd=None):
        nonlocal count
        count += 1
        program = program or build_server(spec, sources=sources).program
        log = tmp_path / f"server-{count}.log"
        with open(log, "wb") as output:
            process = subprocess.Popen([program], stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                       cwd=cwd or tmp_path, env={**os.environ, **ENVIRONMENT, **(env or {})})
        started = Server(process, log)
        try:
            started.wait_started(10 * SCALE)
            yield started
            if process.poll() is None:
                started.stop()
            started.sanitizers_check()
        finally:
            if process.poll() is None:
                process.kill()
            process.wait()

    return server_


# ---- A client that forgives nothing.

TOKEN = rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
STATUS_LINE = re.compile(rb"HTTP/1\.([01]) ([1-5][0-9][0-9]) ([\t\x20-\x7e\x80-\xff]*)\r\n")
FIELD_LINE = re.compile(rb"(" + TOKEN + rb"):[ \t]*([\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?)?"
                        rb"[ \t]*\r\n")
CHUNK_LINE = re.compile(rb"([0-9A-Fa-f]{1,16})\r\n")
DATE = re.compile(r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun), [0-3]\d (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} "
                  r"[0-2]\d:[0-5]\d:[0-6]\d GMT")


class Malformed(AssertionError):
    """The peer sent what is not HTTP/1.1."""


class Closed(AssertionError):
    """The connection ended where a response was due."""


class Response:
    def __init__(self, minor, status, reason, fields):
        self.minor = minor
        self.status = status
        self.reason = reason
        self.fields = fields
        self.body = b""
        self.chunks = None  # the sizes of the chunks of a chunked response

    def field(self, name):
        """The value of this field, or None; several are an error."""
        values = [value for key, value in self.fields if key.lower() == name.lower()]
        if len(values) > 1:
            raise Malformed(f"{len(values)} fields {name}: {values}")
        return values[0] if values else None

    @property
    def text(self):
        return self.body.decode()

    def __repr__(self):
        return f"<{self.status} {self.reason} {self.fields} {self.body[:200]!r}>"


class Client:
    """One connection. Fails at the first byte that RFC 9112 does not allow."""

    def __init__(self, port=None, host="127.0.0.1", path=None, connected=None, timeout=5):
        """Connects to a port or to the unix socket at `path`, or takes over a `connected` socket."""
        self.timeout = timeout * SCALE
        self.buffer = b""
        if connected is not None:
            self.socket = connected
        elif path is None:
            self.socket = socket.create_connection((host, port), self.timeout)
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        else:
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.settimeout(self.timeout)
            self.socket.connect(str(path))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data.encode("latin-1") if isinstance(data, str) else data)

    def send_end(self):
        self.socket.shutdown(socket.SHUT_WR)

    # -- Reading.

    def fill(self, timeout=None):
        """Reads once; False at the end of the connection."""
        self.socket.settimeout(self.timeout if timeout is None else timeout)
        try:
            data = self.socket.recv(65536)
        except ConnectionResetError:
            data = b""
        self.buffer += data
        return bool(data)

    def take(self, size):
        while len(self.buffer) < size:
            if not self.fill():
                raise Closed(f"closed after {len(self.buffer)} of {size} bytes")
        taken, self.buffer = self.buffer[:size], self.buffer[size:]
        return taken

    def line(self, pattern, what):
        while b"\n" not in self.buffer:
            if len(self.buffer) > 65536:
                raise Malformed(f"{what} without an end")
            if not self.fill():
                raise Closed(f"closed in {what}: {self.buffer!r}")
        line = self.take(self.buffer.index(b"\n") + 1)
        match = pattern.fullmatch(line)
        if match is None:
            raise Malformed(f"{what}: {line!r}")
        return match

    def fields(self):
        fields = []
        end = re.compile(FIELD_LINE.pattern + rb"|\r\n")
        while True:
            match = self.line(end, "a field line")
            if match[0] == b"\r\n":
                return fields
            fields.append((match[1].decode(), (match[2] or b"").decode("latin-1")))

    def response(self, head=False):
        """Reads the next response, interim ones included. `head`: it answers a HEAD request."""
        match = self.line(STATUS_LINE, "a status line")
        response = Response(int(match[1]), int(match[2]), match[3].decode("latin-1"), self.fields())
        length, coding = response.field("Content-Length"), response.field("Transfer-Encoding")
        if length is not None and (coding is not None or not re.fullmatch("[0-9]+", length)):
            raise Malformed(f"framing: {response}")
        if response.status >= 200 and not DATE.fullmatch(response.field("Date") or ""):
            raise Malformed(f"Date: {response}")
        if response.status < 200 or response.status in (204, 304):
            if coding is not None or (length is not None and response.status != 304):
                raise Malformed(f"framing of a response without content: {response}")
        elif head:
            pass
        elif coding is not None:
            if coding != "chunked" or response.minor == 0:
                raise Malformed(f"framing: {response}")
            self.chunked(response)
        elif length is not None:
            response.body = self.take(int(length))
        else:
            if response.field("Connection") != "close":
                raise Malformed(f"neither framing nor Connection: close: {response}")
            while self.fill():
                pass
            response.body, self.buffer = self.buffer, b""
        return response

    def chunked(self, response):
        response.chunks = []
        while True:
            size = int(self.line(CHUNK_LINE, "a chunk's size")[1], 16)
            if size == 0:
                response.fields += self.fields()
                return
            response.body += self.take(size)
            response.chunks.append(size)
            if self.take(2) != b"\r\n":
                raise Malformed("no CRLF behind a chunk")

    def request(self, method, target, fields=(), body=None):
        """Sends a request and reads its final response."""
        lines = [f"{method} {target} HTTP/1.1", "Host: test.example"]
        lines += [f"{name}: {value}" for name, value in dict(fields).items()]
        if body is not None:
            lines.append(f"Content-Length: {len(body)}")
        head = "\r\n".join(lines) + "\r\n\r\n"
        self.send(head.encode("latin-1") + (body or b""))
        return self.response(head=method == "HEAD")

    def is_closed(self, seconds=5):
        """Waits for the peer's close; False when it does not come. Bytes that come instead are an error."""
        end = time.monotonic() + seconds * SCALE
        try:
            while self.fill(max(end - time.monotonic(), 0.001)):
                raise Malformed(f"bytes where the close was due: {self.buffer!r}")
        except TimeoutError:
            return False
        if self.buffer:
            raise Malformed(f"bytes before the close: {self.buffer!r}")
        return True


def curl(*arguments):
    """Runs curl and returns what it printed."""
    result = run(["curl", "-sS", "--max-time", str(10 * SCALE), *arguments])
    assert result.returncode == 0, result.stderr
    return result.stdout
