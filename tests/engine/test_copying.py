"""Work on files in a few threads: in order, each told at once, nobody held up by what is large."""

import asyncio
import functools
import operator
import threading
from typing import Any

import pytest

from counterfoil.engine.copying import COPIES, Copying


def test_each_gets_what_it_asked_for_and_what_was_raised() -> None:
    async def main() -> list[Any]:
        copying = Copying()
        works = [functools.partial(operator.floordiv, 10, n) for n in (0, 1, 2, 5)]
        return await asyncio.gather(*map(copying.do, works), return_exceptions=True)

    failed, *rest = asyncio.run(main())
    assert isinstance(failed, ZeroDivisionError)
    assert rest == [10, 5, 2]


def test_many_share_few_threads_in_the_order_in_which_they_came() -> None:
    async def main() -> None:
        copying, begun, threads = Copying(), [], set()

        def work(n: int) -> None:
            begun.append(n)
            threads.add(threading.get_ident())

        await asyncio.gather(*(copying.do(functools.partial(work, n)) for n in range(200)))
        assert sorted(begun) == list(range(200))
        assert begun[0] == 0
        assert len(threads) <= COPIES

    asyncio.run(main())


def test_what_is_large_holds_up_nothing_that_was_done_before_it() -> None:
    async def main() -> None:
        copying, go_on = Copying(), threading.Event()
        large = [asyncio.ensure_future(copying.do(go_on.wait)) for _ in range(COPIES - 1)]
        small = asyncio.ensure_future(copying.do(lambda: "small"))
        last = asyncio.ensure_future(copying.do(go_on.wait))
        assert await asyncio.wait_for(small, 30) == "small"
        go_on.set()
        await asyncio.gather(*large, last)
        assert await copying.do(lambda: "again") == "again"

    asyncio.run(main())


def test_given_up_before_its_turn_it_is_not_done() -> None:
    async def main() -> list[str]:
        copying, go_on, done = Copying(), threading.Event(), []
        held = [asyncio.ensure_future(copying.do(go_on.wait)) for _ in range(COPIES)]
        given_up = asyncio.ensure_future(copying.do(lambda: done.append("given up")))
        await asyncio.sleep(0)
        given_up.cancel()
        with pytest.raises(asyncio.CancelledError):
            await given_up
        go_on.set()
        await asyncio.gather(*held)
        await copying.do(lambda: done.append("after"))
        return done

    assert asyncio.run(main()) == ["after"]
