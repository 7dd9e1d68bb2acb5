/* SPDX-License-Identifier: GPL-2.0-or-later */
/* verify.c -- iwarpsim verify: check that nothing in a folder of results has changed Nothing is simulated. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "helpers/base/arguments.h"
#include "helpers/base/exit.h"
#include "helpers/base/files.h"
#include "helpers/base/quote.h"
#include "helpers/campaign/manifest_read.h"
#include "helpers/command.h"

static const char help[] =
    "usage: iwarpsim verify DIR...\n"
    "\n"
    "Compares the files of a folder of results with the SHA-256 sums in its manifest.json (and in the\n"
    "plot.manifest.json of its figures), and names those that were changed, are missing, or are listed in "
    "neither.\n"
    "Sums reveal damaged or replaced files; they do not prove who made them.\n"
    "\n"
    "Exit: 0 whole; 3 changed; 2 DIR holds no manifest.\n";

enum { MANIFESTS = 2 };
static const char *const manifests[MANIFESTS] = {"manifest.json", "plot.manifest.json"};

struct verify {
    const char *dir;
    struct manifest_read manifest[MANIFESTS];
    bool has[MANIFESTS];
    const char **name; /* of all that they list, in order */
    size_t names, files, changed, missing, unlisted;
};

static void say(const struct verify *v, const char *what, const char *name)
{
    char plain[PATH_LONG];
    file_path(plain, v->dir, "", name, "");
    text_make_plain(plain, false);
    printf("%-9s %s\n", what, plain);
}

static void tell(void *context, const char *name, enum manifest_file_state state)
{
    static const char *const words[] = {
        [FILE_CHANGED] = "changed", [FILE_MISSING] = "missing", [FILE_UNREADABLE] = "no access"};
    struct verify *v = context;
    v->files++;
    v->changed += state == FILE_CHANGED;
    v->missing += state == FILE_MISSING || state == FILE_UNREADABLE;
    if (state != FILE_SAME)
        say(v, words[state], name);
}

/* What no manifest can describe: themselves, and what each run costs. */
static bool is_free(const char *name)
{
    static const char *const names[] = {"manifest.json", "plot.manifest.json", "costs.csv"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static int compare_entry_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* False: out of memory. */
static bool list_names(struct verify *v)
{
    v->name = calloc(v->manifest[0].files + v->manifest[1].files + 1, sizeof *v->name);
    for (int m = 0; v->name && m < MANIFESTS; m++)
        for (size_t i = 0; i < v->manifest[m].files; i++)
            v->name[v->names++] = v->manifest[m].file[i].name;
    if (v->name)
        qsort(v->name, v->names, sizeof *v->name, compare_entry_names);
    else
        complain(0, "verify", "out of memory");
    return v->name;
}

static bool is_listed(const struct verify *v, const char *name)
{
    return bsearch(&name, v->name, v->names, sizeof *v->name, compare_entry_names) || is_free(name);
}

/* A shard, or a run again: a folder of its own. */
static bool is_campaign(const char *dir)
{
    char scenario[PATH_LONG];
    file_path(scenario, dir, "", "scenario.yaml", "");
    return file_exists(scenario);
}

static int is_entry(const struct dirent *e)
{
    return strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
}

static void look_for_others(struct verify *v, const char *folder);

static void look_at(struct verify *v, const char *name)
{
    char path[PATH_LONG];
    struct stat s;
    file_path(path, v->dir, "", name, "");
    if (lstat(path, &s) == 0 && S_ISDIR(s.st_mode)) {
        if (!is_campaign(path))
            look_for_others(v, name);
    } else if (!is_listed(v, name)) {
        v->unlisted++;
        say(v, "unlisted", name);
    }
}

static void look_for_others(struct verify *v, const char *folder)
{
    char path[PATH_LONG];
    struct dirent **names;
    snprintf(path, sizeof path, "%s%s%s", v->dir, *folder ? "/" : "", folder);
    int count = scandir(path, &names, is_entry, alphasort);
    for (int i = 0; i < count; i++) {
        char name[PATH_LONG];
        int len = snprintf(name, sizeof name, "%s%s%s", folder, *folder ? "/" : "", names[i]->d_name);
        if (len > 0 && len < (int)sizeof name)
            look_at(v, name);
        free(names[i]);
    }
    if (count >= 0)
        free(names);
}

static bool read_manifests(struct verify *v)
{
    for (int m = 0; m < MANIFESTS; m++) {
        char path[PATH_LONG], error[512];
        file_path(path, v->dir, "", manifests[m], "");
        if (m > 0 && !file_exists(path))
            continue;
        v->has[m] = manifest_read(&v->manifest[m], path, error);
        if (!v->has[m])
            return complain(false, "verify", "%s", error);
    }
    return true;
}

static int conclude(const struct verify *v)
{
    bool whole = !v->changed && !v->missing && !v->unlisted;
    char plain[PATH_LONG];
    snprintf(plain, sizeof plain, "%s", v->dir);
    text_make_plain(plain, false);
    if (whole)
        printf("%s: whole, %zu files\n", plain, v->files);
    else
        printf("%s: %zu of %zu files changed, %zu missing, %zu unlisted\n", plain, v->changed, v->files,
               v->missing, v->unlisted);
    return whole ? EXIT_DONE : EXIT_FAILED;
}

static int verify_folder(const char *dir)
{
    struct verify v = {.dir = dir};
    int status = EXIT_INPUT;
    if (read_manifests(&v) && list_names(&v)) {
        for (int m = 0; m < MANIFESTS; m++)
            if (v.has[m])
                manifest_compare(&v.manifest[m], dir, tell, &v);
        look_for_others(&v, "");
        status = conclude(&v);
    }
    free(v.name);
    for (int m = 0; m < MANIFESTS; m++)
        manifest_read_free(&v.manifest[m]);
    return status;
}

int command_verify(int argc, char **argv)
{
    int status = EXIT_DONE;
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        fputs(help, stdout);
        return EXIT_DONE;
    }
    if (argc < 2)
        return argument_wrong("verify", "which folders?", NULL);
    for (int i = 1; i < argc; i++)
        if (*argv[i] == '-' || !*argv[i])
            return argument_wrong("verify", "not the name of a folder", *argv[i] ? argv[i] : "''");
    for (int i = 1; i < argc; i++) {
        int one = verify_folder(argv[i]);
        status = one == EXIT_INPUT || status == EXIT_DONE ? one : status;
    }
    return status;
}
