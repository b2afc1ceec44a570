"""python -m posewire_mcp"""

import sys

from ._command import main

sys.exit(main())
