/* SPDX-License-Identifier: GPL-2.0-or-later */
/* manifest_read.h -- a manifest.json that was written (manifest.h), read, and the files beside it compared with it. */
#ifndef HELPERS_CAMPAIGN_MANIFEST_READ_H
#define HELPERS_CAMPAIGN_MANIFEST_READ_H

#include "helpers/base/sha256.h"
#include "helpers/campaign/program.h"

/* A file that is described: its name below the folder, and the sum of its octets. */
struct manifest_file {
    char *name;
    char sha256[SHA256_TEXT];
};

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

/* Add a file, unless its name leads out of the folder. False: it does. */
bool manifest_take_file(struct manifest_read *m, const char *name, const char *sum);

/* What a folder was claimed by (campaign.h) without what no result depends on: title, claim, plot. malloc()ed; and its sum. */
char *campaign_essence(const char *text);
void campaign_essence_sum(const char *text, char sum[SHA256_TEXT]);
/* Of a file, and of a scenario.yaml without that. False: errno says why it cannot be read. */
bool manifest_sum(const char *path, char sum[SHA256_TEXT]);
bool manifest_scenario_sum(const char *path, char sum[SHA256_TEXT]);

/* Look at each file that a manifest describes; at one of them: a file that it does not know is the same. Unreadable: errno
 * says why nobody can tell now. */
enum manifest_file_state { FILE_SAME, FILE_CHANGED, FILE_MISSING, FILE_UNREADABLE };
enum manifest_file_state manifest_state(const struct manifest_read *m, const char *dir, const char *name);
void manifest_compare(const struct manifest_read *m, const char *dir,
                      void (*tell)(void *context, const char *name, enum manifest_file_state state),
                      void *context);

/* Were its rows made by more than one version of a program? */
bool manifest_is_mixed(const struct manifest_read *m);

#endif
