/* SPDX-License-Identifier: GPL-2.0-or-later */
/* manifest.h -- manifest.json: what made these results, and what must match to make them again. */
#ifndef HELPERS_CAMPAIGN_MANIFEST_H
#define HELPERS_CAMPAIGN_MANIFEST_H

#include <stdio.h>

#include "helpers/base/sha256.h"
#include "helpers/campaign/run_options.h"
#include "helpers/scenario/scenario.h"

struct campaign;

/* A file that is described: its name below the folder, and the sum of its octets. */
struct manifest_file {
    char *name;
    char sha256[SHA256_TEXT];
};

struct manifest {
    const struct campaign *c;
    const char *results_sha256, *scenario_sha256; /* of results.csv, and of scenario.yaml without
                                                     title, claim and plot */
    const struct manifest_file *file; /* all that were written, but for manifest.json and costs.csv */
    size_t files;
};

/* The commit that this program was built from; the simulator below a world with its version, "ns-3 3.37", empty when it is
 * not built here. */
const char *program_commit(void);
void program_simulator(enum point_world world, char text[1024]);

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
/* The simulators of `used` worlds alone: asking one starts its program. */
void manifest_facts(struct manifest_facts *facts, const bool used[WORLDS]);

/* A version of what made rows, as a manifest tells it. */
enum { MANIFEST_VERSIONS = 16, MANIFEST_VERSION_MAX = 80 };
struct manifest_version {
    char commit[MANIFEST_VERSION_MAX], simulator[MANIFEST_VERSION_MAX];
};

/* What a manifest.json says. False: `error` (512 octets) is one sentence, and errno says why it cannot be read, 0: it is none.
 * To be freed if true. */
struct manifest_read {
    struct manifest_facts facts;
    char results_sha256[80], scenario_sha256[80];
    struct manifest_file *file;
    size_t files;
    struct manifest_version version[MANIFEST_VERSIONS];
    size_t versions;
};
bool manifest_read(struct manifest_read *m, const char *path, char *error);
void manifest_read_free(struct manifest_read *m);

/* Figures have a manifest of their own, DIR/plot.manifest.json, where DIR is a folder of results. Describe NAME.svg, .png,
 * .pdf, .gp and .tsv there, beside the figures that it knows. False: the reason was printed. */
bool manifest_note_figure(const char *dir, const char *name);

/* Look at each file that a manifest describes; at one of them: a file that it does not know is the same. Unreadable: errno
 * says why nobody can tell now. */
enum file_state { FILE_SAME, FILE_CHANGED, FILE_MISSING, FILE_UNREADABLE };
enum file_state manifest_state(const struct manifest_read *m, const char *dir, const char *name);
void manifest_compare(const struct manifest_read *m, const char *dir,
                      void (*tell)(void *context, const char *name, enum file_state state), void *context);

/* Were its rows made by more than one version of a program? */
bool manifest_is_mixed(const struct manifest_read *m);

/* False: out of memory. */
bool manifest_write(const struct manifest *m, FILE *out);
/* "iwarpsim run FILE --set ..." as a shell takes it, --point and --out left out. */
void manifest_command(const struct run_options *o, FILE *out);

#endif
