"""A second start raises the window of the first: a local socket named after the data folder, and nothing is asked but “show yourself”."""

from __future__ import annotations

import hashlib

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from counterfoil.places import Home

_PATIENCE = 500  # milliseconds


class SingleWindow(QObject):
    """Listens for second starts.

    Signals:
        asked(): another start wants the window to come to the front.
    """

    asked = Signal()

    def __init__(self, home: Home, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._name = name_of(home)
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._came)
        if not self._server.listen(self._name):
            QLocalServer.removeServer(self._name)  # left behind by a window that was killed
            self._server.listen(self._name)

    def close(self) -> None:
        """Stop listening."""
        self._server.close()

    @Slot()
    def _came(self) -> None:
        socket = self._server.nextPendingConnection()
        if socket is not None:
            socket.disconnected.connect(socket.deleteLater)
            socket.disconnectFromServer()
        self.asked.emit()


def raise_other(home: Home) -> bool:
    """Whether a window for this data folder is there already; it comes to the front."""
    socket = QLocalSocket()
    socket.connectToServer(name_of(home))
    there = socket.waitForConnected(_PATIENCE)
    socket.abort()
    return there


def name_of(home: Home) -> str:
    """The socket's name: short, and one for each data folder."""
    return f"counterfoil-{hashlib.sha256(str(home.root).encode()).hexdigest()[:16]}"
