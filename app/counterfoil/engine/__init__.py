"""The only replay: claim, replay, record, wait, retry. `session` runs beside the author's code, `desk` judges what it asks."""
