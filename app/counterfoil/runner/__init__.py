"""The background process that advances runs: the assembly of store, engine, effects and hosts, and nothing else."""
