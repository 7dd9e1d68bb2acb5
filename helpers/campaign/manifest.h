/* SPDX-License-Identifier: GPL-2.0-or-later */
/* manifest.h -- manifest.json: what made these results, and what must match to make them again. */
#ifndef HELPERS_CAMPAIGN_MANIFEST_H
#define HELPERS_CAMPAIGN_MANIFEST_H

#include <stdio.h>

#include "helpers/campaign/run_options.h"
#include "helpers/scenario/scenario.h"

struct manifest {
    const struct scenario *s;
    const struct run_options *o;
    size_t runs;
    double wall;                                  /* seconds of the session that finished it */
    const char *tool;                             /* what ran the points: "GNU parallel 20221122" */
    const char *results_sha256, *scenario_sha256; /* of results.csv, and of scenario.yaml without
                                                     title, claim and plot */
};

/* What made results, or would make them now. */
enum manifest_fact {
    FACT_IWARPSIM,
    FACT_COMMIT,
    FACT_NS3,
    FACT_SIMGRID,
    FACT_COMPILER,
    FACT_LIBC,
    FACT_CPU,
    FACT_SYSTEM,
    FACTS
};
enum { FACT_MAX = 1024 };
struct manifest_facts {
    char of[FACTS][FACT_MAX]; /* empty: not known */
};
extern const struct manifest_fact_row {
    const char *name; /* of its member */
    bool must_match;  /* for identical results, where it is used at all */
} manifest_fact_rows[FACTS];
void manifest_facts(struct manifest_facts *facts);

/* What a manifest.json says. False: it cannot be read; `error` (512 octets) is one sentence. */
struct manifest_read {
    struct manifest_facts facts;
    char results_sha256[80], scenario_sha256[80];
};
bool manifest_read(struct manifest_read *m, const char *path, char *error);

void manifest_write(const struct manifest *m, FILE *out);
/* "iwarpsim run FILE --set ..." as a shell takes it, --point and --out left out. */
void manifest_command(const struct run_options *o, FILE *out);
void json_text(FILE *out, const char *text);

#endif
