/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/base/gnuplot.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "helpers/base/exit.h"
#include "helpers/base/files.h"
#include "helpers/base/quote.h"

enum { NOT_THERE = 127, NOT_RUN = 126, NO_TERMINAL = 3, TAIL = 64 };

/* What files are called in the folder in which gnuplot runs: no name that comes from outside is on its command line or in
 * the name of a file that it opens. */
static const char constant[] = "figure";

/* Pictures and how those end that were written to their end: gnuplot does not tell when it could not. */
static const struct {
    const char *ending, *last;
} pictures[PICTURES] = {
    {".svg", "</svg>"}, {".png", "IEND"}, {".pdf", "%%EOF"}, {".tex", "\\end{tikzpicture}"}};

/* Run the script in `work`, without the settings of its user; what waitpid() says of it, -1: it could not be started. Ctrl-C ends gnuplot alone, so that what
 * it began can be removed. */
static int run_script(const char *work)
{
    int got = -1;
    fflush(NULL);
    void (*before)(int) = signal(SIGINT, SIG_IGN);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGINT, before);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (chdir(work) == 0)
            execlp("gnuplot", "gnuplot", "-d", "-e", "name = 'figure'", "figure.gp", (char *)NULL);
        _exit(errno == ENOENT ? NOT_THERE : NOT_RUN);
    }
    if (child < 0 || waitpid(child, &got, 0) != child)
        got = -1;
    signal(SIGINT, before);
    return got;
}

static bool plot_is_whole(const char *path, const char *last)
{
    char tail[TAIL + 1] = "";
    FILE *in = fopen(path, "r");
    if (!in)
        return false;
    bool good = fseek(in, -TAIL, SEEK_END) == 0 && fread(tail, 1, TAIL, in) == TAIL;
    fclose(in);
    for (int i = 0; good && i < TAIL; i++) /* a text has no zeros */
        if (!tail[i])
            tail[i] = ' ';
    return good && strstr(tail, last);
}

static int fail_plot(const char *command, const char *what, const char *dir, const char *name)
{
    fprintf(stderr, "iwarpsim %s: %s; the script is %s/%s.gp\n", command, what, dir, name);
    return EXIT_FAILED;
}

static int draw_plots(const char *command, const char *dir, const char *name, const char *work,
                      unsigned which)
{
    int got = run_script(work);
    bool ended = got >= 0 && WIFEXITED(got);
    if (got >= 0 && WIFSIGNALED(got) && WTERMSIG(got) == SIGINT)
        return EXIT_INTERRUPTED;
    if (ended && WEXITSTATUS(got) == NOT_THERE)
        return fail_plot(command, "gnuplot is missing (Debian: gnuplot-nox)", dir, name);
    if (ended && WEXITSTATUS(got) == NO_TERMINAL)
        return fail_plot(command,
                         "this gnuplot was built without the terminal that the figure is for (Debian's "
                         "gnuplot-nox has it)",
                         dir, name);
    if (!ended || WEXITSTATUS(got) != 0)
        return fail_plot(command, "gnuplot failed", dir, name);
    for (int i = 0; i < PICTURES; i++) {
        char path[PATH_LONG];
        if (!(which >> i & 1))
            continue;
        file_path(path, work, "", constant, pictures[i].ending);
        if (!plot_is_whole(path, pictures[i].last))
            return fail_plot(command, "gnuplot could not write its pictures (is the disk full?)", dir, name);
    }
    return EXIT_DONE;
}

static bool move_pictures(const char *work, const char *dir, const char *name, unsigned which)
{
    bool good = true;
    for (int i = 0; i < PICTURES; i++) {
        char from[PATH_LONG], to[PATH_LONG];
        if (!(which >> i & 1))
            continue;
        file_path(from, work, "", constant, pictures[i].ending);
        file_path(to, dir, "", name, pictures[i].ending);
        good &= rename(from, to) == 0;
    }
    return good;
}

static bool lend(const char *dir, const char *work, const char *name, const char *ending)
{
    char from[PATH_LONG], to[PATH_LONG];
    file_path(from, dir, "", name, ending);
    file_path(to, work, "", constant, ending);
    return !file_exists(from) || file_share(from, to);
}

static void remove_work(const char *work)
{
    static const char *const endings[] = {".gp", ".tsv", ".svg", ".png", ".pdf", ".tex"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        char path[PATH_LONG];
        file_path(path, work, "", constant, endings[i]);
        unlink(path);
    }
    rmdir(work);
}

int gnuplot_draw(const char *command, const char *dir, const char *name, unsigned which)
{
    char work[PATH_LONG], ending[32];
    int status = EXIT_FAILED;
    snprintf(ending, sizeof ending, ".%ld.part", (long)getpid());
    file_path(work, dir, "", constant, ending);
    if (mkdir(work, 0777) == 0 && lend(dir, work, name, ".gp") && lend(dir, work, name, ".tsv"))
        status = draw_plots(command, dir, name, work, which);
    else
        fprintf(stderr, "iwarpsim %s: %s cannot be written: %s\n", command, work, strerror(errno));
    if (status == EXIT_DONE && !move_pictures(work, dir, name, which))
        status = fail_plot(command, "the pictures cannot be moved there", dir, name);
    remove_work(work);
    return status;
}

void gnuplot_need(FILE *out, const char *terminal)
{
    fprintf(out, "if (!strstrt(GPVAL_TERMINALS, ' %s ')) exit status %d\n", terminal, NO_TERMINAL);
}

void gnuplot_name(FILE *out, const char *name)
{
    char script[NAME_SAFE_MAX + 8];
    snprintf(script, sizeof script, "%s.gp", name);
    fputs("# Again, in this folder: gnuplot -d ", out);
    quote_shell(out, script);
    fputs("\nif (!exists(\"name\")) name = ", out);
    quote_gnuplot(out, name, strlen(name), 0);
    putc('\n', out);
}
