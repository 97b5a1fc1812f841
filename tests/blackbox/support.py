"""What several black-box tests need besides the fixtures: sources of handlers, requests as bytes, and looks at a running
process from outside."""
import contextlib
import os
import resource
import shutil
import socket
import time
from pathlib import Path

import pytest

from conftest import SCALE

FOLDER = Path(__file__).resolve().parent

# A server may be this much too early (its clock is the beginning of its round, in whole milliseconds) or too late.
EARLY = 0.006
LATE = 1.0 * SCALE


def handlers(name):
    """The sources argument of a server whose spec says `sources: [NAME.c]`."""
    return {f"{name}.c": (FOLDER / "handlers" / f"{name}.c").read_text()}


def needs(program):
    """A mark: the test is skipped where this program is not installed."""
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"{program} is not installed")


def head(method, target, *lines):
    """A request's head as bytes, with a Host."""
    return "\r\n".join([f"{method} {target} HTTP/1.1", "Host: h", *lines, "", ""]).encode("latin-1")


def chunked(body, size=1000):
    """A body in the chunked coding, `size` bytes a chunk."""
    chunks = [body[at:at + size] for at in range(0, len(body), size)]
    return b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks) + b"0\r\n\r\n"


def post(target, body, coding="length"):
    """A whole POST request, its body with Content-Length or chunked."""
    if coding == "length":
        return head("POST", target, f"Content-Length: {len(body)}") + body
    return head("POST", target, "Transfer-Encoding: chunked") + chunked(body)


def wait_until(condition, seconds=5):
    """Waits until condition() is true; its last value is returned."""
    end = time.monotonic() + seconds * SCALE
    while not (value := condition()) and time.monotonic() < end:
        time.sleep(0.005)
    return value


class Stopwatch:
    """Asserts that a timeout came neither early nor more than a second late."""

    def __init__(self):
        self.began = time.monotonic()

    def check(self, seconds, most=None):
        passed = time.monotonic() - self.began
        assert passed >= seconds - EARLY, f"{passed * 1000:.0f} ms instead of {seconds * 1000:.0f} ms"
        assert passed <= (most or seconds) + LATE, f"{passed * 1000:.0f} ms instead of {seconds * 1000:.0f} ms"


def is_reset(client):
    """Sends a byte: whether the peer has closed the whole connection, not only its sending side."""
    timeout = client.socket.gettimeout()
    client.socket.setblocking(False)
    try:
        client.socket.send(b"x")
    except BlockingIOError:
        return False
    except (BrokenPipeError, ConnectionResetError):
        return True
    finally:
        client.socket.settimeout(timeout)
    return False


def reset(client):
    """Closes so that the peer gets a reset instead of an end."""
    client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    client.close()


# ---- The process.

def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def resident_kib(pid):
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    raise AssertionError("no VmRSS")


@contextlib.contextmanager
def many_files(count):
    """Lets this process and its children open so many files; skips the test where the system does not."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < count:
        pytest.skip(f"{count} open files are needed, {hard} are allowed")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, count), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def port_unused():
    """A TCP port of 127.0.0.1 that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
