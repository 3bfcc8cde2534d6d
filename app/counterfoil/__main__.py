"""`python -m counterfoil` is the command line."""

import sys

from counterfoil.cli import main

sys.exit(main())
