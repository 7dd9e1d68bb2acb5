/* SPDX-License-Identifier: GPL-2.0-or-later */
/* built.c -- the only file compiled again when the commit or the prefix changes. */
#include "helpers/base/built.h"

#ifndef IWARPSIM_COMMIT
#define IWARPSIM_COMMIT "unknown"
#endif

#ifndef IWARPSIM_DATADIR
#define IWARPSIM_DATADIR "/usr/local/share/iwarpsim"
#endif

const char built_commit[] = IWARPSIM_COMMIT;
const char built_datadir[] = IWARPSIM_DATADIR;

#ifdef IWARP_RANKS
const bool built_ranks = true;
#else
const bool built_ranks = false;
#endif
