"""The data version this program writes; apart from everything that needs SQLAlchemy, so that a first look costs no import of it."""

SCHEMA = 1  # raised by every migration; kept in PRAGMA user_version
