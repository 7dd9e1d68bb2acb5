/* SPDX-License-Identifier: GPL-2.0-or-later */
/* built.h -- what the build knows: of which commit, and where `./waf install` puts the files that ship. One small file holds
 * both, so that a commit or another --prefix compiles nothing else. */
#ifndef HELPERS_BASE_BUILT_H
#define HELPERS_BASE_BUILT_H

#include <stdbool.h>

#include "engine/iw.h"

#define IWARPSIM_VERSION IW_VERSION /* model and command are of one version */

extern const char
    built_commit[]; /* "unknown" outside a clone; ends in "-dirty" where files differ from the commit */
extern const char built_datadir[]; /* PREFIX/share/iwarpsim */
extern const bool built_ranks;     /* with an ns-3 that has MPI */

#endif
