"""Agents: a loop of llm calls and tools as durable code on the verbs that authors have, standard library only to import."""
