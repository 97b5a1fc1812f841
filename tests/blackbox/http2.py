"""An HTTP/2 client for the tests: python3-h2 over a plain or a TLS socket, and raw frames for what no library sends."""
import socket
import ssl
import struct

import h2.config
import h2.connection
import h2.events
import hpack

from conftest import SCALE

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
END_STREAM, ACK, END_HEADERS, PADDED = 1, 1, 4, 8
NO_ERROR, PROTOCOL_ERROR, FLOW_CONTROL_ERROR, STREAM_CLOSED, REFUSED_STREAM, CANCEL = 0, 1, 3, 5, 7, 8
COMPRESSION_ERROR, ENHANCE_YOUR_CALM = 9, 11


def connect(port, tls=False, alpn=("h2",)):
    plain = socket.create_connection(("127.0.0.1", port), 10 * SCALE)
    plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if not tls:
        return plain
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_alpn_protocols(list(alpn))
    return context.wrap_socket(plain, server_hostname="localhost")


def frame(kind, flags=0, stream=0, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def block(*fields, method="GET", path="/hello"):
    """A header block that changes no table."""
    pseudo = [(":method", method), (":scheme", "http"), (":path", path), (":authority", "test.example")]
    encoder = hpack.Encoder()
    encoder.header_table_size = 0
    return encoder.encode([hpack.NeverIndexedHeaderTuple(*f) for f in pseudo + list(fields)], huffman=False)


class Raw:
    """Frames as they are. Contexts close the socket."""

    def __init__(self, port, tls=False, greet=True):
        self.socket = connect(port, tls)
        self.buffer = b""
        self.decoder = hpack.Decoder()
        if greet:
            self.send(PREFACE + frame(SETTINGS))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data):
        """Sends; False when the server has closed already."""
        try:
            self.socket.sendall(data)
            return True
        except (BrokenPipeError, ConnectionResetError, ssl.SSLError):
            return False

    def read(self, seconds=5):
        """The next frame as (type, flags, stream, payload), or None at the end."""
        self.socket.settimeout(seconds * SCALE)
        while True:
            size = int.from_bytes(self.buffer[:3], "big")
            if len(self.buffer) >= 9 and len(self.buffer) >= 9 + size:
                whole, self.buffer = self.buffer[:9 + size], self.buffer[9 + size:]
                return whole[3], whole[4], struct.unpack(">I", whole[5:9])[0], whole[9:]
            try:
                data = self.socket.recv(65536)
            except (ConnectionResetError, ssl.SSLError):
                return None
            if not data:
                return None
            self.buffer += data

    def until(self, kind, stream=None, seconds=5):
        """Reads up to the next frame of a type (of a stream) and returns its payload; None at the end."""
        while (got := self.read(seconds)) is not None:
            if got[0] == kind and (stream is None or got[2] == stream):
                return got[3]
        return None

    def goaway(self, seconds=5):
        """The error code of the next GOAWAY, or None when the connection ends without one."""
        payload = self.until(GOAWAY, seconds=seconds)
        return None if payload is None else struct.unpack(">I", payload[4:8])[0]

    def reset(self, stream):
        """The error code of a stream's RST_STREAM."""
        payload = self.until(RST_STREAM, stream)
        return None if payload is None else struct.unpack(">I", payload)[0]

    def status(self, stream):
        """The status of a stream's response."""
        payload = self.until(HEADERS, stream)
        return None if payload is None else int(dict(self.decoder.decode(payload))[":status"])


class Answer:
    def __init__(self):
        self.status = None
        self.fields = {}
        self.body = b""
        self.reset = None
        self.ended = False


class Client:
    """Whole requests; many at a time when `requests` is used."""

    def __init__(self, port, tls=False):
        self.socket = connect(port, tls)
        self.scheme = "https" if tls else "http"
        self.h2 = h2.connection.H2Connection(h2.config.H2Configuration(header_encoding="utf-8"))
        self.h2.initiate_connection()
        self.answers = {}
        self.goaways = []
        self.closed = False
        self.flush()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def flush(self):
        self.socket.sendall(self.h2.data_to_send())

    def pump(self, seconds=10):
        """Reads once and deals with what came."""
        self.socket.settimeout(seconds * SCALE)
        data = self.socket.recv(65536)
        self.closed = not data
        for event in self.h2.receive_data(data) if data else []:
            self.event(event)
        self.flush()

    def event(self, event):
        answer = self.answers.get(getattr(event, "stream_id", None))
        if isinstance(event, h2.events.ConnectionTerminated):
            self.goaways.append((event.last_stream_id, int(event.error_code)))
        if answer is None:
            return
        if isinstance(event, (h2.events.ResponseReceived, h2.events.TrailersReceived)):
            answer.fields.update(event.headers)
            answer.status = int(answer.fields[":status"])
        elif isinstance(event, h2.events.DataReceived):
            answer.body += event.data
            if event.flow_controlled_length:
                self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
        elif isinstance(event, h2.events.StreamEnded):
            answer.ended = True
        elif isinstance(event, h2.events.StreamReset):
            answer.reset = int(event.error_code)

    def start(self, method, path, fields=(), end=True):
        stream = self.h2.get_next_available_stream_id()
        headers = [(":method", method), (":scheme", self.scheme), (":authority", "test.example"), (":path", path)]
        self.h2.send_headers(stream, headers + list(dict(fields).items() if isinstance(fields, dict) else fields),
                             end_stream=end)
        self.answers[stream] = Answer()
        self.flush()
        return stream

    def send(self, stream, body, trailers=None):
        """Sends a body as windows allow; stops when the answer is there already."""
        answer = self.answers[stream]
        while body and not answer.ended and answer.reset is None:
            size = min(len(body), self.h2.local_flow_control_window(stream), self.h2.max_outbound_frame_size)
            if size <= 0:
                self.pump()
                continue
            self.h2.send_data(stream, body[:size])
            body = body[size:]
            self.flush()
        if answer.ended or answer.reset is not None:
            return
        if trailers:
            self.h2.send_headers(stream, trailers, end_stream=True)
        else:
            self.h2.end_stream(stream)
        self.flush()

    def wait(self, *streams):
        """Waits until all these have ended."""
        while any(not self.answers[s].ended and self.answers[s].reset is None for s in streams):
            self.pump()
            assert not self.closed, "the server has closed the connection"
        return [self.answers[s] for s in streams]

    def request(self, method, path, fields=(), body=None, trailers=None):
        stream = self.start(method, path, fields, end=body is None)
        if body is not None:
            self.send(stream, body, trailers)
        return self.wait(stream)[0]
