"""Instants and spans for people. Every function takes the present, so a test says what time it is.

Instants are microseconds since the epoch; they are shown in this computer's zone. The full date goes into the tooltip.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta

from counterfoil.clock import from_us

SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def local(us: int) -> datetime:
    """The instant in this computer's zone."""
    return from_us(us).astimezone()


def clock_time(us: int) -> str:
    """`08:55`."""
    return f"{local(us):%H:%M}"


def clock_seconds(us: int) -> str:
    """`08:55:12`."""
    return f"{local(us):%H:%M:%S}"


def clock_exact(us: int) -> str:
    """`08:55:12.204`."""
    return f"{local(us):%H:%M:%S}.{us // 1000 % 1000:03d}"


def day(at: date, today: date) -> str:
    """`Today`, `Yesterday`, `Tomorrow`, `Mon` within six days, `12 Nov`, `12 Nov 2025`."""
    apart = (at - today).days
    if apart in (-1, 0, 1):
        return ("Yesterday", "Today", "Tomorrow")[apart + 1]
    if abs(apart) < 7:
        return _DAYS[at.weekday()]
    return date_words(at, today)


def date_words(at: date, today: date) -> str:
    """`12 Nov`, with the year unless it is this one."""
    short = f"{at.day} {_MONTHS[at.month - 1]}"
    return short if at.year == today.year else f"{short} {at.year}"


def when(us: int, now_us: int) -> str:
    """`Today 16:00`, `Mon 08:02`, `12 Nov 08:02`."""
    return f"{day(local(us).date(), local(now_us).date())} {clock_time(us)}"


def dated(us: int) -> str:
    """`Tue 1 Dec 2026, 05:51`: whole, where nobody knows when it will be read."""
    at = local(us)
    return f"{_DAYS[at.weekday()]} {at.day} {_MONTHS[at.month - 1]} {at.year}, {clock_time(us)}"


def since(us: int, now_us: int) -> str:
    """An age under an hour in minutes, else the time: `just now`, `12 min ago`, `08:02`, `Mon 08:02`."""
    apart = now_us - us
    if 0 <= apart < MINUTE:
        return "just now"
    if 0 <= apart < HOUR:
        return f"{apart // MINUTE} min ago"
    if local(us).date() == local(now_us).date():
        return clock_time(us)
    return when(us, now_us)


def in_sentence(words: str) -> str:
    """`today 16:00` where a sentence goes on before it."""
    return words[:1].lower() + words[1:] if words.startswith(("Today", "Yesterday", "Tomorrow")) else words


def on_day(us: int, now_us: int) -> str:
    """`today 16:00`, `yesterday 16:00`, `on Mon 08:02`: after a verb."""
    words = when(us, now_us)
    told = in_sentence(words)
    return told if told != words else f"on {words}"


def full(us: int) -> str:
    """For a tooltip: `Monday 30 November 2026, 08:55:12 (UTC+01:00)`."""
    at = local(us)
    return f"{at:%A} {at.day} {at:%B %Y, %H:%M:%S} (UTC{_offset(at)})"


def _offset(at: datetime) -> str:
    written = f"{at:%z}"
    return f"{written[:3]}:{written[3:]}" if written.strip("+0") else ""


def span(us: int) -> str:
    """How long something took: `0.4 s`, `41 s`, `2 min 10 s`, `2 h 10 min`, `3 days 4 h`."""
    if us < 0:
        return "0 s"
    if us < 10 * SECOND:
        return f"{us / SECOND:.1f} s" if us >= SECOND // 10 else "under 0.1 s"
    if us < MINUTE:
        return f"{us // SECOND} s"
    if us < HOUR:
        return _two(us // MINUTE, "min", us % MINUTE // SECOND, "s")
    if us < DAY:
        return _two(us // HOUR, "h", us % HOUR // MINUTE, "min")
    days = us // DAY
    return _two(days, "day" if days == 1 else "days", us % DAY // HOUR, "h")


def _two(first: int, unit: str, second: int, smaller: str) -> str:
    return f"{first} {unit} {second} {smaller}" if second else f"{first} {unit}"


def left(due_us: int, now_us: int) -> str:
    """`2 h 10 min left` within a day, else the day; `Overdue since Mon 16:00`."""
    apart = due_us - now_us
    if apart < 0:
        return f"Overdue since {when(due_us, now_us)}"
    if apart < MINUTE:
        return "under 1 min left"
    if apart < DAY:
        return f"{span(apart // MINUTE * MINUTE)} left"
    return when(due_us, now_us)


def due_group(due_us: int | None, now_us: int) -> str:
    """The inbox group of a deadline: Overdue, Due today, This week (within seven days), Later, No deadline."""
    if due_us is None:
        return "No deadline"
    if due_us < now_us:
        return "Overdue"
    at, today = local(due_us).date(), local(now_us).date()
    if at == today:
        return "Due today"
    return "This week" if at < today + timedelta(days=7) else "Later"


def iso_date(text: str, today: date) -> str:
    """An ISO date out of a document: `10 Dec`; what is none is shown as it came."""
    try:
        return date_words(date.fromisoformat(text), today)
    except ValueError:
        return text


def iso_instant(text: str) -> int | None:
    """The contract's instant as microseconds, or None."""
    try:
        at = datetime.fromisoformat(text)
    except (TypeError, ValueError):
        return None
    return int(at.timestamp()) * SECOND + at.microsecond if at.tzinfo else None
