"""One line about what a step has achieved, for people: the last one said becomes the step's summary."""

from __future__ import annotations

from counterfoil.authoring import machine


def report(text: str) -> None:
    """Say what the running step has achieved so far (“14 invoices, 2 flagged”); outside a run it says nothing."""
    branch = machine.current()
    if branch is not None:
        branch.machine.report(branch, text)


def this_run() -> machine.RunFacts:
    """Facts of the run that is executing: id, number, template, version, workspace."""
    branch = machine.current()
    if branch is None:
        return machine.require("this_run()").machine.run
    return branch.machine.run
