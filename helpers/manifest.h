/* SPDX-License-Identifier: GPL-2.0-or-later */
/* manifest.h -- manifest.json: what made these results, and what must match to make them again. */
#ifndef HELPERS_MANIFEST_H
#define HELPERS_MANIFEST_H

#include <stdio.h>

#include "helpers/options.h"
#include "helpers/scenario.h"

struct manifest {
    const struct scenario *s;
    const struct run_options *o;
    size_t runs;
    double wall;      /* seconds of the session that finished it */
    const char *tool; /* what ran the points: "GNU parallel 20221122" */
    const char *results_sha256;
};

void manifest_write(const struct manifest *m, FILE *out);
/* "iwarpsim run FILE --set ..." as a shell takes it, --point and --out left out. */
void manifest_command(const struct run_options *o, FILE *out);
/* Text as one word of a shell. */
void shell_word(FILE *out, const char *text);
void json_text(FILE *out, const char *text);

#endif
