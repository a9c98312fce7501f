"""Signals end the server, whichever of its threads the system gives them to."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]

SERVES = """
import signal, threading, time
from api.serving.server import Server

server = Server(lambda environ, start: [], "127.0.0.1", 0, most_streams=1)
signal.signal(signal.SIGTERM, lambda number, frame: server.finish(1))
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})

def stop():
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    time.sleep(0.5)  # the main thread waits by then; if it does not yet, the server ends in any case
    signal.pthread_kill(threading.get_ident(), signal.SIGTERM)

threading.Thread(target=stop).start()
server.run()
"""


def test_a_signal_that_does_not_interrupt_the_main_thread_ends_the_server() -> None:
    """A server that was stopped in the moment in which it began to serve never ended."""
    subprocess.run([sys.executable, "-c", SERVES], cwd=ROOT, check=True, timeout=60)
