"""Runs a service inside the test process, on a real port of 127.0.0.1."""

import threading
from contextlib import contextmanager

from franq_guard.serving.running import listen, make_server, url_of


@contextmanager
def running(app):
    """Serves an application; yields its URL."""
    opened = listen("127.0.0.1", 0)
    server = make_server(app, connections=16, grace=5)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [opened]}, daemon=True)
    thread.start()
    try:
        yield url_of(opened)
    finally:
        server.should_exit = True
        thread.join()
        opened.close()
