"""From one order of rows to another by taking out and putting in, so that what stays keeps its selection and its place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from PySide6.QtCore import QAbstractItemModel, QModelIndex

T = TypeVar("T")
FEW = 64  # so many stretches are taken out or put in; beyond that a list is shown anew

Stretch = tuple[int, int]  # the first row, and the one after the last


@dataclass(frozen=True, slots=True)
class Steps:
    """Stretches of the old order that go, last first, then stretches of the new order that come, first first."""

    gone: tuple[Stretch, ...]
    come: tuple[Stretch, ...]


def steps(old: Sequence[str], new: Sequence[str]) -> Steps | None:
    """How to get there; None where rows that stay change places, where none stays, and where it would be too many steps."""
    staying, known = set(new), set(old)
    if [name for name in old if name in staying] != [name for name in new if name in known]:
        return None
    gone = _stretches(old, lambda name: name not in staying)
    come = _stretches(new, lambda name: name not in known)
    if len(gone) + len(come) > FEW or staying.isdisjoint(known):
        return None
    return Steps(tuple(reversed(gone)), tuple(come))


def take(model: QAbstractItemModel, way: Steps, shown: list[T], fresh: Sequence[T]) -> None:
    """Go that way, from the rows that a model shows to fresh ones. The model answers from `shown`: rows may be asked for in between."""
    for first, end in way.gone:
        model.beginRemoveRows(QModelIndex(), first, end - 1)
        del shown[first:end]
        model.endRemoveRows()
    for first, end in way.come:
        model.beginInsertRows(QModelIndex(), first, end - 1)
        shown[first:first] = fresh[first:end]
        model.endInsertRows()


def _stretches(names: Iterable[str], wanted: Callable[[str], bool]) -> list[Stretch]:
    found: list[Stretch] = []
    for at in (at for at, name in enumerate(names) if wanted(name)):
        if found and found[-1][1] == at:
            found[-1] = found[-1][0], at + 1
        else:
            found.append((at, at + 1))
    return found
