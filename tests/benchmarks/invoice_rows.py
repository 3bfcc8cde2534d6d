"""The bundled routine on real documents: 100 invoices, 70 of all syntaxes and 30 that are only pages, read and checked, without an llm."""

from __future__ import annotations

import time
from datetime import timedelta
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.measuring import Ground, Row, fresh, number, with_best
from counterfoil.authoring.workflows import Workflow
from counterfoil.catalogue.loading import load_workflow
from counterfoil.clock import from_us
from counterfoil.places import bundled
from counterfoil.testing import Harness
from templates.pay_invoices.mixed_files import FILES, mixed

SECONDS = 5.0  # DESIGN 7
SAMPLES = Path(__file__).resolve().parents[1] / "samples/einvoice"


def invoices(ground: Ground) -> Row:
    """A run of pay-invoices from its start to the first stop for a person: reading, checks, duplicates, evidence."""
    template = bundled("workflows") / "pay-invoices"
    workflow = load_workflow(template, "pay-invoices")
    took = [_to_first_gate(ground, workflow, template) for _ in range(ground.pick(1, 3))]
    middle = median(took)
    return Row(
        f"{FILES} mixed invoices read and checked, up to the first stop",
        f"{with_best(took, 's')}, {number(middle / FILES * 1000)} ms each",
        f"{SECONDS:g} s",
        met=middle <= SECONDS,
    )


def _to_first_gate(ground: Ground, workflow: Workflow[Any, Any], template: Path) -> float:
    workspace = fresh(ground.disk, "invoices")
    _fill(workspace / "invoices", template)
    harness = Harness(workspace, home=workspace / "home")
    try:
        harness.start(
            workflow,
            folder="invoices",
            debtor_name="Hofmann Maschinenbau GmbH",
            debtor_iban="DE89370400440532013000",
            pay_on=from_us(harness.clock.now_us()).date() + timedelta(days=2),
        )
        began = time.perf_counter()
        state = harness.advance()
        took = time.perf_counter() - began
        if state != "waiting":
            raise RuntimeError(f"the run is {state}, not waiting")
        harness.gate()
    finally:
        harness.close()
    return took


def _fill(folder: Path, template: Path) -> None:
    """The sample workspace's documents, the public samples, and pages."""
    folder.mkdir()
    sources = [
        path
        for root in (template / "sample/invoices", SAMPLES)
        for path in sorted(root.rglob("*"))
        if path.suffix.lower() in {".xml", ".pdf"}
    ]
    for name, data in mixed(sources):
        (folder / name).write_bytes(data)
