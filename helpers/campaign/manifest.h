/* SPDX-License-Identifier: GPL-2.0-or-later */
/* manifest.h -- manifest.json: what made these results, and what must match to make them again. */
#ifndef HELPERS_CAMPAIGN_MANIFEST_H
#define HELPERS_CAMPAIGN_MANIFEST_H

#include <stdio.h>

#include "helpers/campaign/manifest_read.h"

struct campaign;

struct manifest {
    const struct campaign *c;
    const char *results_sha256, *scenario_sha256; /* of results.csv, and of scenario.yaml without
                                                     title, claim and plot */
    const struct manifest_file *file; /* all that were written, but for manifest.json and costs.csv */
    size_t files;
};

/* Figures have a manifest of their own, DIR/plot.manifest.json, where DIR is a folder of results. Describe NAME.svg, .png,
 * .pdf, .gp and .tsv there, beside the figures that it knows. False: the reason was printed. */
bool manifest_note_figure(const char *dir, const char *name);

void manifest_write(const struct manifest *m, FILE *out);

#endif
