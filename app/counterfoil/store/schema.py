"""The data version this program writes; apart from everything that needs SQLAlchemy, so that a first look costs no import of it."""

APPLICATION = 0x43666C31  # SQLite's application_id of our files
SCHEMA = 17  # raised by every migration; kept in PRAGMA user_version
