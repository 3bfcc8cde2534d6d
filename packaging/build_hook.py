"""Puts the bundled folders into the wheel, where counterfoil.places finds them.

In a checkout `workflows/` and `resources/` lie beside `app/`, since they are not Python packages and are read like
anybody else's. Hatchling would leave them out of the wheel, so this hook maps each one below `counterfoil/_bundled`.
"""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

BUNDLED = ("workflows", "resources")
LEFT_OUT = ("__pycache__", ".DS_Store")


class BundledFolders(BuildHookInterface[Any]):
    """Runs before each build of the wheel; an editable build needs nothing, because it reads the checkout."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        for folder in BUNDLED:
            for file in sorted((Path(self.root) / folder).rglob("*")):
                if file.is_file() and not set(file.parts) & set(LEFT_OUT):
                    place = file.relative_to(self.root).as_posix()
                    build_data["force_include"][str(file)] = f"counterfoil/_bundled/{place}"
