/* SPDX-License-Identifier: GPL-2.0-or-later */
/* exercise_command.c -- iwarpsim exercise: a variant of a scenario for one student, with questions; or the key to them. */
#include <getopt.h>
#include <inttypes.h>
#include <string.h>

#include "helpers/base/arguments.h"
#include "helpers/base/exit.h"
#include "helpers/command.h"
#include "helpers/command/course.h"
#include "helpers/command/exercise_sheet.h"
#include "helpers/story/challenge.h"

static const char help[] =
    "usage: iwarpsim exercise FILE --student N [--set KEY=VALUE]... [--course SECRET] [--answers]\n"
    "       iwarpsim exercise FILE --class FIRST-LAST [--html OUT] [--gift OUT] [--moodle OUT]\n"
    "                         [--captures DIR] [--course SECRET]\n"
    "       iwarpsim exercise FILE --csv FOLDER [--course SECRET] > marks.csv\n"
    "       iwarpsim exercise --verify CODE [--course SECRET]\n"
    "\n"
    "Writes a scenario for one student, with questions as comments and a task: another seed, another path\n"
    "and other sizes, but the same kinds of events. The same N gives the same exercise everywhere; no two\n"
    "students get the same.\n"
    "\n"
    "    iwarpsim exercise scenarios/lessons/05-loss/lesson.yaml --student 7 > mine.yaml\n"
    "    iwarpsim explain mine.yaml\n"
    "\n"
    "  --student N   a whole number, such as the student's place in the class list\n"
    "  --set         as for `iwarpsim run`; sizes and seed are changed afterwards\n"
    "  --course      a word that the teacher keeps secret: it chooses the variants, so that nobody without "
    "it\n"
    "                can make the sheet or its key\n"
    "  --answers     print the key to that student's questions instead\n"
    "  --class       a sheet for each student from FIRST to LAST: as pages, with the keys in a second file\n"
    "                (--html sheets.html writes sheets-keys.html, too), or as questions for Moodle: as its\n"
    "                XML with a field for each part of an answer (--moodle), or as GIFT (--gift)\n"
    "  --captures    an exercise in reading captures: DIR/student-N.pcap, in which one message breaks a "
    "rule,\n"
    "                DIR/student-N.txt with the questions, and DIR/keys.csv. It needs --class and a "
    "scenario\n"
    "                with a script\n"
    "  --csv         mark what was handed in, answers in the lines `# Answer N:`: FOLDER/*.yaml are sheets "
    "with\n"
    "                their tasks done, FOLDER/*.txt the questions about captures. Each answer is one point,\n"
    "                the task, which is run, two\n"
    "  --verify      judge the code of a challenge, a sheet or a lab that was solved on a page: the code\n"
    "                is the solution itself, which is run again; exit 0: solved, all points; 1: not\n"
    "\n"
    "`iwarpsim explain` answers every question of the sheet, so grade the tasks, and predictions that "
    "students\n"
    "hand in before the run.\n";

struct arguments {
    const char *file;
    const char *course; /* NULL: none */
    const char *code;   /* of a challenge; NULL: none */
    const char *html, *gift, *moodle, *captures, *folder;
    uint64_t student, first, last;
    bool has_student, has_class, answers;
    const char *sets[SHEET_SETS_MAX];
    size_t sets_count;
};

static bool read_class(const char *text, void *arguments)
{
    struct arguments *a = arguments;
    return a->has_class = class_read(text, &a->first, &a->last);
}

static bool read_set(const char *text, void *arguments)
{
    struct arguments *a = arguments;
    if (a->sets_count == SHEET_SETS_MAX)
        return false;
    a->sets[a->sets_count++] = text;
    return true;
}

static bool read_student(const char *text, void *arguments)
{
    struct arguments *a = arguments;
    return a->has_student = argument_number(text, INT64_MAX, &a->student);
}

static const struct argument rows[] = {
    {.name = "student", .read = read_student, .refusal = "--student takes a whole number, not"},
    {.name = "set", .read = read_set, .refusal = "too many --set options", .again = true},
    ARGUMENT_FLAG("answers", struct arguments, answers),
    ARGUMENT_TEXT("course", struct arguments, course),
    ARGUMENT_TEXT("verify", struct arguments, code),
    {.name = "class",
     .read = read_class,
     .refusal = "--class takes FIRST-LAST, at most 1000 students, such as 1-40, not"},
    ARGUMENT_TEXT("html", struct arguments, html),
    ARGUMENT_TEXT("gift", struct arguments, gift),
    ARGUMENT_TEXT("moodle", struct arguments, moodle),
    ARGUMENT_TEXT("captures", struct arguments, captures),
    ARGUMENT_TEXT("csv", struct arguments, folder),
    {0},
};

/* What goes with what; -1: all is well. */
static int check_arguments(const struct arguments *a)
{
    if (a->has_class != (a->html || a->gift || a->moodle || a->captures))
        return argument_wrong(
            "exercise",
            "--class FIRST-LAST goes with --html FILE or --gift FILE or --moodle FILE or --captures DIR",
            NULL);
    if (!a->has_student && !a->has_class && !a->folder)
        return argument_wrong("exercise", "--student N is required: it says whose exercise this is", NULL);
    if (a->has_student && (a->has_class || a->folder))
        return argument_wrong("exercise", "--student is for one student, --class and --csv are for many",
                              NULL);
    return -1;
}

static int parse_exercise(int argc, char **argv, struct arguments *a)
{
    int status = arguments_read(argc, argv, "exercise", help, rows, a);
    if (status >= 0)
        return status;
    if (a->code)
        return optind == argc ? -1
                              : argument_wrong("exercise", "--verify takes a code and no scenario", NULL);
    if (optind != argc - 1)
        return argument_wrong("exercise", optind < argc ? "one scenario at a time" : "a scenario is required",
                              NULL);
    a->file = argv[optind];
    return check_arguments(a);
}

/* ---- sheets ---- */

static int one(const struct exercise_lesson *l, const struct arguments *a)
{
    char error[STORY_ERROR_MAX];
    int status = EXIT_INPUT;
    struct sheet s;
    if (!sheet_make(&s, l, a->student, error, &status))
        return sheet_refused(error, status);
    if (a->answers)
        sheet_write_key(stdout, &s);
    else if (!sheet_write(stdout, &s, error))
        return sheet_refused(error, EXIT_INPUT);
    return EXIT_DONE;
}

static int exercise(const struct arguments *a)
{
    char error[STORY_ERROR_MAX];
    int status = EXIT_INPUT;
    struct exercise_lesson l = {.file = a->file, .course = a->course, .sets_count = a->sets_count};
    memcpy(l.sets, a->sets, sizeof a->sets);
    if (!lesson_open(&l, error, &status)) {
        lesson_close(&l);
        return sheet_refused(error, status);
    }
    status = a->has_student ? one(&l, a) : EXIT_DONE;
    if (status == EXIT_DONE && a->html)
        status = class_html(&l, a->first, a->last, a->html);
    if (status == EXIT_DONE && a->gift)
        status = class_write(&l, a->first, a->last, a->gift, &class_gift);
    if (status == EXIT_DONE && a->moodle)
        status = class_write(&l, a->first, a->last, a->moodle, &class_moodle);
    if (status == EXIT_DONE && a->captures)
        status = class_captures(&l, a->first, a->last, a->captures);
    if (status == EXIT_DONE && a->folder)
        status = class_marks(&l, a->folder);
    lesson_close(&l);
    return status;
}

/* ---- challenges ---- */

static int verify_challenge(const char *code)
{
    struct challenge c;
    char room[CHALLENGE_CODE_MAX], said[CHALLENGE_TEXT_MAX], asked[CHALLENGE_TEXT_MAX];
    bool wrong_settings = true;
    bool good = challenge_read(code, &c, room, said);
    good = good && challenge_judge(&c, said, &wrong_settings);
    if (wrong_settings)
        return complain(EXIT_INPUT, "exercise", "%s", said);
    challenge_text(c.number, c.student, asked);
    printf("Challenge %u, student %" PRIu64 ": %s\n%s\n%s: %s\n", c.number, c.student,
           challenge_title(c.number), asked, good ? "solved" : "not solved", said);
    return good ? EXIT_DONE : EXIT_LAW;
}

static int verify_code(const struct arguments *a)
{
    return strncmp(a->code, "challenge=", 10) == 0 || !strchr(a->code, '=') ? verify_challenge(a->code)
                                                                            : code_verify(a->code, a->course);
}

int command_exercise(int argc, char **argv)
{
    struct arguments a = {0};
    int status = parse_exercise(argc, argv, &a);
    return status >= 0 ? status : a.code ? verify_code(&a) : exercise(&a);
}
