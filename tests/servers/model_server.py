"""A completion server on 127.0.0.1 with a model of a few lines, in several flavours; it can misbehave.

The model: p(token | what stands before) depends on both tokens and, a little, on all before them, so that a
number shows which token it belongs to, and behind which prompt.
"""

import json
import socket
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
from tokenizers import Tokenizer

from tests.servers.tiny_tokenizer import TEMPLATE

CONTEXT = 512
END = 1


class TinyModel:
    """Log-probabilities over the vocabulary, from the token ids before."""

    def __init__(self, folder):
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.size = self.tokenizer.get_vocab_size()
        self.plain = [
            token
            for token in range(2, self.size)
            if self.tokenizer.decode([token]).isascii() and self.tokenizer.decode([token]).isprintable()
        ]

    def log_probs(self, before):
        seed = [before[-1], sum(before) % 7, len(before) % 3]
        logits = np.random.default_rng(seed).normal(scale=2.0, size=self.size)
        favourite = self.plain[(before[-1] * 31 + sum(before)) % len(self.plain)]
        logits[favourite] += 12
        logits[END] += 13 if len(before) % 9 == 0 else 0
        return logits - np.logaddexp.reduce(logits)

    def ids(self, text):
        return self.tokenizer.encode(text, add_special_tokens=False).ids

    def write(self, before, most, draw=None):
        """Ids and log-probabilities; the end token comes last if it was reached."""
        ids, found = [], []
        while len(ids) < most:
            values = self.log_probs([*before, *ids])
            token = int(values.argmax() if draw is None else draw.choice(self.size, p=np.exp(values)))
            if token == 0 or (draw is not None and token not in self.plain and token != END):
                token = int(values.argmax())
            ids.append(token)
            found.append(float(values[token]))
            if token == END:
                break
        return ids, found

    def score(self, ids):
        return [None, *(float(self.log_probs(ids[:at])[ids[at]]) for at in range(1, len(ids)))]


class ModelServer(ThreadingHTTPServer):
    """Attributes: flavour ("vllm", "echo", "text", "shifted", "generated"), trouble (what to do instead of
    answering completions, one entry a request), requests (what was asked), key, delay."""

    daemon_threads = True

    def __init__(self, model, flavour):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.model, self.flavour = model, flavour
        self.trouble, self.always, self.requests, self.headers = [], None, [], []
        self.key, self.delay = None, 0.0
        self.roles = {"system", "user"}  # that the chat template knows
        self.running = self.most_running = 0
        self.lock = threading.Lock()
        self.over = threading.Event()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/v1"

    def handle_error(self, request, client_address):
        pass  # clients that went away are part of the tests


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *args):
        pass

    def do_GET(self):
        self.server.headers.append(dict(self.headers))
        if self.path != "/v1/models":
            return self._json({"error": "no"}, 404)
        entry = {"id": "tiny", "object": "model"}
        if self.server.flavour != "text":
            entry["max_model_len"] = CONTEXT
        return self._json({"object": "list", "data": [entry]})

    def do_POST(self):
        server = self.server
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server.headers.append(dict(self.headers))
        if server.key and self.headers.get("Authorization") != f"Bearer {server.key}":
            return self._json({"error": "wrong key"}, 401)
        if {turn["role"] for turn in body.get("messages", ())} - server.roles:
            return self._json({"error": "template"}, 400)
        if self.path == "/tokenize" and server.flavour == "vllm":
            return self._json(self._tokenized(body))
        if self.path != "/v1/completions":
            return self._json({"error": "no"}, 404)
        with server.lock:
            server.requests.append(body)
            trouble = server.trouble.pop(0) if server.trouble else server.always
            server.running += 1
            server.most_running = max(server.most_running, server.running)
        try:
            time.sleep(server.delay)
            if trouble is not None:
                return trouble(self)
            return self._complete(body)
        finally:
            with server.lock:
                server.running -= 1

    def _tokenized(self, body):
        model = self.server.model
        if "messages" in body:
            import jinja2

            prompt = jinja2.Template(TEMPLATE).render(messages=body["messages"], add_generation_prompt=True)
            return {"tokens": model.ids(prompt)}
        ids = model.ids(body["prompt"])
        found = {"count": len(ids), "max_model_len": CONTEXT, "tokens": ids}
        return found | {"token_strs": [model.tokenizer.id_to_token(token) for token in ids]}

    def _complete(self, body):
        server, model, prompt = self.server, self.server.model, body["prompt"]
        if isinstance(prompt, list) == (server.flavour in ("text", "shifted", "generated")):
            # As llama-cpp-python does; others say 422.
            return self._json({"detail": "wrong type of prompt"}, 500 if server.flavour == "text" else 422)
        before = prompt if isinstance(prompt, list) else model.ids(prompt)
        if len(before) >= CONTEXT:
            return self._json({"error": "too long"}, 400)
        draws = body.get("n", 1) if server.flavour in ("vllm", "echo") else 1
        texts = []
        for number in range(draws):
            seed = body.get("seed", 0) * 1000 + number
            draw = np.random.default_rng(seed) if body.get("temperature") else None
            texts.append(self._choice(body, before, number, draw))
        answer = {"choices": texts, "usage": {"completion_tokens": self._wrote}}
        return self._json(answer)

    def _choice(self, body, before, number, draw):
        server, model = self.server, self.server.model
        ids, values = model.write(before, body["max_tokens"], draw)
        ended = ids[-1] == END
        if server.flavour != "vllm" and ended:  # only vLLM lists the end token
            ids, values = ids[:-1], values[:-1]
        self._wrote = len(ids)
        choice = {"index": number, "text": model.tokenizer.decode(ids), "prompt_logprobs": None}
        choice["finish_reason"] = "stop" if ended else "length"
        if "prompt_logprobs" in body and server.flavour == "vllm":
            scores = model.score(before)
            choice["prompt_logprobs"] = [None] + [
                {str(token): {"logprob": value}, "0": {"logprob": -9.0}}
                for token, value in list(zip(before, scores, strict=True))[1:]
            ]
        if body.get("logprobs") is not None:
            if body.get("echo") and server.flavour not in ("vllm", "generated"):
                scores = model.score(before)
                if server.flavour == "shifted":  # each token with the distribution behind it, as real ones do
                    scores = [
                        None,
                        *(float(model.log_probs(before[: i + 1])[before[i]]) for i in range(1, len(before))),
                    ]
                    ids, values = [*before, *ids][:-1], [*scores, *values][: len(before) + len(ids) - 1]
                else:
                    ids, values = [*before, *ids], [*scores, *values]
            if server.flavour == "text":  # it leaves out start tokens, wherever they are
                values = [value for token, value in zip(ids, values, strict=True) if token != 0]
                ids = [token for token in ids if token != 0]
                values[0] = None if body.get("echo") else values[0]
            pieces = [model.tokenizer.decode([token]).replace("\ufffd", "") for token in ids]
            choice["logprobs"] = {"tokens": pieces, "token_logprobs": values}
        return choice

    def _json(self, value, status=200, headers=()):
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, text in headers:
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(data)


def status(code, **headers):
    """Answers with an error."""
    named = [(name.replace("_", "-"), str(value)) for name, value in headers.items()]
    return lambda handler: handler._json({"error": "the secret prompt, repeated"}, code, named)


def cut(handler):
    """Hangs up in the middle of a body."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"choices": [')
    handler.wfile.flush()
    handler.connection.shutdown(socket.SHUT_RDWR)
    handler.close_connection = True


def hang_up(handler):
    """Hangs up before it says anything."""
    handler.connection.shutdown(socket.SHUT_RDWR)
    handler.close_connection = True


def body(text):
    """Answers with this body."""

    def answer(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(text)))
        handler.end_headers()
        handler.wfile.write(text)

    return answer


def drip(handler):
    """Sends a byte now and then, and never comes to an end."""
    handler.send_response(200)
    handler.send_header("Content-Length", "100000")
    handler.end_headers()
    for _ in range(200):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        if handler.server.over.wait(0.05):
            return


def silent(handler):
    """Does not answer for a long time."""
    handler.server.over.wait(5)


@contextmanager
def serving(model, flavour):
    """A running server."""
    server = ModelServer(model, flavour)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.over.set()
        server.shutdown()
        server.server_close()
        thread.join()
