/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/campaign/manifest_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/exit.h"
#include "helpers/base/files.h"
#include "helpers/base/list.h"
#include "helpers/base/quote.h"
#include "helpers/scenario/scenario_check.h"
#include "helpers/scenario/yaml_text.h"

/* ---- the scenario ---- */

static bool is_essential(const char *line)
{
    static const char *const others[] = {"title: ", "claim: ", "plot."};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strncmp(line, others[i], strlen(others[i])) == 0)
            return false;
    return true;
}

char *campaign_essence(const char *text)
{
    char *essence = need(malloc(strlen(text) + 1)), *out = essence;
    for (const char *line = text; *line;) {
        size_t len = strcspn(line, "\n");
        len += line[len] == '\n';
        if (is_essential(line)) {
            memcpy(out, line, len);
            out += len;
        }
        line += len;
    }
    *out = 0;
    return essence;
}

void campaign_essence_sum(const char *text, char sum[SHA256_TEXT])
{
    char *essence = campaign_essence(text);
    sha256_text(essence, strlen(essence), sum);
    free(essence);
}

/* ---- reading ---- */

static void take_member(struct manifest_read *m, const char *name, const char *text)
{
    for (int i = 0; i < FACTS; i++)
        if (manifest_fact_name(i) && strcmp(name, manifest_fact_name(i)) == 0)
            snprintf(m->facts.of[i], sizeof m->facts.of[i], "%s", text);
    if (strcmp(name, "results_sha256") == 0)
        snprintf(m->results_sha256, sizeof m->results_sha256, "%s", text);
    if (strcmp(name, "scenario_sha256") == 0)
        snprintf(m->scenario_sha256, sizeof m->scenario_sha256, "%s", text);
}

/* A name that leads out of the folder is none of ours. */
static bool stays_inside(const char *name)
{
    return *name && *name != '/' && strncmp(name, "../", 3) && !strstr(name, "/../");
}

bool manifest_take_file(struct manifest_read *m, const char *name, const char *sum)
{
    if (!stays_inside(name))
        return false;
    m->file = need(list_grow(m->file, m->files, sizeof *m->file));
    m->file[m->files].name = need(strdup(name));
    snprintf(m->file[m->files++].sha256, SHA256_TEXT, "%s", sum);
    return true;
}

static const char *scalar_of(yaml_document_t *document, int node)
{
    const yaml_node_t *n = yaml_document_get_node(document, node);
    if (!n || n->type != YAML_SCALAR_NODE)
        return NULL;
    text_make_plain((char *)n->data.scalar.value, false); /* it will be shown */
    return (const char *)n->data.scalar.value;
}

static bool take_files(struct manifest_read *m, yaml_document_t *document, const yaml_node_t *map)
{
    bool good = map->type == YAML_MAPPING_NODE;
    for (yaml_node_pair_t *p = good ? map->data.mapping.pairs.start : NULL;
         good && p < map->data.mapping.pairs.top; p++) {
        const char *name = scalar_of(document, p->key), *sum = scalar_of(document, p->value);
        good = name && sum && manifest_take_file(m, name, sum);
    }
    return good;
}

static void take_version(struct manifest_read *m, yaml_document_t *document, const yaml_node_t *map)
{
    struct manifest_version v = {.commit = ""};
    if (map->type != YAML_MAPPING_NODE || m->versions == MANIFEST_VERSIONS)
        return;
    for (yaml_node_pair_t *p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top; p++) {
        const char *name = scalar_of(document, p->key), *text = scalar_of(document, p->value);
        if (name && text && strcmp(name, "commit") == 0)
            snprintf(v.commit, sizeof v.commit, "%s", text);
        if (name && text && strcmp(name, "simulator") == 0)
            snprintf(v.simulator, sizeof v.simulator, "%s", text);
    }
    m->version[m->versions++] = v;
}

static void take_versions(struct manifest_read *m, yaml_document_t *document, const yaml_node_t *list)
{
    if (list->type != YAML_SEQUENCE_NODE)
        return;
    for (yaml_node_item_t *i = list->data.sequence.items.start; i < list->data.sequence.items.top; i++)
        take_version(m, document, yaml_document_get_node(document, *i));
}

/* What is being read, and into what. */
struct manifest_text {
    struct manifest_read *m;
    struct yaml_text yaml;
};

static bool take_members(void *context, const yaml_node_t *root)
{
    struct manifest_text *t = context;
    struct manifest_read *m = t->m;
    yaml_document_t *document = t->yaml.document;
    bool good = root && root->type == YAML_MAPPING_NODE;
    for (yaml_node_pair_t *p = good ? root->data.mapping.pairs.start : NULL;
         good && p < root->data.mapping.pairs.top; p++) {
        const char *name = scalar_of(document, p->key), *text = scalar_of(document, p->value);
        if (name && text)
            take_member(m, name, text);
        else if (name && strcmp(name, "files") == 0)
            good = take_files(m, document, yaml_document_get_node(document, p->value));
        else if (name && strcmp(name, "versions") == 0)
            take_versions(m, document, yaml_document_get_node(document, p->value));
    }
    return good;
}

/* JSON is YAML. */
bool manifest_read(struct manifest_read *m, const char *path, char *error)
{
    char why[SCENARIO_ERROR_MAX];
    struct manifest_text t = {m, {.file = path, .what = "a manifest", .error = why}};
    size_t size;
    memset(m, 0, sizeof *m);
    char *text = file_read(path, &size);
    if (!text) {
        snprintf(error, 512, "%.400s cannot be read: %s", path, strerror(errno));
        return false;
    }
    bool good = yaml_text_read(&t.yaml, text, size, take_members, &t) && (*m->results_sha256 || m->files);
    free(text);
    if (good)
        return true;
    manifest_read_free(m);
    snprintf(error, 512, "%.400s is not a manifest of iwarpsim", path);
    errno = 0;
    return false;
}

void manifest_read_free(struct manifest_read *m)
{
    for (size_t i = 0; i < m->files; i++)
        free(m->file[i].name);
    free(m->file);
    m->file = NULL;
    m->files = 0;
}

/* ---- comparing ---- */

bool manifest_sum(const char *path, char sum[SHA256_TEXT])
{
    FILE *in = file_open_plain(path);
    bool read = in && sha256_file(in, sum);
    int why = errno;
    if (in)
        fclose(in);
    errno = why;
    return read;
}

bool manifest_scenario_sum(const char *path, char sum[SHA256_TEXT])
{
    size_t size;
    char *text = file_read(path, &size);
    if (!text)
        return false;
    campaign_essence_sum(text, sum);
    free(text);
    return true;
}

/* A scenario under another title, or with another figure, is still the one that ran. */
static enum manifest_file_state scenario_state(const struct manifest_read *m, const char *path)
{
    char sum[SHA256_TEXT];
    if (!manifest_scenario_sum(path, sum))
        return FILE_UNREADABLE;
    return strcmp(sum, m->scenario_sha256) == 0 ? FILE_SAME : FILE_CHANGED;
}

static enum manifest_file_state state_of_file(const struct manifest_read *m, const struct manifest_file *f,
                                              const char *dir)
{
    char path[PATH_LONG], sum[SHA256_TEXT];
    file_path(path, dir, "", f->name, "");
    if (!manifest_sum(path, sum))
        return file_is_gone(errno) ? FILE_MISSING : file_is_odd(errno) ? FILE_CHANGED : FILE_UNREADABLE;
    if (strcmp(sum, f->sha256) == 0)
        return FILE_SAME;
    return strcmp(f->name, "scenario.yaml") == 0 ? scenario_state(m, path) : FILE_CHANGED;
}

enum manifest_file_state manifest_state(const struct manifest_read *m, const char *dir, const char *name)
{
    for (size_t i = 0; i < m->files; i++)
        if (strcmp(m->file[i].name, name) == 0)
            return state_of_file(m, &m->file[i], dir);
    return FILE_SAME;
}

/* Rows of several worlds are told apart by their simulators, those of one simulator by its version. */
static bool same_version(const struct manifest_version *a, const struct manifest_version *b)
{
    size_t name = strcspn(a->simulator, " ");
    bool same_simulator =
        name == strcspn(b->simulator, " ") && strncmp(a->simulator, b->simulator, name) == 0;
    return strcmp(a->commit, b->commit) == 0 && (!same_simulator || strcmp(a->simulator, b->simulator) == 0);
}

bool manifest_is_mixed(const struct manifest_read *m)
{
    for (size_t i = 0; i < m->versions; i++)
        for (size_t j = 0; j < i; j++)
            if (!same_version(&m->version[i], &m->version[j]))
                return true;
    return false;
}

void manifest_compare(const struct manifest_read *m, const char *dir,
                      void (*tell)(void *context, const char *name, enum manifest_file_state state),
                      void *context)
{
    for (size_t i = 0; i < m->files; i++)
        tell(context, m->file[i].name, state_of_file(m, &m->file[i], dir));
}
