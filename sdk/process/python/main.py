#!/usr/bin/env python3
"""A guard that redacts some words and blocks texts that contain others."""
import os
import sys

sys.path.insert(0, os.getcwd())  # the gateway runs this file by its descriptor, in this folder
import headgate_process as hg  # noqa: E402


class Guard:
    hello = {"name": "wordguard", "version": "1.0.0", "phases": [hg.REQUEST, hg.RESPONSE], "texts": ["user", "assistant"], "stream_bytes": 64}

    def configure(self, config):
        config = config or {}
        self.redact, self.block = config.get("redact", []), config.get("block", [])
        if not self.redact + self.block:
            raise ValueError("config: write words under redact or block")

    def check(self, call):
        verdict = {"action": hg.PASS, "findings": [], "edits": []}
        for number, segment in enumerate(call["segments"]):
            self.judge(verdict, number, segment["text"], 0, len(segment["text"]))
        return verdict

    def window(self, call):
        """Judges the text of a stream that no further text can change, and holds the rest."""
        text = call["text"]
        start = len(text.encode()[:call["sent"]].decode())
        known = len(text) if call["last"] else self.find_open(text, start)
        verdict = {"action": hg.PASS, "findings": [], "edits": [], "hold": len(text[known:].encode())}
        self.judge(verdict, 0, text, start, known)
        return verdict

    def judge(self, verdict, segment, text, start, end):
        """Records the words in text[start:end]."""
        at = start
        while at < end:
            word = self.find_word(text, at, end)
            if not word:
                at += 1
                continue
            place = {"segment": segment, "start": at, "end": at + len(word)}
            blocked = word in self.block
            verdict["findings"].append({**place, "label": "forbidden" if blocked else "word", "kind": hg.DETECTOR, "score": 1.0})
            if blocked:
                verdict.update(action=hg.BLOCK, edits=[], refusal={"message": "this is not talked about here"})
            elif verdict["action"] != hg.BLOCK:
                verdict["action"] = hg.REWRITE
                verdict["edits"].append({**place, "type": "WORD"})
            at += len(word)

    def find_word(self, text, at, end):
        """Returns the longest word that begins at a place."""
        return max((w for w in self.redact + self.block if text.startswith(w, at, end)), key=len, default="")

    def find_open(self, text, start):
        """Returns where the first word begins that more text could complete or make longer."""
        at = start
        while at < len(text):
            if any(len(w) > len(text) - at and w.startswith(text[at:]) for w in self.redact + self.block):
                return at
            at += max(len(self.find_word(text, at, len(text))), 1)
        return len(text)


if __name__ == "__main__":
    hg.serve(Guard())
