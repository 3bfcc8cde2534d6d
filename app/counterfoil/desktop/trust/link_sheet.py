"""The sheet in which an llm is added to a route. A key goes into the keyring and is never shown again."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QComboBox, QLineEdit, QWidget

from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.combo import Combo
from counterfoil.desktop.parts.form import LineEdit
from counterfoil.desktop.parts.labels import Label, Prose
from counterfoil.desktop.parts.layouts import put
from counterfoil.desktop.parts.sheet import Sheet
from counterfoil.desktop.trust_facts import LinkDraft
from counterfoil.desktop.words.plain import one_line

_WITH_ADDRESS = ("compatible",)
KEYLESS = ("ollama", "llamacpp")


class LinkSheet(Sheet):
    """Provider, llm, address where one is needed, key.

    Signals:
        given(LinkDraft): it is to be added.
    """

    given = Signal(object)

    def __init__(self, route: str, providers: Sequence[tuple[str, str]], over: QWidget, *, provider: str = "") -> None:
        super().__init__(f"Add an llm to {one_line(route)}", over)
        self._route = route
        self.provider: QComboBox = Combo("Reached by")
        for key, words in providers:
            self.provider.addItem(words, key)
        self.provider.setCurrentIndex(max(self.provider.findData(provider), 0))
        self.llm = LineEdit("Llm", "as the provider calls it")
        self.address = LineEdit("Address", "http://127.0.0.1:11434/v1")
        self.secret = LineEdit("Key", "")
        self.secret.setEchoMode(QLineEdit.EchoMode.Password)
        self._address_label, self._secret_label = Label("Address", "small_strong"), Label("Key", "small_strong")
        self._kept = Prose(
            "The key goes into the keyring of this account. It is not shown again, and not written to the data folder.",
            "small",
        )
        put(
            self.body, Label("Reached by", "small_strong"), self.provider, Label("Llm", "small_strong"), self.llm,
            self._address_label, self.address, self._secret_label, self.secret, self._kept,
        )  # fmt: skip
        self.add = Button("Add it", "primary")
        self.add.clicked.connect(self._given)
        close = Button("Leave it", "quiet")
        close.clicked.connect(self.dismiss)
        put(self.foot, self.add, None, close)
        self.provider.currentIndexChanged.connect(self._fit)
        for field in (self.llm, self.address, self.secret):
            field.textChanged.connect(self._say)
        self._fit()

    @Slot()
    def _fit(self) -> None:
        key = str(self.provider.currentData())
        address: list[QWidget] = [self._address_label, self.address]
        secret: list[QWidget] = [self._secret_label, self.secret, self._kept]
        for part in address:
            part.setVisible(key in _WITH_ADDRESS)
        for part in secret:
            part.setVisible(key not in KEYLESS)
        self._say()

    @Slot()
    def _say(self) -> None:
        lacking = self._lacking(str(self.provider.currentData()))
        self.add.setEnabled(not lacking)
        self.add.say(lacking or "Add it")

    @Slot()
    def _given(self) -> None:
        key = str(self.provider.currentData())
        draft = LinkDraft(
            route=self._route,
            provider=key,
            llm=self.llm.text().strip(),
            address=self.address.text().strip() if key in _WITH_ADDRESS else "",
            secret=self.secret.text().strip() if key not in KEYLESS else "",
        )
        self.dismiss()
        self.given.emit(draft)

    def _lacking(self, key: str) -> str:
        """What is missing, as the button says it; empty where nothing is."""
        if not self.llm.text().strip():
            return "Name the llm first"
        if key in _WITH_ADDRESS and not self.address.text().strip().startswith(("http://", "https://")):
            return "Begin its address with http:// or https://"
        if key not in (*KEYLESS, *_WITH_ADDRESS) and not self.secret.text().strip():
            return "Paste the key first"
        return ""
