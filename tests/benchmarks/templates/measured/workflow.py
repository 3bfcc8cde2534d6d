"""What the benchmarks run: steps that do next to nothing, and stops that ask for nothing. The same code in process and in a host."""

import time

from counterfoil import Params, approve, step, workflow


class MeasuredParams(Params):
    steps: int = 0
    stops: int = 0
    threads: bool = False


@step
async def add(total: int) -> int:
    return total + 1


@step
def add_in_thread(total: int) -> int:
    return total + 1


@step
async def moment() -> int:
    """When workflow code runs, in nanoseconds of the computer's clock."""
    return time.time_ns()


@workflow("measured")
async def measured(p: MeasuredParams) -> list[int]:
    call = add_in_thread if p.threads else add
    total = 0
    for _ in range(p.steps):
        total = await call(total)
    moments = [await moment()]
    for n in range(p.stops):
        await approve(f"Go on {n + 1}")
        moments.append(await moment())
    return moments
