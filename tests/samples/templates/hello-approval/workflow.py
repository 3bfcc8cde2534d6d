"""Lists the files of a folder and writes the list once a person has approved it."""

from counterfoil import Folder, Params, approve, files, step, text, workflow, write_file


class HelloParams(Params):
    folder: Folder


@step
def list_names(folder: Folder) -> str:
    """What reads files or makes bytes is a step: it runs once, and its result is kept."""
    names = [found.path.rpartition("/")[2] for found in files().list(folder)]
    return "".join(f"{name}\n" for name in names)


@workflow("hello-approval")
async def hello_approval(p: HelloParams) -> str:
    names = await list_names(p.folder)
    count = names.count("\n")
    plan = [write_file("hello.txt", names)]
    decision = await approve(f"Write hello.txt with {count} names", plan=plan, evidence=[text(names, title="hello.txt")])
    await decision.perform()
    return f"hello.txt is written: {count} names"
