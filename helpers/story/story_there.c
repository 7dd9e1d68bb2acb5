/* SPDX-License-Identifier: GPL-2.0-or-later */
/* story_there.c -- running one point in the program of its world (story_load.h). */
#define _XOPEN_SOURCE 700 /* nftw(); NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "helpers/base/exit.h"
#include "helpers/base/files.h"
#include "helpers/base/process.h"
#include "helpers/campaign/program.h"
#include "helpers/campaign/run_options.h"
#include "helpers/scenario/world.h"
#include "helpers/story/story_load.h"

static int remove_one(const char *path, const struct stat *s, int type, struct FTW *where)
{
    (void)s, (void)type, (void)where;
    return remove(path);
}

/* What it prints, the row, is not asked for. */
static int run_world(const struct story_request *r, const char *label, const char *program, const char *out)
{
    const struct run_options o = {.file = r->file,
                                  .sets = r->sets,
                                  .sets_count = r->sets_count,
                                  .point = label,
                                  .repeat = r->repeat,
                                  .out = out,
                                  .trace = true};
    const char **words = run_options_words(&o, &program, 1);
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC),
        got = process_wait(words && nowhere >= 0 ? process_start(words, ".", nowhere) : -1);
    free(words);
    if (nowhere >= 0)
        close(nowhere);
    return got;
}

static FILE *first_file(const char *folder)
{
    char path[PATH_LONG];
    FILE *f = NULL;
    DIR *d = opendir(folder);
    for (struct dirent *e = d ? readdir(d) : NULL; e && !f; e = readdir(d)) {
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        f = strstr(e->d_name, ".csv") ? fopen(path, "r") : NULL;
    }
    if (d)
        closedir(d);
    return f;
}

enum { SCRATCH_LONG = 1024 };

/* In the program of its world: it writes its trace into a folder that is gone afterwards. */
FILE *story_there(const struct story_request *r, enum point_world world, const char *label, char *error,
                  int *status)
{
    const char *scratch = getenv("TMPDIR");
    char program[PATH_LONG], out[SCRATCH_LONG], folder[sizeof out + 8];
    *status = EXIT_FAILED;
    if (snprintf(out, sizeof out, "%s/iwarpsim-XXXXXX", scratch && *scratch ? scratch : P_tmpdir) >=
        SCRATCH_LONG) {
        snprintf(error, STORY_ERROR_MAX, "TMPDIR names a folder with too long a path");
        return NULL;
    }
    if (!world_program(world, program)) {
        snprintf(error, STORY_ERROR_MAX,
                 "%s runs in world %s, whose program is missing, as its simulator was not installed; --set "
                 "world=fabric tells the same without it",
                 r->file, worlds[world].name);
        return NULL;
    }
    snprintf(error, STORY_ERROR_MAX, "%s: world %s could not run it", r->file, worlds[world].name);
    if (!mkdtemp(out))
        return NULL;
    int got = run_world(r, label, program, out);
    snprintf(folder, sizeof folder, "%s/trace", out);
    FILE *f = first_file(folder);
    nftw(out, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    int code = WIFEXITED(got) ? WEXITSTATUS(got) : 0;
    *status = code && code != PROCESS_MISSING ? code : EXIT_FAILED;
    return f;
}
