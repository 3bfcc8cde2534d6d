"""`http@1`: one HTTP request with an Idempotency-Key, and the question afterwards whether it happened.

The line that matters is where bytes may have left: before it a failure is a failure; after it, only a request that may be repeated
(keyed, or of a method that does the same twice as once) is tried again, and everything else is a doubt. A server fault is on the far
side of that line: it says that something went wrong, not that nothing was done.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any
from urllib.parse import quote, urlsplit

from counterfoil.clock import Clock
from counterfoil.effects import shapes
from counterfoil.effects.answers import Answer, read_answer, retry_after, wire_json
from counterfoil.effects.imagining import refusal
from counterfoil.effects.redacting import Redactor
from counterfoil.effects.request_shape import check_request
from counterfoil.effects.secrets import Keyring
from counterfoil.effects.sentences import shortened, size_words
from counterfoil.engine.ports import NO_MOMENT, EffectTrouble, Finding, Moment, OutcomeUnknown, PlanEntry, Reconciled
from counterfoil.errors import SecretMissing
from counterfoil.facts import DoubtPolicy, FailureClass, Risk
from counterfoil.policy.boundaries import visible
from counterfoil.store.blobs import Blobs

CONNECT_FOR, ANSWER_FOR, WHOLE_FOR = 10.0, 60.0, 300.0  # seconds
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_SAME_TWICE = _SAFE | {"PUT", "DELETE"}
_TAKEN = frozenset({303, 304})  # an answer in full, though not a 2xx
_NOT_NOW = frozenset({408, 425, 429, 503})
_NEVER = frozenset({501, 505, 511})


class Http:
    """`{"method", "url", "json", "data", "headers", "reconcile", "keyed"}`."""

    def __init__(self, blobs: Blobs, keyring: Keyring, clock: Clock, patience: float = ANSWER_FOR) -> None:
        self._blobs = blobs
        self._keyring = keyring
        self._clock = clock
        self._patience = patience

    def check(self, args: object) -> None:
        """Raise BadEffect unless the arguments are of its shape."""
        check_request(args, self._blobs)

    def policy(self, args: dict[str, Any]) -> DoubtPolicy:
        """A key that the other side honours beats asking it, and asking it beats the nature of the method."""
        if args["keyed"]:
            return DoubtPolicy.RETRY
        if args["reconcile"]:
            return DoubtPolicy.RECONCILE
        return DoubtPolicy.RETRY if args["method"] in _SAME_TWICE else DoubtPolicy.ASK

    def entry(self, args: dict[str, Any], workspace: str) -> PlanEntry:
        """`Send 1.2 kB to api.example/v1/orders (POST)`, with the secrets that go along."""
        method, size = args["method"], self._size(args)
        verb = "Read" if method in _SAFE else "Delete" if method == "DELETE" else f"Send {size_words(size)} to"
        secrets = sorted({value["$secret"] for value in args["headers"].values() if isinstance(value, dict)})
        along = f", with the secret {visible(' and '.join(secrets))}" if secrets else ""
        return PlanEntry(
            effect="http@1",
            summary=f"{verb} {shortened(_place(args['url']), 120)} ({method}){along}",
            target=visible(args["url"]),
            risk=Risk.NORMAL if method in _SAFE else Risk.SENDS,
            bytes=size,
        )

    def _size(self, args: dict[str, Any]) -> int:
        if args["data"] is not None:
            return shapes.size_of(args["data"])
        return 0 if args["json"] is None else len(_json_bytes(args["json"]))

    async def perform(self, args: dict[str, Any], key: str, workspace: str, moment: Moment = NO_MOMENT) -> Any:
        """Send it; `{"status", "headers", "text", "truncated"}` of an answer that says it was taken."""
        headers, redact = await self._headers(args["headers"])
        headers = {**self._content_type(args), **headers, "Idempotency-Key": key}
        body = await asyncio.to_thread(self._body, args)
        answer = await self._answer(args, headers, body, redact)
        self._judge(args, answer)
        return answer.plain

    async def _answer(
        self, args: dict[str, Any], headers: dict[str, str], body: bytes | None, redact: Redactor
    ) -> Answer:
        import httpx  # lazy: only runs that reach out pay for it

        what = f"{args['method']} {_place(args['url'])}"
        unsent = (
            httpx.ConnectError,
            httpx.ConnectTimeout,
            httpx.PoolTimeout,
            httpx.ProxyError,
            httpx.UnsupportedProtocol,
        )
        try:
            return await self._exchange(args["method"], args["url"], headers, body, redact)
        except (httpx.InvalidURL, httpx.LocalProtocolError):
            raise refusal(f"{what} cannot be sent as it stands; nothing was sent.") from None
        except unsent as problem:
            lasting = "CERTIFICATE_VERIFY_FAILED" in str(problem)
            raise EffectTrouble(
                f"{what} could not be sent ({shortened(redact(_cause(problem)), 160)}).",
                FailureClass.STRUCTURAL if lasting else FailureClass.TRANSIENT,
            ) from None
        except (httpx.HTTPError, TimeoutError) as problem:
            raise self._unanswered(args, f"{what} got no answer ({_cause(problem)})") from None

    async def _exchange(
        self, method: str, url: str, headers: dict[str, str], body: bytes | None, redact: Redactor
    ) -> Answer:
        import httpx  # lazy, as above

        limits = httpx.Timeout(self._patience, connect=min(CONNECT_FOR, self._patience))
        sent = {"User-Agent": "counterfoil", "Accept-Encoding": "identity", **headers}
        async with (
            asyncio.timeout(WHOLE_FOR),
            httpx.AsyncClient(timeout=limits, follow_redirects=False) as client,
            client.stream(method, url, headers=sent, content=body) as response,
        ):
            return await read_answer(response, redact)

    def _judge(self, args: dict[str, Any], answer: Answer) -> None:
        """Return for an answer that says it was taken; raise what any other one means."""
        status = answer.status
        if 200 <= status < 300 or status in _TAKEN:
            return
        said = shortened(" ".join(answer.text.split()), 200)
        what = f"{args['method']} {_place(args['url'])} was answered with {status}{f': {said}' if said else ''}"
        if status in _NOT_NOW:
            raise EffectTrouble(f"{what}.", FailureClass.TRANSIENT, retry_after(answer, self._clock))
        if status >= 500 and status not in _NEVER:
            raise self._unanswered(args, what, retry_after(answer, self._clock))
        if 300 <= status < 400:
            where = shortened(answer.headers.get("location", "elsewhere"), 120)
            moved = f"{what}, which points to {where}; redirects are not followed"
            # Forms are often answered so after they were taken; 307 and 308 say that nothing was done.
            raise refusal(f"{moved}.") if status in (307, 308) else self._unanswered(args, moved, lasting=True)
        raise refusal(f"{what}.")

    def _unanswered(
        self, args: dict[str, Any], what: str, after: float | None = None, *, lasting: bool = False
    ) -> EffectTrouble | OutcomeUnknown:
        """What follows where it may have happened: trying again if that is harmless, else a doubt."""
        if args["keyed"] or args["method"] in _SAME_TWICE:
            return EffectTrouble(f"{what}.", FailureClass.STRUCTURAL if lasting else FailureClass.TRANSIENT, after)
        return OutcomeUnknown(f"{what}, so it may or may not have happened.")

    async def reconcile(self, args: dict[str, Any], key: str) -> Reconciled:
        """Ask with a GET: 2xx happened and is the outcome, 404 did not; anything else leaves it unknown."""
        import httpx  # lazy, as above

        if not args["reconcile"]:
            return Reconciled(Finding.UNKNOWN)
        url = args["reconcile"].replace("{key}", quote(key, safe=""))
        try:
            # What the effect sends goes to the place that the effect was sent to, and nowhere else.
            same = _origin(url) == _origin(args["url"])
            headers, redact = await self._headers(args["headers"] if same else {})
            headers = {name: value for name, value in headers.items() if not name.lower().startswith("content-")}
            answer = await self._exchange("GET", url, headers, None, redact)
        except (httpx.HTTPError, httpx.InvalidURL, EffectTrouble, TimeoutError):
            return Reconciled(Finding.UNKNOWN)
        if 200 <= answer.status < 300:
            return Reconciled(Finding.HAPPENED, answer.plain)
        return Reconciled(Finding.NOT_HAPPENED if answer.status == 404 else Finding.UNKNOWN)

    async def _headers(self, given: dict[str, Any]) -> tuple[dict[str, str], Redactor]:
        """Header values with the secrets put in, and who takes them out again."""
        names = sorted({value["$secret"] for value in given.values() if isinstance(value, dict)})
        try:
            secrets = {name: await asyncio.to_thread(self._keyring.get, name) for name in names}
        except SecretMissing as problem:
            raise refusal(str(problem)) from problem
        for name, value in secrets.items():
            if not value.isascii() or not value.isprintable():
                raise refusal(f"The secret “{visible(name)}” holds signs that no header can carry.")
        filled = {
            name: secrets[value["$secret"]] if isinstance(value, dict) else str(value) for name, value in given.items()
        }
        return filled, Redactor(secrets)

    def _content_type(self, args: dict[str, Any]) -> dict[str, str]:
        if any(name.lower() == "content-type" for name in args["headers"]):
            return {}
        if args["json"] is not None:
            return {"Content-Type": "application/json"}
        return {"Content-Type": "application/octet-stream"} if args["data"] is not None else {}

    def _body(self, args: dict[str, Any]) -> bytes | None:
        if args["data"] is not None:
            return shapes.content(args["data"], self._blobs)
        return None if args["json"] is None else _json_bytes(args["json"])


def _json_bytes(plain: Any) -> bytes:
    return json.dumps(wire_json(plain), ensure_ascii=False, separators=(",", ":")).encode("utf-8")


def _place(url: str) -> str:
    """Host and path; a query may hold what is nobody's business."""
    parts = urlsplit(url)
    return f"{parts.netloc}{parts.path}"


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}.get(parts.scheme)


def _cause(problem: BaseException) -> str:
    return str(problem).rstrip(".") or type(problem).__name__
