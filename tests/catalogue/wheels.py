"""Wheels made by hand: small packages for tests, so that no index and no network is asked."""

import base64
import hashlib
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path


def make_wheel(
    folder: Path,
    name: str,
    release: str,
    files: Mapping[str, str],
    *,
    needs: Sequence[str] = (),
    tag: str = "py3-none-any",
) -> str:
    """Write `NAME-RELEASE-TAG.whl` into a folder; its SHA-256."""
    folder.mkdir(parents=True, exist_ok=True)
    info = f"{name}-{release}.dist-info"
    about = f"Metadata-Version: 2.1\nName: {name}\nVersion: {release}\n"
    inside = dict(files)
    inside[f"{info}/METADATA"] = about + "".join(f"Requires-Dist: {need}\n" for need in needs)
    inside[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: {tag}\n"
    record = "".join(f"{path},sha256={_coded(text)},{len(text.encode())}\n" for path, text in inside.items())
    inside[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n"
    wheel = folder / f"{name}-{release}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, text in inside.items():
            archive.writestr(zipfile.ZipInfo(path), text)
    return hashlib.sha256(wheel.read_bytes()).hexdigest()


def _coded(text: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
