"""A second start raises the window of the first: a local socket named after the data folder, and nothing is asked but “show yourself”."""

from __future__ import annotations

import contextlib
import hashlib
import os

from PySide6.QtCore import QLockFile, QObject, QThread, Signal, Slot
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from counterfoil.places import Home

_PATIENCE = 10_000  # milliseconds: a window that is being made on a busy computer answers after some seconds
_BETWEEN = 100  # milliseconds
_TRIES = 20  # to find it listening


class SingleWindow(QObject):
    """Listens for second starts; `first` says whether this is the one window of its data folder.

    Signals:
        asked(): another start wants the window to come to the front.
    """

    asked = Signal()

    def __init__(self, home: Home, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._name = name_of(home)
        with contextlib.suppress(OSError):  # a folder that cannot be used is told in the window
            home.create()
        self._lock = QLockFile(str(home.run / "window.lock"))
        self._lock.setStaleLockTime(0)  # only the end of its process frees it
        self.first = self._lock.tryLock(0) or self._lock.error() != QLockFile.LockError.LockFailedError
        if not self.first and not os.access(home.run, os.W_OK):
            self.first = not raise_other(home)  # what a window that was killed left behind cannot be removed here
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._came)
        if self.first and not self._server.listen(self._name):
            QLocalServer.removeServer(self._name)  # left behind by a window that was killed
            self._server.listen(self._name)

    def close(self) -> None:
        """Stop listening and let the next window in."""
        self._server.close()
        self._lock.unlock()

    @Slot()
    def _came(self) -> None:
        socket = self._server.nextPendingConnection()
        if socket is not None:
            socket.disconnected.connect(socket.deleteLater)
            socket.disconnectFromServer()
        self.asked.emit()


def raise_other(home: Home) -> bool:
    """Whether the window of this data folder was asked to come to the front; it answers by hanging up."""
    for _ in range(_TRIES):  # the first window may be just about to listen
        socket = QLocalSocket()
        socket.connectToServer(name_of(home))
        if socket.waitForConnected(_PATIENCE):
            answered = socket.waitForDisconnected(_PATIENCE)
            socket.abort()
            return answered
        QThread.msleep(_BETWEEN)
    return False


def name_of(home: Home) -> str:
    """The socket's name: short, and one for each data folder."""
    return f"counterfoil-{hashlib.sha256(str(home.root).encode()).hexdigest()[:16]}"
