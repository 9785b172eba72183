# SPDX-License-Identifier: LGPL-2.1-or-later
"""Nothing of the tests is left running."""

import faulthandler

faulthandler.enable()
