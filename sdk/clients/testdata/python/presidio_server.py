"""Serves Presidio's own analyzer at /analyze, as its container does, with the recognizers that need no language model.

It prints its port, and serves until its standard input ends.
"""

import http.server
import json
import sys
import threading

import spacy
from presidio_analyzer import AnalyzerEngine, AnalyzerRequest, RecognizerRegistry
from presidio_analyzer.nlp_engine import SpacyNlpEngine
from presidio_analyzer.predefined_recognizers import CreditCardRecognizer, EmailRecognizer, IbanRecognizer, IpRecognizer


class Blank(SpacyNlpEngine):
    """An engine that splits a text into words and knows no names."""

    def load(self):
        self.nlp = {"en": spacy.blank("en")}

    def is_loaded(self):
        return True


nlp = Blank()
nlp.load()
registry = RecognizerRegistry(
    recognizers=[CreditCardRecognizer(), EmailRecognizer(), IbanRecognizer(), IpRecognizer()], supported_languages=["en"]
)
engine = AnalyzerEngine(registry=registry, nlp_engine=nlp, supported_languages=["en"])


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        status, answer = 200, None
        try:
            asked = AnalyzerRequest(body)
            found = engine.analyze(
                text=asked.text,
                language=asked.language,
                entities=asked.entities,
                score_threshold=asked.score_threshold,
                correlation_id=asked.correlation_id,
                return_decision_process=asked.return_decision_process,
            )
            answer = [result.to_dict() for result in found]
        except Exception as error:
            status, answer = 500, {"error": str(error)}
        data = json.dumps(answer, default=str).encode()
        self.send_response(status if self.path == "/analyze" else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_address[1], flush=True)
sys.stdin.read()
