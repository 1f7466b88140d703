"""Checks that a call comes from the gateway, hands it over, and signs the reply.

It needs Python 3.9 or later and nothing else. README.md in the folder above tells the wire format.

    serve("127.0.0.1", 8090, Verifier([os.environ["GUARD_SECRET"]]), judge)

judge gets the call as a dict and returns the verdict as a dict. Offsets may count characters, as strings do here: say
"unit": "rune".
"""

import hashlib
import hmac
import json
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# How far the clock of a call may be from this one, in seconds.
DEFAULT_WINDOW = 300

# The gateway sends about 2 MiB at most, and cuts what is longer.
MAX_BODY = 8 << 20

# Nonces that are remembered at most.
MAX_NONCES = 1 << 20

# Seconds that a client may take to send a request.
READ_TIMEOUT = 30

_STAMP = re.compile(r"[0-9]{1,15}")
_NONCE = re.compile(r"[0-9a-fA-F]{32}")


class Refused(Exception):
    """A call that is not answered with a verdict."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


def sign(secret, direction, timestamp, nonce, body):
    """Returns the signature of a body. A reply is signed with the timestamp and the nonce of its call."""
    head = f"headgate-webhook-v1\n{direction}\n{timestamp}\n{nonce}\n".encode()
    return "v1=" + hmac.new(secret.encode(), head + body, hashlib.sha256).hexdigest()


class Verifier:
    """Checks calls. secrets are those shared with the gateway: one, or while it is replaced the new one and the old."""

    def __init__(self, secrets, window=DEFAULT_WINDOW, now=time.time):
        self.secrets = [s for s in secrets if s]
        if not self.secrets:
            raise ValueError("a verifier needs a secret")
        self.window = window
        self.now = now
        self._lock = threading.Lock()
        self._recent, self._older, self._turned = set(), set(), 0.0

    def verify(self, headers, body):
        """Checks a call and returns a function that signs the reply."""
        stamp = headers.get("Headgate-Timestamp", "")
        nonce = headers.get("Headgate-Nonce", "")
        if not _STAMP.fullmatch(stamp) or not _NONCE.fullmatch(nonce):
            raise Refused(401, "the headers of a signed call are missing or malformed")
        timestamp, now = int(stamp), self.now()
        if abs(now - timestamp) > self.window:
            raise Refused(401, "the call is too old, or from the future")
        secret = self._match(headers, timestamp, nonce, body)
        if secret is None:
            raise Refused(401, "the signature is wrong")
        self._remember(nonce, now)
        return lambda reply: sign(secret, "reply", timestamp, nonce, reply)

    def _match(self, headers, timestamp, nonce, body):
        for name in ("Headgate-Signature", "Headgate-Signature-Previous"):
            given = headers.get(name)
            if given is None:
                continue
            for secret in self.secrets:
                right = sign(secret, "call", timestamp, nonce, body)
                if hmac.compare_digest(right.encode(), given.lower().encode("utf-8", "replace")):
                    return secret
        return None

    def _remember(self, nonce, now):
        """A call is acceptable from one window before its time to one after, so nonces are kept for two."""
        with self._lock:
            age = now - self._turned
            if age >= 2 * self.window:
                self._older = set() if age >= 4 * self.window else self._recent
                self._recent, self._turned = set(), now
            if nonce in self._recent or nonce in self._older:
                raise Refused(401, "the call was received before")
            if len(self._recent) + len(self._older) >= MAX_NONCES:
                raise Refused(503, f"the replay window is full: it holds at most {MAX_NONCES} calls")
            self._recent.add(nonce)


def handler(verifier, judge):
    """Makes a request handler for http.server."""

    class Receiver(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = READ_TIMEOUT

        def do_POST(self):
            try:
                body = self._read()
                sign_reply = verifier.verify(self.headers, body)
                call = json.loads(body)
                if not isinstance(call, dict) or call.get("version") != 1:
                    raise Refused(400, "the body is not a call of version 1")
                reply = json.dumps({"version": 1, **judge(call)}).encode()
                self._send(200, "application/json", reply, sign_reply(reply))
            except Refused as e:
                self.close_connection = True
                self._send(e.status, "text/plain", (str(e) + "\n").encode())
            except Exception:  # what went wrong may hold a text, and is not told
                self.close_connection = True
                self._send(500, "text/plain", b"the receiver failed\n")

        def do_GET(self):
            self._send(405, "text/plain", b"only POST is served\n")

        do_PUT = do_DELETE = do_PATCH = do_HEAD = do_GET

        def _read(self):
            size = self.headers.get("Content-Length", "")
            if not size.isdecimal():
                raise Refused(411, "the call has no length")
            if int(size) > MAX_BODY:
                raise Refused(413, "the body is too large")
            return self.rfile.read(int(size))

        def _send(self, status, content_type, body, signature=None):
            self.send_response(status)
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(body)))
            if signature:
                self.send_header("Headgate-Signature", signature)
            if self.close_connection:
                self.send_header("Connection", "close")
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        def log_message(self, *_):  # a line for each call is for a proxy in front of it
            pass

    return Receiver


def serve(host, port, verifier, judge):
    """Serves until the process ends, and prints the address first."""
    server = ThreadingHTTPServer((host, port), handler(verifier, judge))
    server.daemon_threads = True
    print(f"listening on {server.server_address[0]}:{server.server_address[1]}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        server.server_close()
