"""The one style sheet: surfaces, buttons, fields, bars. Fonts are set in code, because a font here would override every setFont.

`@name` is a token. Widgets say what they are by their class and by the properties `surface`, `kind`, `tone` and `chip`, never by inline
styles. Rules name our own classes, not QFrame or QWidget: a rule is tried on every widget whose class it names, and labels are frames, too.
"""

from __future__ import annotations

import dataclasses
import re

from counterfoil.desktop.tokens import Tokens

_SURFACES = """
QMainWindow, Pane[surface="app"] { background: @app; }
Pane[surface="sidebar"], RunnerLine { background: @sidebar; }
Pane[surface="panel"], QScrollArea[surface="panel"] { background: @panel; }
QScrollArea { border: none; background: transparent; }
Box[surface="card"] { background: @panel; border: 1px solid @border; border-radius: 8px; }
Box[surface="quiet"] { background: @raised; border: 1px solid @border; border-radius: 8px; }
Box[surface="quote"] { background: @raised; border: 1px solid @border; border-left: 3px solid @border_strong; border-radius: 4px;
    border-top-left-radius: 0; border-bottom-left-radius: 0; }
Box[surface="warn"] { background: @warn_soft; border: none; border-radius: 8px; }
Box[surface="bad"] { background: @bad_soft; border: none; border-radius: 8px; }
Box[surface="ok"] { background: @ok_soft; border: none; border-radius: 8px; }
Box[surface="info"] { background: @info_soft; border: none; border-radius: 8px; }
Box[surface="answers"] { background: @panel; border: 1px solid @border; border-left: 3px solid @warn_edge; border-radius: 8px;
    border-top-left-radius: 0; border-bottom-left-radius: 0; }
Box[surface="popover"] { background: @panel; border: 1px solid @border_strong; border-radius: 10px; }
Box[surface="bar"] { background: @panel; border: none; border-top: 1px solid @border; }
Sheet { background: @panel; border: none; border-left: 1px solid @border_strong; }
IndexBar { background: @panel; border: none; border-bottom: 1px solid @border; }
Segmented { background: @hover; border: none; border-radius: 7px; }
Rule { background: @border; border: none; }
"""

_TEXT = """
QLabel { color: @text; background: transparent; }
QLabel[tone="text2"] { color: @text2; }
QLabel[tone="text3"] { color: @text3; }
QLabel[tone="accent"] { color: @accent_text; }
QLabel[tone="ok"] { color: @ok; }
QLabel[tone="warn"] { color: @warn; }
QLabel[tone="bad"] { color: @bad; }
QLabel[tone="info"] { color: @info; }
QLabel[chip="plain"] { color: @text2; background: @hover; border-radius: 4px; padding: 2px 7px; }
QLabel[chip="ok"] { color: @ok; background: @ok_soft; border-radius: 4px; padding: 2px 7px; }
QLabel[chip="warn"] { color: @warn; background: @warn_soft; border-radius: 4px; padding: 2px 7px; }
QLabel[chip="bad"] { color: @bad; background: @bad_soft; border-radius: 4px; padding: 2px 7px; }
QLabel[chip="info"] { color: @info; background: @info_soft; border-radius: 4px; padding: 2px 7px; }
QLabel[chip="key"] { color: @text3; background: transparent; border: 1px solid @border; border-radius: 4px; padding: 2px 6px; }
QToolTip { color: @panel; background: @text; border: none; padding: 5px 8px; }
"""

_BUTTONS = """
QPushButton, QCheckBox, QComboBox { outline: none; }
QPushButton { color: @text; background: @panel; border: 1px solid @border_input; border-radius: 6px; padding: 0 12px; min-height: 30px; }
QPushButton:hover { background: @hover; }
QPushButton:pressed { background: @border; }
QPushButton:disabled { color: @text3; background: @raised; border-color: @border_strong; }
QPushButton[kind="primary"] { color: @on_accent; background: @accent; border: 1px solid @accent; padding: 0 16px; }
QPushButton[kind="primary"]:hover { background: @accent_hover; border-color: @accent_hover; }
QPushButton[kind="primary"]:pressed { background: @accent_press; border-color: @accent_press; }
QPushButton[kind="primary"]:disabled { color: @text2; background: @hover; border-color: @border_strong; }
QPushButton[kind="danger"] { color: @bad; border-color: @bad; }
QPushButton[kind="danger"]:hover { background: @bad_soft; }
QPushButton[kind="danger"]:disabled { color: @text2; background: @hover; border-color: @border_strong; }
QPushButton[kind="quiet"] { color: @text2; background: transparent; border: 1px solid transparent; padding: 0 8px; }
QPushButton[kind="quiet"]:hover { background: @hover; color: @text; }
QPushButton[kind="chip"] { color: @text2; background: transparent; border: 1px solid @border_input; min-height: 24px;
  padding: 0 3px 0 8px; }
QPushButton[kind="chip"]:hover { background: @hover; color: @text; }
QPushButton[kind="chip"][chosen="true"] { color: @accent_text; background: @accent_soft; border-color: @accent; }
QPushButton[kind="link"] { color: @accent_text; background: transparent; border: none; padding: 0; min-height: 22px; text-align: left; }
QPushButton[kind="link"]:hover { text-decoration: underline; }
QPushButton[kind="link"]:disabled { color: @text3; }
QPushButton[kind="icon"] { background: transparent; border: 1px solid transparent; padding: 0; min-width: 30px; max-width: 30px; }
QPushButton[kind="icon"]:hover { background: @hover; }
QPushButton[kind="nav"] { color: @text2; background: transparent; border: 1px solid transparent; padding: 0 10px; min-height: 32px;
    text-align: left; }
QPushButton[kind="nav"]:hover { background: @hover; color: @text; }
QPushButton[kind="nav"][chosen="true"] { color: @text; background: @panel; border-color: @border; }
QPushButton[kind="switcher"] { background: transparent; border: 1px solid transparent; padding: 4px 8px; text-align: left; }
QPushButton[kind="switcher"]:hover { background: @hover; }
QRadioButton { color: @text; background: transparent; spacing: 8px; }
QMenu { background: @panel; border: 1px solid @border_strong; padding: 4px; }
QMenu::item { color: @text; padding: 6px 24px 6px 12px; border-radius: 4px; }
QMenu::item:selected { background: @hover; }
QMenu::item:disabled { color: @text3; }
QMenu::separator { height: 1px; background: @border; margin: 4px 8px; }
"""

_FIELDS = """
QLineEdit, QPlainTextEdit, QTextEdit, QComboBox, QDateEdit, QSpinBox { color: @text; background: @panel; border: 1px solid @border_input;
    border-radius: 6px; padding: 0 10px; selection-background-color: @accent; selection-color: @on_accent; }
QLineEdit, QComboBox, QDateEdit, QSpinBox { min-height: 30px; }
QPlainTextEdit, QTextEdit { padding: 6px 8px; }
QPlainTextEdit[bare="true"] { border: none; background: transparent; }
QLineEdit[tone="bad"], QPlainTextEdit[tone="bad"], QComboBox[tone="bad"] { border-color: @bad; }
QLineEdit:disabled, QComboBox:disabled { color: @text3; background: @raised; }
QComboBox::drop-down { border: none; width: 26px; }
QComboBox QAbstractItemView { color: @text; background: @panel; border: 1px solid @border_strong; padding: 4px;
    selection-background-color: @hover; selection-color: @text; outline: none; }
"""

_CALENDAR = """
QCalendarWidget QWidget { background: @panel; color: @text; }
QCalendarWidget QToolButton { color: @text; background: transparent; border: 1px solid transparent; border-radius: 6px; padding: 4px 8px; }
QCalendarWidget QToolButton:hover, QCalendarWidget QToolButton:focus { background: @hover; }
QCalendarWidget QToolButton::menu-indicator { image: none; }
QCalendarWidget QSpinBox { min-height: 24px; }
QCalendarWidget QAbstractItemView { color: @text; background: @panel; selection-background-color: @accent; selection-color: @on_accent; }
QCalendarWidget QAbstractItemView:disabled { color: @text3; }
"""

_LISTS = """
QListView, QTableView, QTreeView { background: transparent; border: none; outline: none; color: @text; gridline-color: @border;
    selection-background-color: @accent_soft; selection-color: @text; }
QTableView::item, QListView::item { border: none; }
QTableView[rows="painted"] { selection-background-color: transparent; }
QHeaderView { background: transparent; border: none; }
QHeaderView::section { color: @text2; background: @panel; border: none; border-bottom: 1px solid @border; padding: 0 10px; }
QAbstractScrollArea::corner { background: transparent; border: none; }
QTableCornerButton::section { background: @panel; border: none; }
QScrollBar:vertical { background: transparent; width: 12px; margin: 0; }
QScrollBar::handle:vertical { background: @border_strong; min-height: 36px; border-radius: 3px; margin: 2px 3px; }
QScrollBar::handle:vertical:hover { background: @border_input; }
QScrollBar:horizontal { background: transparent; height: 12px; margin: 0; }
QScrollBar::handle:horizontal { background: @border_strong; min-width: 36px; border-radius: 3px; margin: 3px 2px; }
QScrollBar::handle:horizontal:hover { background: @border_input; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QProgressBar { background: @hover; border: none; border-radius: 3px; max-height: 6px; min-height: 6px; }
QProgressBar::chunk { background: @accent; border-radius: 3px; }
"""


def stylesheet(tokens: Tokens) -> str:
    """The style sheet of a look."""
    values = dataclasses.asdict(tokens)
    return re.sub(
        r"@(\w+)", lambda found: values[found.group(1)], _SURFACES + _TEXT + _BUTTONS + _FIELDS + _LISTS + _CALENDAR
    )
