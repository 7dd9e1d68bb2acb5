# SPDX-License-Identifier: GPL-2.0-or-later
from window import by_distance as ours  # noqa: F401

BY, COUNTS, MEASURE, LIMIT, LOG = "RFC 9438, 2023", True, "relative", 0.13, "xy"
X, Y = "loss rate", "mean window (segments)"
EACH_DAY = (0, 1, 4, 5)  # of the zipped lists; the others, a minute of CPU, at night
