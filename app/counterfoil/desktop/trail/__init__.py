"""The trail: every decision, effect and change in one list, and the check that none was altered."""
