"""Whose sync a folder lies in. Synced folders work, but files in them change by other hands at any time."""

from __future__ import annotations

from pathlib import Path

_FOLDERS = {
    "onedrive": "OneDrive",
    "dropbox": "Dropbox",
    "google drive": "Google Drive",
    "googledrive": "Google Drive",
    "icloud drive": "iCloud Drive",
    "com~apple~clouddocs": "iCloud Drive",
    "nextcloud": "Nextcloud",
    "owncloud": "ownCloud",
    "pcloud": "pCloud",
    "box sync": "Box",
    "syncthing": "Syncthing",
    "seafile": "Seafile",
}
_MARKS = {
    ".dropbox": "Dropbox",
    ".dropbox.cache": "Dropbox",
    ".stfolder": "Syncthing",
    ".nextcloudsync.log": "Nextcloud",
    ".owncloudsync.log": "ownCloud",
    ".onedrive": "OneDrive",
    ".tmp.driveupload": "Google Drive",
    ".tmp.drivedownload": "Google Drive",
    ".sync": "Resilio Sync",
    "_sfile.db": "Seafile",
}
_DATABASES = {".sync_": "Nextcloud", "._sync_": "Nextcloud"}  # beginnings of names that end in .db


def synced_by(root: Path) -> str:
    """The name of the program that syncs a folder, "" where none shows: by what the folders above it are called, and by the marks
    that such programs leave in a folder or in one above it."""
    for part in root.parts:
        name = part.lower()
        for known, words in _FOLDERS.items():  # OneDrive adds the company's name to its own
            if name == known or name.startswith((f"{known} -", f"{known} (")):
                return words
    return next((words for folder in (root, *root.parents) if (words := _marked(folder))), "")


def _marked(folder: Path) -> str:
    for name, words in _MARKS.items():
        if (folder / name).exists():
            return words
    for beginning, words in _DATABASES.items():
        if any(folder.glob(f"{beginning}*.db")):
            return words
    return ""
