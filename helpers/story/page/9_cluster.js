// SPDX-License-Identifier: GPL-2.0-or-later
// ---- many hosts: start, behind all that it needs ----

startCluster();
