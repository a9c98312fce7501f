"""An address that leads to one of several servers over one database, as a load balancer does."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress

__all__ = ["CommonAddress"]


class CommonAddress:
    """An address of which each connection is passed on to the first of several ports that accepts it."""

    def __init__(self, *ports: int) -> None:
        self._ports = ports
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listening.getsockname()[1])
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Accept no more connections."""
        self._listening.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                threading.Thread(target=self._pass_on, args=[client], daemon=True).start()

    def _pass_on(self, client: socket.socket) -> None:
        with client:
            for port in self._ports:
                with suppress(OSError), socket.create_connection(("127.0.0.1", port)) as server:
                    back = threading.Thread(target=_copy, args=[server, client], daemon=True)
                    back.start()
                    _copy(client, server)
                    back.join()
                    return


def _copy(source: socket.socket, target: socket.socket) -> None:
    """Copy bytes until one side ends, and end the other."""
    with suppress(OSError):
        while data := source.recv(65_536):
            target.sendall(data)
    for each in (source, target):
        with suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)
