"""A bridge that answers in this thread on the next turn of the event loop, or holds its answers until a test lets them go."""

from collections.abc import Callable

from counterfoil.desktop.bridge import Bridge, Ticket
from counterfoil.desktop.office import Changes, Part
from desktop.fake_office import FakeOffice


class FakeBridge(Bridge):
    """Performs questions at once; while `holding`, answers pile up."""

    def __init__(self, office: FakeOffice) -> None:
        super().__init__()
        self.office = office
        self.holding = False
        self.held: list[Callable[[], None]] = []
        self.paces: list[float] = []
        self.closed = False

    def set_pace(self, seconds: float) -> None:
        self.paces.append(seconds)

    def close(self) -> None:
        self.closed = True

    def let_go(self) -> None:
        """Deliver what was held."""
        self.holding = False
        for deliver in self.held:
            self.arrive(deliver)
        self.held.clear()

    def look(self) -> None:
        """What the worker's look for changes would tell."""
        changes = self.office.changes()
        if changes is not None:
            self.tell(changes)

    def changed_now(self, *parts: Part) -> None:
        """Tell of a change."""
        self.tell(Changes(frozenset(parts)))

    def _submit(self, ticket: Ticket, slow: bool) -> None:
        deliver = ticket.perform(self.office)
        if self.holding:
            self.held.append(deliver)
        else:
            self.arrive(deliver)
