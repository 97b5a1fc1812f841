"""Clients that are slow on purpose, far more than there are buffers: a healthy one is answered throughout."""
# ctest: serial
import selectors
import socket
import threading
import time

import pytest

from conftest import SANITIZERS, SCALE, Client
from support import descriptors, handlers, head, many_files, post, wait_until

SLOW = 200 if SANITIZERS else 1000
SECONDS = 3

SPEC = """
hardwire: 1
name: patient
sources: [patient.c]
listen: {address: 127.0.0.1, port: 0}
threads: {io: 2, workers: 2}
buffers: {size: 8KiB, count: 64, bodies: 8}
limits: {connections: 3000, header_size: 8KiB, body_size: 1MiB, memory_size: 32MiB}
log: {rate: 5}
routes:
  GET /hello: {text: hello}
  POST /discard: {handler: count, body: {mode: discard}}
  POST /memory: {handler: count, body: {mode: memory}}
  POST /worker/memory: {handler: count, body: {mode: memory}, run: worker}
  GET /large: large
  GET /worker/large: {handler: large, run: worker}
"""


@pytest.fixture
def patient(server):
    with many_files(3 * SLOW + 200), server(SPEC, handlers("patient")) as running:
        yield running


class SlowClients:
    """Keeps up `count` connections, from a thread of its own: each sends its `beginning` at once and then one byte a
    second. One that the server closes is opened again."""

    def __init__(self, port, count, beginnings, rest):
        self.port = port
        self.beginnings = beginnings
        self.rest = rest
        self.opened = 0
        self.sent = 0
        self.stopping = False
        self.selector = selectors.DefaultSelector()
        self.connections = [self.open() for _ in range(count)]
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def open(self):
        connection = socket.create_connection(("127.0.0.1", self.port), 5 * SCALE)
        connection.sendall(self.beginnings[self.opened % len(self.beginnings)])
        connection.setblocking(False)
        self.selector.register(connection, selectors.EVENT_READ)
        self.opened += 1
        return connection

    def reopen(self, connection):
        self.selector.unregister(connection)
        connection.close()
        self.connections[self.connections.index(connection)] = self.open()

    def run(self):
        turn = 0
        while not self.stopping:
            began = time.monotonic()
            for key, _ in self.selector.select(0):
                self.reopen(key.fileobj)
            # A tenth of them each tenth of a second.
            for connection in self.connections[turn % 10::10]:
                try:
                    connection.send(self.rest)
                    self.sent += 1
                except OSError:
                    pass  # closed: seen above
            turn += 1
            time.sleep(max(0, 0.1 - (time.monotonic() - began)))

    def stop(self):
        self.stopping = True
        self.thread.join()
        for connection in self.connections:
            connection.close()
        self.selector.close()


def check_healthy(server, request, seconds, body):
    """Asks all the time, on a connection that stays and on fresh ones; every answer comes within a second."""
    slowest = 0
    count = 0
    end = time.monotonic() + seconds
    with server.client() as steady:
        while time.monotonic() < end:
            with server.client() as fresh:
                for client in (steady, fresh):
                    began = time.monotonic()
                    client.send(request)
                    answer = client.response()
                    slowest = max(slowest, time.monotonic() - began)
                    assert (answer.status, answer.body) == (200, body)
                    count += 1
            time.sleep(0.02)
    assert slowest <= 1.0 * SCALE, f"one of {count} answers came after {slowest * 1000:.0f} ms"
    assert count >= 2


LONG = "X: " + "x" * 4000
BEGINNINGS = {
    "heads": [b"G"],
    "long heads": [head("GET", "/hello", LONG)[:1000]],
    "heads of all kinds": [b"", b"GET /hel", head("GET", "/hello", LONG)[:250], head("GET", "/hello", LONG)[:300],
                           head("GET", "/hello") + b"GET", head("GET", "/hello") * 3 + head("GET", "/x", LONG)[:500]],
    "bodies": [head("POST", "/discard", "Content-Length: 100000")],
    "bodies of all kinds": [head("POST", "/memory", "Content-Length: 100000"),
                            head("POST", "/memory", "Content-Length: 1000"),
                            head("POST", "/worker/memory", "Content-Length: 100000") + bytes(9000),
                            head("POST", "/discard", "Transfer-Encoding: chunked") + b"1000\r\n",
                            head("POST", "/memory", "Transfer-Encoding: chunked") + b"4000\r\n" + bytes(9000)],
}


@pytest.mark.parametrize("kind", BEGINNINGS)
def test_slow_senders(patient, kind):
    before = descriptors(patient.pid)
    slow = SlowClients(patient.port, SLOW, BEGINNINGS[kind], b"x")
    try:
        check_healthy(patient, head("GET", "/hello"), SECONDS, b"hello")
        check_healthy(patient, post("/discard", bytes(3000)), 1, b"3000")
        assert slow.sent > SLOW
        assert patient.process.poll() is None
    finally:
        slow.stop()
    assert wait_until(lambda: descriptors(patient.pid) == before)
    assert patient.request("POST", "/memory", body=bytes(500000)).text == "500000"


@pytest.mark.parametrize("target", ["/large", "/worker/large"])
def test_silent_readers(patient, target):
    """More of them than buffers ask for 4 MB and take nothing."""
    before = descriptors(patient.pid)
    silent = []
    try:
        for _ in range(150):
            connection = socket.socket()
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.connect(("127.0.0.1", patient.port))
            connection.sendall(head("GET", target))
            silent.append(connection)
        check_healthy(patient, head("GET", "/hello"), SECONDS, b"hello")
    finally:
        for connection in silent:
            connection.close()
    assert wait_until(lambda: descriptors(patient.pid) == before)
    assert len(patient.request("GET", target).body) == 4 * 1024 * 1024


def test_pipelines_never_read(patient):
    """Clients that send requests as fast as they can and read no answer."""
    before = descriptors(patient.pid)
    greedy = [patient.client() for _ in range(100)]
    for client in greedy:
        client.socket.setblocking(False)
        try:
            while True:
                client.socket.send(head("GET", "/hello") * 200)
        except BlockingIOError:
            pass
    check_healthy(patient, head("GET", "/hello"), SECONDS, b"hello")
    for client in greedy:
        client.close()
    assert wait_until(lambda: descriptors(patient.pid) == before)


def test_silent_connections(patient):
    """They hold no buffer at all."""
    before = descriptors(patient.pid)
    silent = [Client(patient.port) for _ in range(SLOW)]
    kept = [Client(patient.port) for _ in range(100)]
    for client in kept:
        assert client.request("GET", "/hello").status == 200
    check_healthy(patient, head("GET", "/hello"), 1, b"hello")
    for client in kept:  # those that were quiet for a while are still there
        assert client.request("GET", "/hello").status == 200
    for client in silent + kept:
        client.close()
    assert wait_until(lambda: descriptors(patient.pid) == before)


def test_connections_aborted_by_the_thousand(patient):
    before = descriptors(patient.pid)
    for i in range(3000 // SCALE):
        client = Client(patient.port)
        if i % 2:
            client.send(head("GET", "/large" if i % 4 == 1 else "/hello"))
        client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        client.close()
    assert wait_until(lambda: descriptors(patient.pid) == before)
    check_healthy(patient, head("GET", "/hello"), 0.5, b"hello")
