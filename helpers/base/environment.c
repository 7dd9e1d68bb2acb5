/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/base/environment.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

enum { KEPT_MAX = 256, REMOVED_MAX = 1024 };

/* Names, or what they begin with. */
static const char *const kept[] = {
    "PATH",
    "LD_LIBRARY_PATH",
    "TMPDIR",
    "HOME",
    "USER",
    "LOGNAME",
    "TERM",
    "NO_COLOR",
    "TZ",
    "SSH_AUTH_SOCK",
    "SSH_AGENT_PID",
    "KRB5CCNAME",             /* to log in on other machines */
    "IWARPSIM_SIMGRID_FLAGS", /* ours */
    "OMPI_*",
    "PMIX_*",
    "SLURM_*", /* for mpirun, and of mpirun */
    "ASAN_OPTIONS",
    "UBSAN_OPTIONS",
    "LSAN_OPTIONS",
    NULL, /* of the sanitizers' builds */
};
static const char *const heard[] = {"NS_*",     "SIMGRID_*", "XBT_*",     "SMPI_*", "GNUPLOT_*",
                                    "GNUTERM",  "FIT_*",     "PARALLEL*", "PERL*",  "PYTHON*",
                                    "BASH_ENV", "ENV",       "LD_*",      NULL};

static char removed[REMOVED_MAX];

static bool is_in(const char *const *list, const char *variable)
{
    size_t len = strcspn(variable, "=");
    for (; *list; list++) {
        size_t known = strlen(*list);
        bool begins = (*list)[known - 1] == '*';
        if (begins ? strncmp(variable, *list, known - 1) == 0
                   : known == len && strncmp(variable, *list, len) == 0)
            return true;
    }
    return false;
}

static void note(const char *variable)
{
    size_t used = strlen(removed), len = strcspn(variable, "=");
    if (is_in(heard, variable) && used + len + 2 < sizeof removed)
        snprintf(removed + used, sizeof removed - used, "%s%.*s", used ? " " : "", (int)len, variable);
}

/* A folder of PATH that is relative is one of whatever folder a program is started in. */
static void set_path(const char *path)
{
    size_t room = strlen(path) + 1;
    char *absolute = calloc(room, 1);
    for (const char *p = path; absolute && *p; p += *p == ':') {
        size_t len = strcspn(p, ":"), used = strlen(absolute);
        if (*p == '/')
            snprintf(absolute + used, room - used, "%s%.*s", used ? ":" : "", (int)len, p);
        p += len;
    }
    setenv("PATH", absolute && *absolute ? absolute : "/usr/local/bin:/usr/bin:/bin", 1);
    free(absolute);
}

static void keep_known(void)
{
    static char *left[KEPT_MAX + 1];
    size_t n = 0;
    for (char **v = environ; v && *v; v++) {
        if (is_in(kept, *v) && n < KEPT_MAX)
            left[n++] = *v;
        else
            note(*v);
    }
    left[n] = NULL;
    environ = left;
}

void environment_clean(void)
{
    keep_known();
    const char *path = getenv("PATH");
    set_path(path ? path : "");
    setenv("LC_ALL", "C.UTF-8", 1);
    setenv("PARALLEL_SHELL", "/bin/sh", 1);
    signal(SIGXFSZ, SIG_IGN);
}

const char *environment_removed(void)
{
    return removed;
}
