/* SPDX-License-Identifier: GPL-2.0-or-later */
/* course.c -- iwarpsim course: ready-made parts, filled in.
 *
 * pages.tsv has a line for each page with a run: its name, its scenario and the words of `iwarpsim play`. parts.tsv names what is copied,
 * with the engine where it says so; index.html is the last, so that a folder of a killed run has none. All is written to a folder
 * beside DIR, which then becomes DIR. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "helpers/base/arguments.h"
#include "helpers/base/exit.h"
#include "helpers/base/quote.h"
#include "helpers/base/zip.h"
#include "helpers/command.h"
#include "helpers/command/course.h"
#include "helpers/command/exercise_sheet.h"
#include "helpers/story/play_page.h"

static const char help[] =
    "usage: iwarpsim course --out DIR [--zip] [--class FIRST-LAST [--course SECRET]]\n"
    "\n"
    "Writes a course as a folder of pages: lessons, labs, many hosts, challenges, tests, with the engine.\n"
    "They need a browser and nothing else, no network and no server: open DIR/index.html. A folder on\n"
    "any server will do, too. What students hand in is a code, which is judged again by\n"
    "`iwarpsim exercise --verify CODE`.\n"
    "\n"
    "  --out DIR        a folder that is not there yet\n"
    "  --zip            DIR.zip, too, which a learning platform takes as a SCORM 1.2 package\n"
    "  --class 1-40     a sheet of each lesson for each of these students: lesson-03.html#sheet=7\n"
    "  --course SECRET  a word that only the teacher knows: it chooses the sheets, and --verify needs it\n";

enum { PLAY_WORDS = 32 };

struct arguments {
    const char *out, *course;
    bool zip;
    uint64_t first, last; /* last 0: no class */
};

static bool read_class(const char *text, void *arguments)
{
    struct arguments *a = arguments;
    return class_read(text, &a->first, &a->last) && a->last;
}

static const struct argument rows[] = {
    {.name = "out",
     .into = offsetof(struct arguments, out),
     .read = argument_given,
     .refusal = "--out takes a folder, not"},
    ARGUMENT_FLAG("zip", struct arguments, zip),
    {.name = "class",
     .read = read_class,
     .refusal = "--class takes FIRST-LAST, at most 1000 students, such as 1-40, not"},
    ARGUMENT_TEXT("course", struct arguments, course),
    {0},
};

static int parse_course(int argc, char **argv, struct arguments *a)
{
    int status = arguments_read(argc, argv, "course", help, rows, a);
    if (status >= 0)
        return status;
    if (optind < argc)
        return argument_wrong("course", "it takes no file:", argv[optind]);
    if (!a->out)
        return argument_wrong("course", "--out DIR is required: the folder to write", NULL);
    if (a->course && !a->last)
        return argument_wrong("course", "--course SECRET goes with --class FIRST-LAST", NULL);
    return -1;
}

/* ---- parts ---- */

bool course_part(char path[PATH_LONG], const char *name)
{
    char part[256];
    snprintf(part, sizeof part, "course/%.200s", name);
    return built_path(path, part);
}

static char *read_part(const char *name)
{
    char path[PATH_LONG];
    size_t size;
    char *text = course_part(path, name) ? file_read(path, &size) : NULL;
    if (!text)
        complain(0, "course", "the ready-made part %s is missing; `./waf build` writes it", name);
    return text;
}

/* What is being written. */
struct site {
    const struct arguments *a;
    char folder[PATH_LONG], *absent; /* names of pages that could not be made, each behind a blank */
    uint8_t *module;
    size_t module_size;
};

static void add_text(char **text, const char *more)
{
    size_t used = *text ? strlen(*text) : 0;
    *text = need(realloc(*text, used + strlen(more) + 2));
    sprintf(*text + used, " %s", more);
}

static int cannot(const char *path)
{
    return cannot_write(EXIT_FAILED, "course", path);
}

/* ---- sheets ---- */

static void put_sheet(FILE *out, const struct sheet *s, const char *before)
{
    fprintf(out, "%s\"%" PRIu64 "\":{\"sets\":[", before, s->student);
    for (size_t i = 0; i < s->sets_count; i++) {
        fputs(i ? "," : "", out);
        quote_json(out, s->sets[i], true);
    }
    fprintf(out, "],\"draw\":[\"%" PRIu64 "\",\"%" PRIu64 "\"]}", s->draw[0], s->draw[1]);
}

/* The sheets of a lesson as a member of `about`: settings without keys. */
static int put_sheets(FILE *out, const struct arguments *a, const char *file)
{
    char error[STORY_ERROR_MAX];
    int status = EXIT_INPUT;
    struct exercise_lesson l = {.file = file, .course = a->course};
    struct sheet s;
    bool good = lesson_open(&l, error, &status);
    fputs(",\"sheets\":{", out);
    for (uint64_t student = a->first; good && student <= a->last; student++) {
        good = sheet_make(&s, &l, student, error, &status);
        if (good)
            put_sheet(out, &s, student > a->first ? "," : "");
    }
    putc('}', out);
    lesson_close(&l);
    return good ? EXIT_DONE : complain(status, "course", "%s", error);
}

/* ---- pages ---- */

/* `about` of a page, with the sheets of its lesson before its last brace. malloc()ed; NULL: it was said why. */
static char *about_of(const struct site *s, const char *name, const char *file, bool has_sheets)
{
    char part[256], *text = NULL;
    size_t size;
    snprintf(part, sizeof part, "%.200s.json", name);
    char *about = read_part(part);
    FILE *out = about ? open_memstream(&text, &size) : NULL;
    if (out) {
        fprintf(out, "%.*s", (int)(strrchr(about, '}') - about), about);
        int status = s->a->last && has_sheets ? put_sheets(out, s->a, file) : EXIT_DONE;
        putc('}', out);
        fclose(out);
        if (status != EXIT_DONE) {
            free(text);
            text = NULL;
        }
    }
    free(about);
    return text;
}

/* A line of pages.tsv: NAME, its scenario or capture, the words of `play`, and whether it has sheets. A page whose world is not
 * installed is left out. */
static int write_page(struct site *s, char *line)
{
    char file[PATH_LONG], out[PATH_LONG + 32], *argv[PLAY_WORDS] = {"play", file, "-o", out}, *rest = line;
    const char *name = strsep(&rest, "\t"), *source = strsep(&rest, "\t"), *sheets = strsep(&rest, "\t");
    int argc = 4;
    for (char *word = strtok(rest, " "); word && argc < PLAY_WORDS - 1; word = strtok(NULL, " "))
        argv[argc++] = word;
    if (!course_part(file, source))
        return complain(EXIT_FAILED, "course", "the ready-made part %s is missing; `./waf build` writes it",
                        source);
    snprintf(out, sizeof out, "%.4000s/%.40s.html", s->folder, name);
    char *about = about_of(s, name, file, *sheets == '1');
    if (!about)
        return EXIT_FAILED;
    int status = play_page_of(argc, argv, about);
    free(about);
    if (status != EXIT_FAILED || file_exists(out))
        return status;
    add_text(&s->absent, name);
    return EXIT_DONE;
}

static int write_pages(struct site *s)
{
    int status = EXIT_DONE;
    char *pages = read_part("pages.tsv"), *rest = pages;
    for (char *line; status == EXIT_DONE && (line = strsep(&rest, "\n")) && *line;)
        status = write_page(s, line);
    free(pages);
    return pages ? status : EXIT_FAILED;
}

/* ---- what is copied ---- */

/* Does the line name a page that could not be made? */
static bool is_of_absent(const struct site *s, const char *line)
{
    char name[64];
    const char *p = s->absent ? s->absent : "";
    while (sscanf(p, " %58s", name) == 1) {
        p += strlen(name) + 1;
        strcat(name, ".html");
        if (strstr(line, name))
            return true;
    }
    return false;
}

/* Line by line, the engine where a part has its mark. */
static void fill(FILE *out, const struct site *s, char *text)
{
    static const char mark[] = "/*ENGINE*/";
    for (char *line; (line = strsep(&text, "\n"));) {
        char *found = strstr(line, mark);
        if (is_of_absent(s, line) || (!text && !*line))
            continue;
        fprintf(out, "%.*s", found ? (int)(found - line) : (int)strlen(line), line);
        if (found) {
            play_base64(out, s->module, s->module_size);
            fputs(found + strlen(mark), out);
        }
        putc('\n', out);
    }
}

static int write_part(const struct site *s, const char *name)
{
    char path[PATH_LONG + 256];
    struct whole_file f;
    char *text = read_part(name);
    if (!text)
        return EXIT_FAILED;
    snprintf(path, sizeof path, "%s/%.200s", s->folder, name);
    bool good = strlen(path) < PATH_LONG && file_begin(&f, path);
    if (good) {
        fill(f.out, s, text);
        good = file_end(&f, true);
    }
    free(text);
    return good ? EXIT_DONE : cannot(path);
}

static int write_parts(struct site *s)
{
    int status = EXIT_DONE;
    char *parts = read_part("parts.tsv"), *rest = parts;
    for (char *line; status == EXIT_DONE && (line = strsep(&rest, "\n")) && *line;)
        status = write_part(s, line);
    free(parts);
    return parts ? status : EXIT_FAILED;
}

/* ---- the folder ---- */

static void remove_folder(const char *path)
{
    empty_folder(path, "");
    rmdir(path);
}

static int write_zip(const struct arguments *a)
{
    char path[PATH_LONG];
    snprintf(path, sizeof path, "%.4000s.zip", a->out);
    if (!zip_folder(a->out, path))
        return cannot(path);
    printf("%s\n", path);
    return EXIT_DONE;
}

/* A folder beside DIR becomes DIR when all is in it. */
static int write_site(struct site *s)
{
    int n = snprintf(s->folder, sizeof s->folder, "%.4000s.XXXXXX", s->a->out);
    if (n < 0 || !mkdtemp(s->folder) || chmod(s->folder, 0755) != 0)
        return cannot(s->a->out);
    int status = write_pages(s);
    status = status == EXIT_DONE ? write_parts(s) : status;
    if (status == EXIT_DONE && rename(s->folder, s->a->out) != 0)
        status = cannot(s->a->out);
    if (status != EXIT_DONE) {
        remove_folder(s->folder);
        return status;
    }
    if (s->absent)
        printf("left out, since the program of their world is not built:%s\n", s->absent);
    printf("%s/index.html\n", s->a->out);
    return s->a->zip ? write_zip(s->a) : EXIT_DONE;
}

static int course(const struct arguments *a)
{
    struct stat there;
    struct site s = {.a = a};
    if (lstat(a->out, &there) == 0)
        return complain(EXIT_INPUT, "course",
                        "%s is there already; --out takes a folder that is not there yet", a->out);
    s.module = play_module(&s.module_size);
    int status = s.module ? write_site(&s) : EXIT_FAILED;
    free(s.module);
    free(s.absent);
    return status;
}

int command_course(int argc, char **argv)
{
    struct arguments a = {0};
    int status = parse_course(argc, argv, &a);
    return status >= 0 ? status : course(&a);
}
