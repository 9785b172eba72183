# SPDX-License-Identifier: LGPL-2.1-or-later
"""What topomap's commands answer, as tables."""
