"""Process plugins for Headgate in Python: serve() makes one of an object.

    hello      a dict: name, version, phases, fields, texts, stream_bytes (Hello in process.proto)
    configure  (config) takes the link's settings, or None; raise ValueError to refuse them
    check      (call) -> verdict of a whole request or answer
    window     (call) -> verdict of new text of a streamed answer; optional

A call and a verdict are dicts with the fields of their messages in process.proto. Offsets count code points, as strings do here, but for
sent, fresh and hold of a window, which count bytes of UTF-8. Calls run in several threads.

Needs the package grpcio. A certificate takes a library that Python does not have, so the link says `plaintext: true`: the socket is open
to the gateway's user only.
"""
import json
import os
import queue
import struct
import sys
import threading
from concurrent import futures

import grpc

SERVICE = "/headgate.process.v1.Stage/Run"
SHUTDOWN = "/plugin.GRPCController/Shutdown"
LIMIT = 16 << 20
RUNE = 2  # the unit of offsets

# The messages of process.proto by name: number -> (field, type). A type is text, bytes, number, float or the name of a message; a list holds the
# type of a repeated field.
MESSAGES = {
    "FromHost": {1: ("id", "number"), 2: ("configure", "Configure"), 3: ("check", "Check"), 4: ("open", "Open"), 5: ("window", "Window"),
                 6: ("end", "End"), 7: ("close", "Close"), 8: ("finish", "Finish"), 9: ("cancel", "Empty"), 10: ("state", "Empty")},
    "FromPlugin": {1: ("id", "number"), 2: ("hello", "Hello"), 3: ("ready", "Empty"), 4: ("verdict", "Verdict"), 5: ("opened", "Opened"),
                   6: ("done", "Empty"), 7: ("failed", "Failed")},
    "Empty": {},
    "Hello": {1: ("name", "text"), 2: ("version", "text"), 3: ("phases", ["number"]), 4: ("fields", ["text"]), 5: ("texts", ["text"]),
              6: ("capabilities", ["text"]), 7: ("unit", "number"), 8: ("streams", "number"), 9: ("stream_bytes", "number")},
    "Configure": {1: ("link", "text"), 2: ("config", "bytes"), 3: ("fields", ["text"]), 4: ("texts", ["text"]), 6: ("max_message", "number")},
    "Exchange": {1: ("model", "text"), 2: ("tenant", "text"), 3: ("key_id", "text"), 4: ("key_name", "text"), 5: ("user", "text"),
                 6: ("dialect", "text"), 7: ("route", "text"), 8: ("provider", "text"), 9: ("target", "text"), 10: ("region", "text"),
                 11: ("stream", "number"), 12: ("max_tokens", "number"), 13: ("effort", "text"), 14: ("exchange", "text"), 15: ("trace", "text"),
                 17: ("tools", ["text"]), 19: ("scopes", ["text"]), 20: ("status", "number"), 22: ("outcome", "text"), 23: ("cost", "number"),
                 24: ("digest", "text"), 25: ("task", "text"), 26: ("finish", "text")},
    "Segment": {1: ("role", "number"), 2: ("kind", "number"), 3: ("joined", "number"), 4: ("path", "text"), 5: ("text", "text")},
    "Check": {1: ("phase", "number"), 2: ("exchange", "Exchange"), 3: ("segments", ["Segment"]), 4: ("kept", "bytes"), 5: ("timeout_ms", "number")},
    "Open": {1: ("exchange", "Exchange"), 2: ("kept", "bytes")},
    "Opened": {1: ("skip", "number"), 2: ("withholds", "number"), 3: ("ends", "number")},
    "Window": {1: ("stream", "number"), 2: ("kind", "number"), 3: ("choice", "number"), 4: ("index", "number"), 5: ("form", "number"),
               6: ("text", "text"), 7: ("sent", "number"), 8: ("fresh", "number"), 9: ("last", "number"), 10: ("timeout_ms", "number")},
    "End": {1: ("stream", "number"), 3: ("finish", "text")},
    "Close": {1: ("stream", "number")},
    "Finish": {1: ("exchange", "Exchange"), 2: ("kept", "bytes")},
    "Failed": {1: ("reason", "text")},
    "Verdict": {1: ("action", "number"), 2: ("findings", ["Finding"]), 3: ("edits", ["Edit"]), 4: ("model", "text"), 5: ("max_tokens", "number"),
                6: ("header", ["Header"]), 7: ("reply", "Reply"), 8: ("refusal", "Refusal"), 10: ("keep", "bytes"), 11: ("hold", "number")},
    "Finding": {1: ("segment", "number"), 2: ("start", "number"), 3: ("end", "number"), 4: ("label", "text"), 5: ("kind", "number"),
                6: ("score", "float")},
    "Edit": {1: ("segment", "number"), 2: ("start", "number"), 3: ("end", "number"), 4: ("with", "text"), 5: ("type", "text"), 6: ("value", "text")},
    "Header": {1: ("name", "text"), 2: ("value", "text")},
    "Reply": {1: ("body", "bytes"), 2: ("content_type", "text")},
    "Refusal": {1: ("reason", "number"), 2: ("code", "text"), 3: ("message", "text"), 4: ("retry_after_s", "number")},
}

PASS, REWRITE, ANSWER, BLOCK = 1, 2, 3, 4
REQUEST, TARGET, RESPONSE = 1, 2, 3
DETECTOR = 2  # the kind of a finding


def _varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def _read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


def encode(name, message):
    """Returns the bytes of a message, a dict."""
    out = bytearray()
    for number, (field, kind) in MESSAGES[name].items():
        if field not in message:
            continue
        many = isinstance(kind, list)
        for value in message[field] if many else [message[field]]:
            one = kind[0] if many else kind
            if one == "number":
                if value:
                    out += _varint(number << 3) + _varint(int(value))
            elif one == "float":
                out += _varint(number << 3 | 5) + struct.pack("<f", value)
            else:
                data = value if one == "bytes" else value.encode() if one == "text" else encode(one, value)
                out += _varint(number << 3 | 2) + _varint(len(data)) + data
    return bytes(out)


def decode(name, data):
    """Returns a message as a dict. Fields that are absent have their empty value; messages that are absent are None."""
    fields = MESSAGES[name]
    empty = {"text": "", "bytes": b"", "number": 0, "float": 0.0}
    out = {field: [] if isinstance(kind, list) else empty.get(kind) for field, kind in fields.values()}
    at = 0
    while at < len(data):
        tag, at = _read_varint(data, at)
        wire = tag & 7
        if wire == 0:
            value, at = _read_varint(data, at)
        elif wire == 2:
            size, at = _read_varint(data, at)
            value, at = data[at:at + size], at + size
        else:
            size = 8 if wire == 1 else 4
            value, at = data[at:at + size], at + size
        if tag >> 3 not in fields:
            continue
        field, kind = fields[tag >> 3]
        many = isinstance(kind, list)
        one = kind[0] if many else kind
        if one == "text":
            value = bytes(value).decode()
        elif one in MESSAGES:
            value = decode(one, value)
        if many:
            out[field].append(value)
        else:
            out[field] = value
    return out


class _Runner:
    """Answers what comes over the one stream."""

    def __init__(self, plugin, requests):
        self.plugin, self.requests, self.answers = plugin, requests, queue.Queue()
        self.pool = futures.ThreadPoolExecutor(max_workers=16)

    def run(self):
        hello = dict(self.plugin.hello, unit=RUNE, streams=hasattr(self.plugin, "window"))
        yield encode("FromPlugin", {"id": 0, "hello": hello})
        threading.Thread(target=self._read, daemon=True).start()
        while True:
            answer = self.answers.get()
            if answer is None:
                return
            yield answer

    def _read(self):
        try:
            for data in self.requests:
                message = decode("FromHost", data)
                if message["cancel"] is None and message["state"] is None:
                    self.pool.submit(self._answer, message)
        except grpc.RpcError:
            pass
        os._exit(0)  # the gateway has left

    def _answer(self, message):
        try:
            answer = self._call(message)
        except Exception as err:  # whatever it is, the call has failed
            answer = {"failed": {"reason": str(err) or type(err).__name__}}
        self.answers.put(encode("FromPlugin", {"id": message["id"], **answer}))

    def _call(self, m):
        plugin = self.plugin
        if m["configure"] is not None:
            config = m["configure"]["config"]
            plugin.configure(json.loads(bytes(config)) if config else None)
            return {"ready": {}}
        if m["check"] is not None:
            return {"verdict": plugin.check(m["check"])}
        if m["open"] is not None:
            return {"opened": {"skip": not hasattr(plugin, "window")}}
        if m["window"] is not None:
            return {"verdict": plugin.window(m["window"])}
        if m["end"] is not None:
            return {"verdict": {"action": PASS}}
        return {"done": {}}


class _Service(grpc.GenericRpcHandler):
    def __init__(self, plugin):
        self.plugin = plugin

    def service(self, details):
        if details.method == SERVICE:
            return grpc.stream_stream_rpc_method_handler(lambda requests, _: _Runner(self.plugin, requests).run())
        if details.method == SHUTDOWN:
            return grpc.unary_unary_rpc_method_handler(lambda *_: os._exit(0))
        return None


def serve(plugin):
    """Runs the plugin until the gateway ends it."""
    if os.environ.get("HEADGATE_PLUGIN") != "process":
        sys.exit("This is a plugin of Headgate, which starts it: see process: in its configuration.")
    if os.environ.get("PLUGIN_CLIENT_CERT"):
        sys.exit("A plugin in Python makes no certificate: write plaintext: true in its link.")
    path = os.path.join(os.environ["PLUGIN_UNIX_SOCKET_DIR"], "plugin.sock")
    os.umask(0o177)  # the socket is all that keeps others out
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=8), handlers=[_Service(plugin)], options=[
        ("grpc.max_receive_message_length", LIMIT), ("grpc.max_send_message_length", LIMIT)])
    if not server.add_insecure_port("unix:" + path):
        sys.exit("the socket cannot be opened")
    server.start()
    print("1|1|unix|" + path + "|grpc|", flush=True)
    server.wait_for_termination()
