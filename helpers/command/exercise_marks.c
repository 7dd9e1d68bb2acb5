/* SPDX-License-Identifier: GPL-2.0-or-later */
/* exercise_marks.c -- the marks of what a class has handed in (exercise_sheet.h).
 *
 * A file that was handed in is a stranger's: it is read only if it is a small, regular file and no link; it is run only if it
 * says what the student's own sheet says in every key but those of the task. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "helpers/base/arguments.h"
#include "helpers/base/exit.h"
#include "helpers/base/files.h"
#include "helpers/base/quote.h"
#include "helpers/command/exercise_sheet.h"
#include "helpers/scenario/keys.h"
#include "helpers/story/story_load.h"
#include "helpers/trial/results.h"

enum { HANDED_IN_MAX = 64 << 10, TASK_POINTS = 2, REMARK_MAX = STORY_ERROR_MAX };

struct mark {
    uint64_t student;
    bool known; /* whose it is */
    int right[SHEET_QUESTIONS], questions, task, task_points;
    char remark[REMARK_MAX];
};

/* ---- a file of a stranger ---- */

/* Its text, ended by a zero octet; malloc()ed. NULL: `why`. */
static char *read_text(const char *path, char why[REMARK_MAX])
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool good = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= HANDED_IN_MAX;
    char *text = good ? calloc(1, (size_t)HANDED_IN_MAX + 1) : NULL;
    ssize_t n = text ? read(fd, text, HANDED_IN_MAX) : -1;
    if (fd >= 0)
        close(fd);
    if (n >= 0 && strlen(text) == (size_t)n)
        return text;
    snprintf(why, REMARK_MAX, "not a text file of at most %d octets", HANDED_IN_MAX);
    free(text);
    return NULL;
}

/* What stands behind "# NAME:" at the beginning of a line, up to its end; false: no such line. */
static bool line_of(const char *text, const char *name, char *out, size_t size)
{
    char mark[32];
    int length = snprintf(mark, sizeof mark, "# %s:", name);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, mark, (size_t)length) != 0)
            continue;
        line += length;
        line += strspn(line, " \t");
        snprintf(out, size, "%.*s", (int)strcspn(line, "\r\n"), line);
        return true;
    }
    return false;
}

/* ---- the task ---- */

static bool is_free(const char *keys, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = keys; *at; at += strcspn(at, ", "), at += strspn(at, ", "))
        if (strcspn(at, ", ") == length && memcmp(at, name, length) == 0)
            return true;
    return false;
}

/* Like the sheet in every key that the task leaves alone? Else the first that differs stands in `why`. */
static bool is_alike(const struct sheet *s, const struct scenario_point *own,
                     const struct scenario_point *handed, char why[REMARK_MAX])
{
    for (const struct key *key = NULL; (key = key_next(key));) {
        char a[VALUE_TEXT_MAX], b[VALUE_TEXT_MAX];
        if (key->of != KEY_POINT || is_free(s->task.keys, key->name))
            continue;
        key_text(key, own, a);
        key_text(key, handed, b);
        if (strcmp(a, b) == 0)
            continue;
        snprintf(why, REMARK_MAX, "%s is %.80s on the sheet and not %.80s", key->name, a, b);
        return false;
    }
    return true;
}

/* The only point of a scenario. */
static bool point_of(const struct scenario *s, struct scenario_point *p, char *error)
{
    if (s->axes_count || s->conf.repeat > 1) {
        snprintf(error, REMARK_MAX, "one run is asked for, and this has several");
        return false;
    }
    return scenario_point(s, 0, 0, p, error);
}

/* May it be run? Its settings without texts; `remark`: why not. */
static bool is_a_solution(const struct sheet *s, const char *path, struct scenario_point *handed,
                          char remark[REMARK_MAX])
{
    struct scenario_point own;
    struct scenario *sheet = scenario_load(s->lesson->file, s->sets, s->sets_count, remark);
    struct scenario *solution = sheet ? scenario_load(path, NULL, 0, remark) : NULL;
    bool good = solution && point_of(sheet, &own, remark) && point_of(solution, handed, remark) &&
                is_alike(s, &own, handed, remark);
    handed->title = "";
    scenario_free(solution);
    scenario_free(sheet);
    return good;
}

static bool is_done(const struct sheet *s, const char *path, char remark[REMARK_MAX])
{
    char said[TASK_TEXT_MAX];
    int status = EXIT_INPUT;
    struct scenario_point handed;
    if (!is_a_solution(s, path, &handed, remark))
        return false;
    const struct story_request r = {.file = path, .segments_max = SHEET_SEGMENTS_MAX};
    struct story *story = story_load(&r, remark, &status);
    bool good = story && task_judge(&s->task, story, &handed, said);
    if (story)
        snprintf(remark, REMARK_MAX, "%s", said);
    story_free(story);
    return good;
}

/* ---- marks ---- */

static void mark_answers(const char *text, const struct exercise *x, struct mark *m)
{
    char line[512], name[24];
    for (int i = 0; i < m->questions; i++) {
        snprintf(name, sizeof name, "Answer %d", i + 1);
        m->right[i] = line_of(text, name, line, sizeof line) && exercise_is_right(&x[i], line);
    }
}

/* The capture is made once more, in a folder of its own. */
static void mark_capture(const struct exercise_lesson *l, const char *text, struct mark *m)
{
    struct capture_sheet c;
    const char *where = getenv("TMPDIR");
    char dir[PATH_LONG], path[PATH_LONG], name[40];
    int n = snprintf(dir, sizeof dir, "%s/iwarpsim-XXXXXX", where && *where ? where : "/tmp");
    m->known = capture_fits(l);
    if (!m->known)
        snprintf(m->remark, sizeof m->remark, "no captures are made from %.200s", l->file);
    if (!m->known)
        return;
    m->known = n > 0 && n < (int)sizeof dir && mkdtemp(dir);
    if (!m->known) {
        snprintf(m->remark, sizeof m->remark, "no temporary folder: %.200s: %s", dir, strerror(errno));
        return;
    }
    snprintf(name, sizeof name, "student-%" PRIu64, m->student);
    file_path(path, dir, "", name, ".pcap");
    m->known = capture_make(l, m->student, dir, &c, m->remark);
    unlink(path);
    rmdir(dir);
    if (!m->known)
        return;
    *m->remark = '\0';
    m->questions = SHEET_QUESTIONS;
    mark_answers(text, c.x, m);
}

static void mark_sheet(const struct exercise_lesson *l, const char *path, const char *text, struct mark *m)
{
    int status = EXIT_INPUT;
    struct sheet s;
    m->known = sheet_make(&s, l, m->student, m->remark, &status);
    if (!m->known)
        return;
    m->questions = s.questions;
    m->task_points = TASK_POINTS;
    mark_answers(text, s.x, m);
    m->task = is_done(&s, path, m->remark) ? TASK_POINTS : 0;
}

static void mark_file(const struct exercise_lesson *l, const char *path, struct mark *m)
{
    char line[512];
    char *text = read_text(path, m->remark);
    if (!text)
        return;
    if (!line_of(text, "Student", line, sizeof line) || !argument_number(line, INT64_MAX, &m->student))
        snprintf(m->remark, sizeof m->remark, "no line `# Student: N`");
    else if (name_ends(path, ".txt"))
        mark_capture(l, text, m);
    else
        mark_sheet(l, path, text, m);
    free(text);
}

static void put_mark(const char *name, struct mark *m)
{
    int points = m->task;
    text_make_plain(m->remark, false);
    csv_quoted(stdout, name);
    printf(m->known ? ",%" PRIu64 : ",", m->student);
    for (int i = 0; i < SHEET_QUESTIONS; i++) {
        points += m->right[i];
        printf(m->known && i < m->questions ? ",%d" : ",", m->right[i]);
    }
    printf(m->known && !m->task_points ? "," : ",%d", m->task);
    printf(",%d,%d,", points, m->questions + m->task_points);
    csv_quoted(stdout, m->remark);
    putchar('\n');
}

static int is_handed_in(const struct dirent *e)
{
    return name_ends(e->d_name, ".yaml") || name_ends(e->d_name, ".txt");
}

static int by_octets(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

int class_marks(const struct exercise_lesson *l, const char *folder)
{
    struct dirent **list;
    int n = scandir(folder, &list, is_handed_in, by_octets);
    if (n < 0)
        return cannot_read(EXIT_INPUT, "exercise", folder);
    printf("file,student,answer_1,answer_2,answer_3,answer_4,answer_5,answer_6,task,points,of,remark\n");
    for (int i = 0; i < n; i++) {
        char path[PATH_LONG];
        struct mark m = {0};
        int length = snprintf(path, sizeof path, "%s/%s", folder, list[i]->d_name);
        if (length > 0 && length < (int)sizeof path)
            mark_file(l, path, &m);
        text_make_plain(list[i]->d_name, false);
        put_mark(list[i]->d_name, &m);
        free(list[i]);
    }
    free(list);
    return fflush(stdout) == 0 ? EXIT_DONE : EXIT_FAILED;
}
