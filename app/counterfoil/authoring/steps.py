"""A step: a named piece of a run, performed until it is recorded, then never again."""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Awaitable, Callable, Coroutine
from datetime import timedelta
from typing import Any, Generic, Literal, ParamSpec, Protocol, TypeVar, overload

from counterfoil.authoring import machine
from counterfoil.authoring.codec import Decoder, decoder_for
from counterfoil.errors import RefusedUse
from counterfoil.facts import StepKind

P = ParamSpec("P")
R = TypeVar("R")


class Step(Generic[P, R]):
    """A typed awaitable in and out of a run; outside, awaiting it just runs it. `plain` is the bare function."""

    def __init__(
        self,
        function: Callable[P, R] | Callable[P, Awaitable[R]],
        *,
        retries: int = 0,
        process: bool = False,
        on_failure: Literal["ask", "raise"] = "ask",
        timeout: timedelta | None = None,
        silent_for: timedelta | None = None,
        title: str = "",
        kind: StepKind = StepKind.STEP,
    ) -> None:
        functools.update_wrapper(self, function)
        self.plain: Callable[P, Any] = function
        self.name: str = function.__name__
        self.title = title or self.name.replace("_", " ")
        self._called = f"the step {self.name}"
        self.kind = kind  # of its records
        self.retries = retries
        self.process = process
        self.on_failure = on_failure
        self.timeout = timeout
        self.silent_for = silent_for
        self._signature = inspect.signature(function)
        kinds = {parameter.kind for parameter in self._signature.parameters.values()}
        plain = kinds <= {inspect.Parameter.POSITIONAL_OR_KEYWORD}
        self._names = (
            tuple(self._signature.parameters) if plain else None
        )  # binding by the book costs a tenth of a step
        self.is_async = inspect.iscoroutinefunction(function)
        if process and self.is_async:
            raise RefusedUse(f"the step {self.name} cannot be async and process=True: write it with a plain `def`")
        if silent_for is not None and not timedelta(0) < silent_for <= timedelta(days=7):
            raise RefusedUse(f"the step {self.name} cannot be silent for {silent_for}: give a time of at most 7 days")

    @functools.cached_property
    def decoder(self) -> Decoder:
        """Turns a recorded result into the annotated return type.

        Raises:
            Unrecordable: the annotation has no recorded form, or cannot be resolved.
        """
        return decoder_for(self.returns)

    @functools.cached_property
    def returns(self) -> Any:
        """The annotation of the result; an unannotated step returns plain values."""
        hint = typing.get_type_hints(self.plain).get("return", Any)
        return type(None) if hint is None else hint

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> machine.Durable[R]:
        return machine.Durable(self._called, functools.partial(self._perform, args, kwargs))

    async def _perform(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> R:
        branch = machine.current()
        if branch is None or branch.in_step:
            result = self.plain(*args, **kwargs)
            return typing.cast(R, await result if inspect.isawaitable(result) else result)
        machine.require(self._called)
        return typing.cast(R, await branch.machine.step(branch, self, self._named(args, kwargs)))

    def _named(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """Every argument by its name, defaults filled in."""
        if self._names is not None and len(self._names) == len(args) and not kwargs:
            return dict(zip(self._names, args, strict=True))
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return dict(bound.arguments)

    def call(self, arguments: dict[str, Any]) -> Any:
        """Call the bare function with every argument given by its name."""
        plain: Callable[..., Any] = self.plain
        if self._names is not None:
            return plain(**arguments)
        bound = self._signature.bind_partial()
        bound.arguments.update(arguments)
        return plain(*bound.args, **bound.kwargs)

    def __repr__(self) -> str:
        return f"<step {self.name}>"


class Maker(Protocol):
    """`@step(...)` with options: makes a step of a function, async or not."""

    @overload
    def __call__(self, function: Callable[P, Coroutine[Any, Any, R]], /) -> Step[P, R]: ...
    @overload
    def __call__(self, function: Callable[P, R], /) -> Step[P, R]: ...
    def __call__(self, function: Any, /) -> Any: ...


@overload
def step(function: Callable[P, Coroutine[Any, Any, R]], /) -> Step[P, R]: ...
@overload
def step(function: Callable[P, R], /) -> Step[P, R]: ...
@overload
def step(
    *,
    retries: int = ...,
    process: bool = ...,
    on_failure: Literal["ask", "raise"] = ...,
    timeout: timedelta | None = ...,
    silent_for: timedelta | None = ...,
    title: str = ...,
) -> Maker: ...
def step(function: Any = None, /, **options: Any) -> Any:
    """Make a function a step.

    `retries`: more tries after a failure that may pass (0 = none). `process=True`: a forked child of the host, for CPU-bound or
    hostile input. `on_failure="raise"`: record the failure and raise StepFailed instead of asking a person. `timeout`: the
    longest one try may take. `silent_for`: how long it may say nothing, with `report()`, before people are told (else 10 minutes).
    """
    if function is not None:
        return Step(function)
    return lambda given: Step(given, **options)
