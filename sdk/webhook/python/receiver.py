"""A sample receiver: it redacts some words and refuses what holds others.

    GUARD_SECRET=… python3 receiver.py --redact PROJECT-APOLLO --block FORBIDDEN
"""

import argparse
import os
import sys

from headgate_webhook import Verifier, serve

flags = argparse.ArgumentParser()
flags.add_argument("--listen", default="127.0.0.1:8090")
flags.add_argument("--redact", action="append", default=[])
flags.add_argument("--block", action="append", default=[])
options = flags.parse_args()


def judge(call):
    """Returns the verdict on a call. Its offsets count characters."""
    findings = []
    for index, segment in enumerate(call["segments"]):
        text = segment["text"]
        for word in filter(None, options.block):
            start = text.find(word)
            if start >= 0:
                return {
                    "action": "block",
                    "message": "This topic is not allowed.",
                    "unit": "rune",
                    "findings": [{"segment": index, "start": start, "end": start + len(word), "label": "forbidden"}],
                }
        for word in filter(None, options.redact):
            at = text.find(word)
            while at >= 0:
                findings.append({"segment": index, "start": at, "end": at + len(word), "label": "word"})
                at = text.find(word, at + len(word))
    if not findings:
        return {"action": "pass"}
    return {"action": "redact", "unit": "rune", "findings": findings}


secrets = [os.environ.get("GUARD_SECRET", ""), os.environ.get("GUARD_SECRET_PREVIOUS", "")]
if not secrets[0]:
    sys.exit("receiver: GUARD_SECRET is not set")
host, _, port = options.listen.rpartition(":")
serve(host, int(port), Verifier(secrets), judge)
