"""What deciding does, in sentences the product makes from the plan: never from words of an author, an llm or a document.

What leaves the house comes first, then what happens to files, then what saying no does. File names are never cut: where there
are too many to name, they are counted by folder.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

from counterfoil.facts import FILE_EFFECTS, GateKind, Risk, as_sentence
from counterfoil.policy.boundaries import visible

Item = dict[str, Any]
_NAMED = 8  # so many files are named one by one; beyond that folders are named
_LEAVES = frozenset({str(Risk.SENDS), str(Risk.SPENDS)})


def consequences(spec: dict[str, Any]) -> list[str]:
    """Sentences for a gate's spec: what follows from each answer."""
    match spec["kind"]:
        case GateKind.APPROVAL:
            return _of_approval(spec["plan"])
        case GateKind.CONFLICT:
            return _of_conflict(spec.get("about") or {}, spec["plan"])
        case GateKind.QUESTION:
            return _of_question(spec.get("about") or {})
        case GateKind.BUDGET:
            return _of_budget(spec.get("about") or {})
        case GateKind.DOUBT:
            return _of_doubt(spec.get("about") or {})
        case _:
            return _of_failure(spec.get("about") or {})


def _of_approval(plan: Sequence[Item]) -> list[str]:
    leaving = [item for item in plan if item.get("risk") in _LEAVES]
    mails = [item for item in leaving if _kind(item["body"]) == "mail"]
    done = [_mailed(mails)] if mails else []
    done += [_leaving(item) for item in leaving if item not in mails]
    files = _files([item for item in plan if item not in leaving])
    if files:
        done.append(f"{files.rstrip('.')}.{'' if leaving else ' Nothing is sent.'}")
    elif not leaving:
        done.append("the run goes on. This approval covers no effect: nothing is written or sent by it.")
    sentences = [f"{'Also' if n else 'If you approve'}: {sentence}" for n, sentence in enumerate(done)]
    sentences += [item["risk_reason"] for item in plan if item.get("risk_reason")]
    replaced = [item["target"] for item in plan if _kind(item["body"]) == "write_file" and item.get("before_digest")]
    if replaced:
        verb = "exists and is replaced" if len(replaced) == 1 else "exist and are replaced"
        sentences.append(f"{_listed(replaced)} {verb}; the old content is kept for undoing.")
    if any(_kind(item["body"]) == "delete_files" for item in plan):
        sentences.append("What is deleted is kept for undoing for 30 days.")
    nothing = "nothing is written or sent" if leaving else "nothing is written"
    sentences.append(f"If you reject: {nothing}; the run ends as Rejected, unless its workflow goes another way.")
    return sentences


def _mailed(mails: Sequence[Item]) -> str:
    """All mails of a plan in one sentence, with everybody they go to."""
    people = [one for item in mails for one in (*item["body"]["args"]["to"], *item["body"]["args"]["cc"])]
    to = _listed(list(dict.fromkeys(people)))
    if len(mails) == 1:
        return f"1 mail is sent to {to}. It cannot be taken back."
    return f"{len(mails):,} mails are sent to {to}. They cannot be taken back."


def _leaving(item: Item) -> str:
    body = item["body"]
    args = body["args"]
    if _kind(body) == "http":
        return f"1 request is sent: {args['method']} {args['url']}. It cannot be taken back."
    made = "1 call is made: " if _kind(body) == "call" else ""
    return as_sentence(f"{made}{item['summary']}") + " It cannot be taken back."


def _files(plan: Sequence[Item]) -> str:
    written = list(dict.fromkeys(item["body"]["args"]["path"] for item in plan if _is_write(item)))
    moves = _named(plan, "move_files", "moves")
    deleted, made = _named(plan, "delete_files", "paths"), _named(plan, "make_folders", "paths")
    parts = []
    if deleted:
        parts.append(f"{_count(len(deleted), 'file is', 'files are')} deleted ({_where(deleted)})")
    if written:
        parts.append(f"{_count(len(written), 'file is', 'files are')} written ({_where(written)})")
    if moves:
        parts += _moved(moves)
    if made:
        parts.append(f"{_count(len(made), 'folder is', 'folders are')} made ({_where(made)})")
    facts = sum(_kind(item["body"]) == "remember" for item in plan)
    if facts:  # what they say was written by an llm, and stands below with its source
        parts.append(f"{_count(facts, 'fact is', 'facts are')} kept for later runs until someone takes it back")
    told = (*FILE_EFFECTS, "remember")
    parts.extend(item["summary"] for item in plan if _kind(item["body"]) not in told)
    return ", ".join(parts)


def _moved(moves: Sequence[Sequence[str]]) -> list[str]:
    """What moves say: files that stay in their folder get another name, the others go elsewhere; many folders are counted."""
    away = [target for source, target in moves if _folder(source) != _folder(target)]
    renamed, parts = len(moves) - len(away), []
    if renamed:
        parts.append(f"{_count(renamed, 'file gets another name', 'files get other names')}")
    if away:
        folders = sorted({_folder(target) for target in away})
        where = _listed(folders) if len(folders) <= _NAMED else f"{len(folders):,} folders"
        parts.append(f"{_count(len(away), 'file moves', 'files move')} to {where}")
    return parts


def _named(plan: Sequence[Item], kind: str, listed: str) -> list[Any]:
    """What the effects of a kind name one by one."""
    return [one for item in plan if _kind(item["body"]) == kind for one in item["body"]["args"][listed]]


def _of_doubt(about: dict[str, Any]) -> list[str]:
    effect = about.get("effect") or "the effect"
    return [
        f"It began and no answer came: whether “{effect}” happened is not known. It has not been tried again.",
        "If you answer happened: it counts as done, it is not tried again, and the run goes on.",
        "If you answer not_happened: it is done once, with the same key, and the run goes on.",
        "If you answer stop: it is not tried again and the run ends as Stopped.",
    ]


def _of_question(about: dict[str, Any]) -> list[str]:
    """A question of a workflow does nothing by itself; one in the middle of an effect lets that go on."""
    match about.get("why") if "effect" in about else "workflow":
        case "workflow":
            return [
                "If you answer: the run goes on with your answers. Answering writes and sends nothing.",
                "If you reject: the run goes on without an answer, or ends as Rejected. Nothing is written or sent.",
            ]
        case "changed":
            return [
                "If you answer yes: the call is made with the tool as it is now, which counts as looked at. It cannot be taken back.",
                "If you answer no, or reject: the call is not made, and you are asked what the run does without it.",
            ]
        case "signed_out":
            return [
                "If you answer: the call is made, as far as somebody has signed in by then. It cannot be taken back.",
                "If you reject: the call is tried all the same, and asks again where nobody has signed in.",
            ]
        case _:
            return [
                "If you answer: your answers go to who asks, and the call goes on. It cannot be taken back.",
                "If you reject: who asks is told that you declined; what it does then is its own affair.",
            ]


def _of_budget(about: dict[str, Any]) -> list[str]:
    """What each answer does; nothing is spent before one is given."""
    kept = "What was paid for so far is kept and is not paid for again."
    finish = (
        "If you answer finish: no more is asked; the workflow goes on with what there is, or stops where it needs more."
    )
    stop = "If you answer stop: the run ends as Stopped. Nothing more is written or sent."
    if about.get("why") == "again":
        told = "told what came of it, and asked again" if about.get("tool") else "asked once more"
        return [kept, f"If you answer go_on: the llm is {told}.", finish, stop]
    return [
        kept,
        "If you answer raise_once: this one call is made; the limit stays.",
        "If you answer raise: the limit becomes what you fill in, or twice what it was.",
        finish,
        stop,
    ]


def _of_conflict(about: dict[str, Any], plan: Sequence[Item]) -> list[str]:
    """What each answer does with the files that changed; the rest of the set is done in any case."""
    files = about.get("files") or []
    approved = about.get("approved") or {}
    told = []
    if about.get("is_another"):
        told.append("The folder at this place is not the one that was looked at: it was moved, restored or swapped.")
    if approved.get("title"):
        told.append(
            f"“{approved['title']}” was approved before that. What is not as it was approved is asked about here."
        )
    if not files:
        return [
            *told,
            "If you keep the folder's: nothing of it is written, and the run goes on.",
            "If you use the run's: what was approved is done in the folder that is there now.",
        ]
    rest = len(plan) - len({n for file in files for n, _ in file["parts"]})
    beside = [file["made"]["both"]["file"]["path"] for file in files if _has_name(file)]
    told.append("If you keep the folder's: that file stays as it is, and what the run would do with it is left out.")
    if any("use" in file["choices"] for file in files):
        told.append("If you use the run's: it is done on the file as it is now, which is kept for undoing.")
    if beside:
        goes = "goes" if len(beside) == 1 else "go"
        told.append(as_sentence(f"If you keep both: the run's {goes} beside it, as {_listed(beside)}"))
    if rest > 0:
        told.append(
            f"{_count(rest, 'other item', 'other items')} of the plan {'is' if rest == 1 else 'are'} done as approved."
        )
    return told


def _has_name(file: dict[str, Any]) -> bool:
    return bool((file["made"].get("both") or {}).get("file"))


def _of_failure(about: dict[str, Any]) -> list[str]:
    step = about.get("step") or "the workflow"
    kept = "What was done before this is kept and will not run again."
    stop = "If you answer stop: the run ends as Stopped. Nothing more is written or sent."
    if about.get("why") == "mismatch":
        recorded = about.get("recorded") or "what was recorded"
        return [
            kept,
            "If you answer retry: the run is carried on again from its records.",
            f"If you answer skip (where it is offered): “{recorded}” is kept although the workflow now asks for “{step}”.",
            stop,
        ]
    if (about.get("error") or {}).get("type") == "Returned":
        again = "If you answer retry: the workflow meets the same answer and stops here again. To have it done differently, run it again."
        return [kept, again, stop]
    sentences = [kept, f"If you answer retry: “{step}” is tried again."]
    if about.get("step"):
        if about.get("files"):
            sentences.append(
                f"If you answer retry with file: the file you name takes the place of {_either(about['files'])} in the run's copy, and "
                f"“{step}” is tried again. Your folder is not touched."
            )
        sentences.append(f"If you answer skip: the run goes on without “{step}”, with the value in result.")
    return [*sentences, stop]


def _either(names: Sequence[str]) -> str:
    """`a.csv`, `a.csv or b.csv`; of many how many."""
    shown = [visible(name) for name in names]
    if len(shown) > _NAMED:
        return f"one of the {len(shown)} files it has read"
    return " or ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def _is_write(item: Item) -> bool:
    return _kind(item["body"]) in ("write_file", "append_rows")


def _kind(body: Item) -> str:
    return str(body["kind"]).partition("@")[0]


def _folder(path: str) -> str:
    parent = PurePosixPath(path).parent.as_posix()
    return "the workspace folder" if parent == "." else f"{visible(parent)}/"


def _where(paths: Sequence[str]) -> str:
    if len(paths) <= _NAMED:
        return ", ".join(map(visible, paths))
    return "in " + ", ".join(sorted({_folder(path) for path in paths}))


def _listed(names: Sequence[str]) -> str:
    shown = [visible(name) for name in names]
    if len(shown) < 2:
        return "".join(shown)
    return f"{', '.join(shown[:-1])} and {shown[-1]}"


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"
