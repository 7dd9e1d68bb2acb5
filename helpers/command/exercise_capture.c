/* SPDX-License-Identifier: GPL-2.0-or-later */
/* exercise_capture.c -- a capture for each student, of a stream in which one message breaks a rule, with questions about what is in it
 * (exercise_sheet.h). It ends before the answer that names the rule. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "channel/channel.h"
#include "helpers/base/exit.h"
#include "helpers/base/files.h"
#include "helpers/command/exercise_sheet.h"
#include "helpers/scenario/world.h"
#include "helpers/story/narrate.h"
#include "helpers/story/story_load.h"
#include "helpers/trial/trial_run.h"
#include "helpers/world/fabric/world_fabric.h"

enum { FILE_HEAD = 24, RECORD_HEAD = 16, HAVE = 8, SCRIPT_MAX = 200, PATH_ROOM = PATH_LONG + 16 };
enum { DRAW_FAULT = 1, DRAW_OCTETS };

/* What is wrong, and a message behind it that is too late. */
static const char *const faults[] = {
    "write %" PRIu64 " to nothing; send 64", "write %" PRIu64 " beyond; send 64",
    "write %" PRIu64 " to foreign; send 64", "send %" PRIu64 " unexpected; write 64",
    "send %" PRIu64 " into 150; write 64",   "read %" PRIu64 " to writable; send 64"};
enum { FAULTS = sizeof faults / sizeof *faults };

/* Three good messages before that. */
static void script_of(const struct exercise_lesson *l, uint64_t student, char set[SCRIPT_MAX])
{
    uint64_t key = channel_key(l->point.seed ^ sheet_course_key(l), 0, (uint32_t)student, 0xca);
    uint64_t first = exercise_own(300, 2500, channel_draw(sheet_course_key(l), DRAW_OCTETS), student);
    char bad[80];
    snprintf(bad, sizeof bad, faults[channel_draw(key, DRAW_FAULT) % FAULTS],
             200 + channel_draw(key, 2) % 200);
    snprintf(set, SCRIPT_MAX,
             "workload.script=write %" PRIu64 "; send %" PRIu64 "; read %" PRIu64 "; wait; %s", first,
             100 + channel_draw(key, 3) % 2900, 100 + channel_draw(key, 4) % 2900, bad);
}

/* The capture of B's side at PREFIX-h1.pcap; A's is removed. */
static bool record(const struct scenario_point *point, const char *prefix, char path[PATH_ROOM])
{
    struct point_results results = {0};
    const struct trial_files files = {.pcap = prefix, .label = "all"};
    struct trial *t = trial_new(point, &files);
    if (t)
        trial_run(t, world_fabric, &results);
    trial_free(t);
    snprintf(path, PATH_ROOM, "%s-h0.pcap", prefix);
    unlink(path);
    snprintf(path, PATH_ROOM, "%s-h1.pcap", prefix);
    return t && results.status != STATUS_REFUSED && results.status != STATUS_CRASHED;
}

/* The segment of this number; STORY_NOBODY. In a capture streams begin with MPA's start-up: keys are others. */
static int numbered(const struct story *s, int side, uint32_t number)
{
    for (int i = 0; i < s->segments; i++)
        if (s->segment[i].side == side && s->segment[i].number == number)
            return i;
    return STORY_NOBODY;
}

/* ---- the questions ---- */

static uint64_t frame_of(const struct story *capture, int segment)
{
    int sent = segment < 0 ? STORY_NOBODY : capture->segment[segment].sent;
    return sent < 0 ? 0 : capture->event[sent].frame;
}

static const struct story_message *first_of(const struct story *s, uint8_t opcode)
{
    int i = story_message_of(s, opcode);
    return i < 0 ? NULL : &s->message[i];
}

static void want(struct exercise *x, const char *label, const char *unit, const char *cue, uint64_t n)
{
    exercise_want(x, (struct reply_field){REPLY_NUMBER, label, unit, cue, n, n, ""});
}

/* What the good messages are. */
static bool ask_good(const struct story *capture, struct exercise *x)
{
    const struct story_message *write = first_of(capture, RDMAP_WRITE), *send = first_of(capture, RDMAP_SEND),
                               *request = first_of(capture, RDMAP_READ_REQ),
                               *answer = first_of(capture, RDMAP_READ_RESP);
    if (!write || !send || !request || !answer)
        return false;
    snprintf(x[0].question, EXERCISE_TEXT_MAX, "To which STag and which TO does the first Write go?");
    snprintf(x[0].answer, EXERCISE_TEXT_MAX, "STag 0x%08x, TO %" PRIu64, write->head.stag, write->head.to);
    want(&x[0], "STag", "STag", NULL, write->head.stag);
    want(&x[0], "TO", "TO", NULL, write->head.to);
    snprintf(
        x[1].question, EXERCISE_TEXT_MAX,
        "Which frame carries the last segment of the first Send, and how many octets of payload has it?");
    snprintf(x[1].answer, EXERCISE_TEXT_MAX, "frame %" PRIu64 ", %u octets", frame_of(capture, send->last),
             capture->segment[send->last].length);
    want(&x[1], "frame", "frame", NULL, frame_of(capture, send->last));
    want(&x[1], "octets", "octets", NULL, capture->segment[send->last].length);
    snprintf(x[2].question, EXERCISE_TEXT_MAX,
             "Which frame carries the Read Request, and which one the first segment of its answer?");
    snprintf(x[2].answer, EXERCISE_TEXT_MAX, "frame %" PRIu64 ", frame %" PRIu64,
             frame_of(capture, request->first), frame_of(capture, answer->first));
    want(&x[2], "frame of the request", "frame", "request asks", frame_of(capture, request->first));
    want(&x[2], "frame of its answer", "frame", "answer answers response reply",
         frame_of(capture, answer->first));
    return true;
}

/* The frame in which B sends the Terminate; 0: none. */
static uint64_t frame_of_terminate(const struct story *capture)
{
    for (int i = 0; i < capture->segments; i++) {
        const struct story_segment *g = &capture->segment[i];
        if (g->side == 1 && g->readable && g->ctl.opcode == RDMAP_TERMINATE)
            return frame_of(capture, i);
    }
    return 0;
}

/* The fault, as the run tells it. The capture's stream begins with MPA's start-up, the run's behind it. */
static bool ask_fault(const struct story *told, const struct story *capture, struct exercise *x)
{
    struct narration_cause cause;
    int sent = STORY_NOBODY;
    for (int i = 0; i < told->events && sent < 0; i++)
        if (told->event[i].kind == TRACE_TERMINATE_SENT && narrate_cause(told, i, &cause) && cause.field)
            sent = i;
    if (sent < 0 || cause.segment < 0)
        return false;
    const struct story_segment *bad = &told->segment[cause.segment];
    int there = numbered(capture, bad->side, bad->number);
    if (!frame_of(capture, there))
        return false;
    snprintf(x[0].question, EXERCISE_TEXT_MAX, "One message of A breaks a rule. Which frame carries it?");
    snprintf(x[0].answer, EXERCISE_TEXT_MAX, "frame %" PRIu64, frame_of(capture, there));
    want(&x[0], "frame", "frame", NULL, frame_of(capture, there));
    snprintf(x[1].question, EXERCISE_TEXT_MAX,
             "At which octet of A's stream does the field begin that is wrong? MPA's start-up counts; the "
             "first octet is 0.");
    snprintf(x[1].answer, EXERCISE_TEXT_MAX, "octet %" PRIu64 " (%s)",
             cause.at + capture->segment[there].key - bad->key, cause.field);
    want(&x[1], "octet", "octets", NULL, cause.at + capture->segment[there].key - bad->key);
    snprintf(x[2].question, EXERCISE_TEXT_MAX, "With which layer, type and code must the stream end?");
    snprintf(x[2].answer, EXERCISE_TEXT_MAX, "%.6s", told->event[sent].text);
    exercise_want_code(&x[2], told->event[sent].said.term);
    return true;
}

/* Only the records before `end`, counted from 1. */
static bool copy_records(FILE *in, FILE *out, uint64_t end)
{
    uint8_t head[RECORD_HEAD], octets[1 << 16];
    bool good =
        fread(octets, 1, FILE_HEAD, in) == FILE_HEAD && fwrite(octets, 1, FILE_HEAD, out) == FILE_HEAD;
    for (uint64_t n = 1; good && n < end; n++) {
        uint32_t have;
        good = fread(head, 1, RECORD_HEAD, in) == RECORD_HEAD;
        memcpy(&have, head + HAVE, sizeof have);
        good = good && have <= sizeof octets && fread(octets, 1, have, in) == have &&
               fwrite(head, 1, RECORD_HEAD, out) == RECORD_HEAD && fwrite(octets, 1, have, out) == have;
    }
    return good;
}

static bool cut_capture(const char *from, const char *to, uint64_t end)
{
    struct whole_file f;
    FILE *in = fopen(from, "rb");
    bool good = in && file_begin(&f, to) && file_end(&f, copy_records(in, f.out, end));
    if (in)
        fclose(in);
    return good;
}

/* What B has prepared before anything arrives: no capture shows that. */
static void tell_ground(const struct story *told, char ground[CAPTURE_GROUND_MAX])
{
    struct narration n;
    size_t used = 0;
    *ground = '\0';
    for (int i = 0; i < told->events && used < CAPTURE_GROUND_MAX; i++) {
        const struct story_event *e = &told->event[i];
        if (e->node == 1 && (e->kind == TRACE_REGION || e->kind == TRACE_RECV) && narrate_event(told, i, &n))
            used += (size_t)snprintf(ground + used, CAPTURE_GROUND_MAX - used, "#   B %s\n", n.text);
    }
}

/* `told` is the run, `capture` what it left at `path`. */
static bool ask_about(const struct story *told, const struct story *capture, struct capture_sheet *c,
                      char *error)
{
    tell_ground(told, c->ground);
    bool good = ask_good(capture, c->x) && ask_fault(told, capture, c->x + SHEET_QUESTIONS / 2);
    if (!good)
        snprintf(error, STORY_ERROR_MAX, "it shows no Terminate that a field caused");
    return good;
}

bool capture_make(const struct exercise_lesson *l, uint64_t student, const char *dir, struct capture_sheet *c,
                  char *error)
{
    char own[2][SCRIPT_MAX], prefix[PATH_LONG], path[PATH_ROOM];
    const char *sets[SHEET_SETS_MAX + 2];
    size_t count = l->sets_count + 2;
    int status = EXIT_FAILED;
    struct scenario_point point;
    *c = (struct capture_sheet){0};
    snprintf(error, STORY_ERROR_MAX, "its story cannot be told");
    script_of(l, student, own[0]);
    snprintf(own[1], sizeof own[1], "seed=%" PRIu64, channel_draw(sheet_course_key(l), student) >> 44);
    memcpy(sets, l->sets, l->sets_count * sizeof *sets);
    sets[count - 2] = own[0];
    sets[count - 1] = own[1];
    struct scenario *s = scenario_load(l->file, sets, count, error);
    bool good = s && snprintf(prefix, sizeof prefix - 16, "%s/student-%" PRIu64, dir, student) <
                         (int)sizeof prefix - 16;
    good = good && scenario_point(s, 0, 0, &point, error) && record(&point, prefix, path);
    struct story *told = good ? sheet_story(l->file, sets, count, error, &status) : NULL;
    struct story *capture = told ? sheet_story(path, NULL, 0, error, &status) : NULL;
    bool asked = capture && ask_about(told, capture, c, error);
    if (good) {
        char whole[PATH_ROOM];
        snprintf(whole, sizeof whole, "%s.pcap", prefix);
        good = asked && cut_capture(path, whole, frame_of_terminate(capture));
        unlink(path);
    }
    story_free(capture);
    story_free(told);
    scenario_free(s);
    return good;
}

bool capture_fits(const struct exercise_lesson *l)
{
    return l->point.workload.kind == WORKLOAD_script && worlds[l->point.world].inside && !l->kinds.lost &&
           !l->kinds.early;
}

/* DIR/student-N.txt: the questions, with room for answers. */
static bool put_questions(const char *dir, uint64_t student, const struct capture_sheet *c)
{
    char path[PATH_LONG], name[40];
    struct whole_file f;
    snprintf(name, sizeof name, "student-%" PRIu64, student);
    file_path(path, dir, "", name, ".txt");
    if (!file_begin(&f, path))
        return false;
    fprintf(
        f.out,
        "# Student: %" PRIu64 "\n# About student-%" PRIu64
        ".pcap: A opened the connection, B is the other side. The capture ends before B says what was\n# "
        "wrong. Hand in this file, with the answers in its lines.\n#\n# What B had prepared, for a stream of "
        "domain 1:\n%s#\n",
        student, student, c->ground);
    sheet_put_questions(f.out, c->x, SHEET_QUESTIONS);
    return file_commit(&f, false);
}

/* A student's files, and the row of the key. */
static int one(const struct exercise_lesson *l, uint64_t student, const char *dir, FILE *keys)
{
    char error[STORY_ERROR_MAX];
    struct capture_sheet c;
    if (!capture_make(l, student, dir, &c, error))
        return sheet_failed(dir, error);
    if (!put_questions(dir, student, &c))
        return sheet_failed(dir, strerror(errno));
    fprintf(keys, "%" PRIu64 ",student-%" PRIu64 ".pcap", student, student);
    for (int i = 0; i < SHEET_QUESTIONS; i++)
        fprintf(keys, ",\"%s\"", c.x[i].answer);
    fputc('\n', keys);
    return EXIT_DONE;
}

int class_captures(const struct exercise_lesson *l, uint64_t first, uint64_t last, const char *dir)
{
    char path[PATH_LONG];
    struct whole_file keys;
    if (!capture_fits(l))
        return complain(
            EXIT_INPUT, "exercise",
            "--captures needs a scenario of world fabric with a script and a channel that impairs nothing");
    if (!make_folder(dir))
        return sheet_failed(dir, strerror(errno));
    file_path(path, dir, "", "keys", ".csv");
    if (!file_begin(&keys, path))
        return sheet_failed(path, strerror(errno));
    fputs("student,file", keys.out);
    for (int i = 1; i <= SHEET_QUESTIONS; i++)
        fprintf(keys.out, ",answer_%d", i);
    fputc('\n', keys.out);
    int status = EXIT_DONE;
    for (uint64_t student = first; student <= last && status == EXIT_DONE; student++)
        status = one(l, student, dir, keys.out);
    bool good = file_end(&keys, status == EXIT_DONE);
    if (status != EXIT_DONE)
        return status;
    if (!good)
        return sheet_failed(path, strerror(errno));
    printf(
        "%s/student-%" PRIu64 ".pcap to %" PRIu64
        ": in each, one message of the side that opened the connection breaks a rule, and the capture "
        "ends before the other side says so.\nBeside each student-N.txt with the questions. The keys: %s\n",
        dir, first, last, path);
    return EXIT_DONE;
}
