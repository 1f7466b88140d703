"""What every client asks, and what every transcript answers."""

import json
import sys

root, key, card = sys.argv[1:4]
models = sys.argv[4:]
SYSTEM = "Answer <briefly> & well"
PROMPT = "Is my card " + card + " fine?"
ANSWER = "Your card " + card + " is fine.\ncafé / 🚀"
ARGS = {"card": card, "n": 12345678901234567890, "u": "café"}
CHARGED = "charged " + card
SCHEMA = {
    "type": "object",
    "properties": {"card": {"type": "string", "description": "the number"}, "n": {"type": "integer"}},
    "required": ["card"],
}


def same_args(args):
    if isinstance(args, str):
        args = json.loads(args)
    assert args == ARGS, args


def each():
    for model in models:
        for stream in (False, True):
            yield model, stream
