"""`python -m counterfoil.desktop [HOME]` shows the window."""

import sys

from counterfoil.desktop import main
from counterfoil.places import find_home

sys.exit(main(find_home(sys.argv[1] if len(sys.argv) > 1 else None)))
