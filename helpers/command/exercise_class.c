/* SPDX-License-Identifier: GPL-2.0-or-later */
/* exercise_class.c -- the sheets of a whole class, as pages or for Moodle (exercise_sheet.h). */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/arguments.h"
#include "helpers/base/exit.h"
#include "helpers/base/files.h"
#include "helpers/base/quote.h"
#include "helpers/command/exercise_sheet.h"
#include "helpers/scenario/world.h"
#include "helpers/story/story.h"

char *sheet_scenario(const struct sheet *s, char *error)
{
    char *text = NULL;
    size_t size = 0;
    struct scenario *scenario = scenario_load(s->lesson->file, s->sets, s->sets_count, error);
    FILE *out = scenario ? open_memstream(&text, &size) : NULL;
    if (out) {
        scenario_write(scenario, out);
        fclose(out);
    }
    scenario_free(scenario);
    return text;
}

/* ---- pages ---- */

static void put_page_head(FILE *out, const struct exercise_lesson *l, const char *what)
{
    fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
          "'unsafe-inline'\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
          out);
    quote_markup(out, l->point.title);
    fprintf(out, ": %s</title>\n", what);
    fputs("<style>\nbody { font: 11pt/1.4 sans-serif; max-width: 46rem; margin: 0 auto; padding: 1rem; }\n"
          "section { break-after: page; }\nsection:last-child { break-after: auto; }\n"
          "h1 { font-size: 15pt; }\n.room { border-bottom: 1px solid #888; height: 1.9rem; }\n"
          "pre { font-size: 8.5pt; white-space: pre-wrap; overflow-wrap: anywhere; border: 1px solid #ccc; "
          "padding: .5rem; }\n"
          "</style>\n</head>\n<body>\n<main>\n",
          out);
}

/* The number of a lesson by its file: NN-NAME/lesson.yaml, or lesson-NN.yaml of a course; 0: it is none. */
static unsigned lesson_number(const char *file)
{
    unsigned n = 0;
    const char *name = strrchr(file, '/');
    name = name ? name + 1 : file;
    if (sscanf(name, "lesson-%2u.yaml", &n) == 1 || name == file)
        return n;
    for (const char *p = name - 1; p > file && p[-1] != '/'; p--)
        name = p - 1;
    return sscanf(name, "%2u-", &n) == 1 ? n : 0;
}

/* To the page of the same sheet, in the folder that `iwarpsim course` writes. */
static void put_live(FILE *out, const struct sheet *s)
{
    unsigned n = lesson_number(s->lesson->file);
    if (n && !s->lesson->sets_count && worlds[s->lesson->point.world].inside)
        fprintf(out,
                "<p>In the folder of the course: <a href=\"lesson-%02u.html#sheet=%" PRIu64
                "\">lesson-%02u.html#sheet=%" PRIu64 "</a>; there hand in the code.</p>\n",
                n, s->student, n, s->student);
}

static void put_title(FILE *out, const struct sheet *s)
{
    quote_between(out, "<section>\n<h1>", s->lesson->point.title, "");
    fprintf(out, ": student %" PRIu64 "</h1>\n", s->student);
}

static bool put_sheet(FILE *out, const struct sheet *s, char *error)
{
    char *scenario = sheet_scenario(s, error);
    if (!scenario)
        return false;
    put_title(out, s);
    fputs("<ol>\n", out);
    for (int i = 0; i < s->questions; i++)
        quote_between(out, "<li>", s->x[i].question, "<div class=\"room\"></div></li>\n");
    fputs("</ol>\n<p><b>Task.</b> ", out);
    sheet_put_task(out, s);
    fputs(" Hand in the file.</p>\n", out);
    put_live(out, s);
    fputs("<p>Name:</p><div class=\"room\"></div>\n", out);
    quote_between(out, "<pre>", scenario, "</pre>\n</section>\n");
    free(scenario);
    return true;
}

static void put_key(FILE *out, const struct sheet *s)
{
    put_title(out, s);
    fputs("<ol>\n", out);
    for (int i = 0; i < s->questions; i++) {
        quote_between(out, "<li>", s->x[i].question, "<br>");
        quote_between(out, "<b>", s->x[i].answer, "</b></li>\n");
    }
    fputs("</ol>\n<p><b>Task.</b> ", out);
    sheet_put_task(out, s);
    fputs(" Judged by a run: <code>iwarpsim exercise --csv</code>.</p>\n</section>\n", out);
}

/* "sheets.html" has its keys in "sheets-keys.html". */
static bool keys_path(char keys[PATH_LONG], const char *path)
{
    const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
    size_t stem = dot && (!slash || dot > slash + 1) ? (size_t)(dot - path) : strlen(path);
    int n = snprintf(keys, PATH_LONG, "%.*s-keys%s", (int)stem, path, path + stem);
    return n > 0 && n < PATH_LONG;
}

static int put_pages(const struct exercise_lesson *l, uint64_t first, uint64_t last, FILE *sheets, FILE *keys)
{
    char error[STORY_ERROR_MAX];
    int status = EXIT_DONE;
    struct sheet s;
    put_page_head(sheets, l, "exercises");
    put_page_head(keys, l, "keys");
    for (uint64_t student = first; student <= last; student++) {
        if (!sheet_make(&s, l, student, error, &status) || !put_sheet(sheets, &s, error))
            return sheet_refused(error, status);
        put_key(keys, &s);
    }
    fputs("</main>\n</body>\n</html>\n", sheets);
    fputs("</main>\n</body>\n</html>\n", keys);
    return EXIT_DONE;
}

int class_html(const struct exercise_lesson *l, uint64_t first, uint64_t last, const char *path)
{
    char path_of_keys[PATH_LONG];
    struct whole_file sheets, keys;
    if (!keys_path(path_of_keys, path))
        return sheet_failed(path, "the name is too long");
    if (!file_begin(&sheets, path))
        return sheet_failed(path, strerror(errno));
    if (!file_begin(&keys, path_of_keys)) {
        file_abandon(&sheets);
        return sheet_failed(path_of_keys, strerror(errno));
    }
    int status = put_pages(l, first, last, sheets.out, keys.out);
    bool good = file_end(&keys, status == EXIT_DONE);
    good = file_end(&sheets, good);
    if (status == EXIT_DONE && !good)
        return sheet_failed(path, strerror(errno));
    if (good)
        printf("%s, and the keys: %s\n", path, path_of_keys);
    return status;
}

/* ---- GIFT, which Moodle reads ---- */

/* Text of a question: what GIFT takes for its own has a backslash before it; a line feed is a word of its. */
static void put_gift(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '\n') {
            fputs("\\n", out);
            continue;
        }
        if (strchr("~=#{}:\\", *text))
            putc('\\', out);
        putc(*text, out);
    }
}

static void put_gift_markup(FILE *out, const char *text)
{
    char *quoted = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&quoted, &size);
    if (!memory)
        return;
    quote_markup(memory, text);
    fclose(memory);
    put_gift(out, quoted);
    free(quoted);
}

/* A time with what counts beside it; else the key itself and the values of its fields, one after the other: a wildcard between them would
 * take A12 for A1. */
static void put_gift_answer(FILE *out, const struct exercise *x)
{
    static const char *const between[] = {" ", ", ", "; "};
    const double us = 1e6;
    const struct reply_field *f = x->field;
    if (f->kind == REPLY_TIME && f->from < f->to) {
        fprintf(out, "{#%.3f:%.3f}\n\n", (double)(f->from + f->to) / 2 / us,
                (double)(f->to - f->from) / 2 / us);
        return;
    }
    fputs("{=", out);
    put_gift(out, x->answer);
    for (int way = 0; way < (x->fields > 1 ? 3 : 1); way++) {
        char text[EXERCISE_TEXT_MAX] = "", value[REPLY_TEXT_MAX];
        for (int k = 0; k < x->fields; k++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", k ? between[way] : "",
                     reply_value(&f[k], value));
        fputs(" =", out);
        put_gift(out, text);
    }
    fputs("}\n\n", out);
}

static bool put_gift_sheet(FILE *out, const struct sheet *s, char *error)
{
    char *scenario = sheet_scenario(s, error);
    if (!scenario)
        return false;
    fprintf(out, "$CATEGORY: iwarpsim/student %" PRIu64 "\n\n", s->student);
    for (int i = 0; i < s->questions; i++) {
        fputs("::", out);
        put_gift(out, s->lesson->point.title);
        fprintf(out, ", student %" PRIu64 ", %d:: [html]", s->student, i + 1);
        put_gift(out, "<p>");
        put_gift_markup(out, s->x[i].question);
        put_gift(out, "</p><pre>");
        put_gift_markup(out, scenario);
        put_gift(out, "</pre>");
        put_gift_answer(out, &s->x[i]);
    }
    free(scenario);
    return true;
}

const struct sheet_format class_gift = {.put = put_gift_sheet};

bool class_read(const char *text, uint64_t *first, uint64_t *last)
{
    char number[24];
    size_t length = strcspn(text, "-");
    if (length >= sizeof number || text[length] != '-')
        return false;
    snprintf(number, sizeof number, "%.*s", (int)length, text);
    return argument_number(number, INT32_MAX, first) && argument_number(text + length + 1, INT32_MAX, last) &&
           *last >= *first && *last - *first < CLASS_MAX;
}

int class_write(const struct exercise_lesson *l, uint64_t first, uint64_t last, const char *path,
                const struct sheet_format *format)
{
    char error[STORY_ERROR_MAX];
    int status = EXIT_DONE;
    bool good = true;
    struct whole_file f;
    struct sheet s;
    if (!file_begin(&f, path))
        return sheet_failed(path, strerror(errno));
    fputs(format->head ? format->head : "", f.out);
    for (uint64_t student = first; good && student <= last; student++)
        good = sheet_make(&s, l, student, error, &status) && format->put(f.out, &s, error);
    fputs(format->foot ? format->foot : "", f.out);
    if (!file_end(&f, good))
        return good ? sheet_failed(path, strerror(errno)) : sheet_refused(error, status);
    printf("%s\n", path);
    return EXIT_DONE;
}
