/* SPDX-License-Identifier: GPL-2.0-or-later */
/* exercise_capture.c -- find the fault: a capture for each student, of a stream in which one message breaks a rule
 * (exercise_sheet.h). It ends before the answer that names the rule. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "channel/channel.h"
#include "helpers/base/exit.h"
#include "helpers/base/files.h"
#include "helpers/command/exercise_sheet.h"
#include "helpers/story/narrate.h"
#include "helpers/story/story_load.h"
#include "helpers/trial/trial_run.h"
#include "helpers/world/fabric/world_fabric.h"

enum { FILE_HEAD = 24, RECORD_HEAD = 16, HAVE = 8, SCRIPT_MAX = 200 };
enum { DRAW_FAULT = 1, DRAW_OCTETS };

static const char *const faults[] = {"write %" PRIu64 " to nothing", "write %" PRIu64 " beyond",
                                     "write %" PRIu64 " to foreign", "send %" PRIu64 " unexpected",
                                     "send %" PRIu64 " into 150",    "read %" PRIu64 " to writable"};
enum { FAULTS = sizeof faults / sizeof *faults };

/* What a capture shows, and where. */
struct fault {
    char code[8], field[80];
    uint64_t frame, octet;
};

static int failed(const char *what, const char *why)
{
    fprintf(stderr, "iwarpsim exercise: %s: %s\n", what, why);
    return EXIT_FAILED;
}

/* Two good messages, the bad one, and one that is too late. */
static void script_of(const struct lesson *l, uint64_t student, char set[SCRIPT_MAX])
{
    uint64_t key = channel_key(l->point.seed ^ sheet_course_key(l), 0, (uint32_t)student, 0xca);
    uint64_t first = exercise_own(300, 2500, channel_draw(sheet_course_key(l), DRAW_OCTETS), student);
    char bad[64];
    snprintf(bad, sizeof bad, faults[channel_draw(key, DRAW_FAULT) % FAULTS],
             200 + channel_draw(key, 2) % 200);
    snprintf(set, SCRIPT_MAX, "workload.script=write %" PRIu64 "; send %" PRIu64 "; %s; write 64", first,
             100 + channel_draw(key, 3) % 900, bad);
}

/* The capture of B's side at PREFIX-h1.pcap; A's is removed. */
static bool record(const struct scenario_point *point, const char *prefix, char path[PATH_LONG])
{
    struct point_results results = {0};
    const struct trial_files files = {.pcap = prefix, .label = "all"};
    struct trial *t = trial_new(point, &files);
    if (t)
        trial_run(t, world_fabric, &results);
    trial_free(t);
    snprintf(path, PATH_LONG, "%.*s-h0.pcap", PATH_LONG - 16, prefix);
    unlink(path);
    snprintf(path, PATH_LONG, "%.*s-h1.pcap", PATH_LONG - 16, prefix);
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

/* The first Terminate of B in a capture, and the message that it is about. */
static bool look(const struct story *told, const struct story *capture, struct fault *f, uint64_t *terminate)
{
    struct narration_cause cause;
    int sent = STORY_NOBODY;
    for (int i = 0; i < told->events && sent < 0; i++)
        if (told->event[i].kind == STORY_TERMINATE_SENT && narrate_cause(told, i, &cause) && cause.field)
            sent = i;
    if (sent < 0 || cause.segment < 0)
        return false;
    const struct story_segment *bad = &told->segment[cause.segment];
    int there = numbered(capture, bad->side, bad->number);
    snprintf(f->code, sizeof f->code, "%.6s", told->event[sent].text);
    snprintf(f->field, sizeof f->field, "%s", cause.field);
    f->octet = cause.at;
    *terminate = 0;
    for (int i = 0; i < capture->segments && !*terminate; i++) {
        const struct story_segment *g = &capture->segment[i];
        if (g->side != bad->side && g->readable && g->ctl.opcode == RDMAP_TERMINATE && g->sent >= 0)
            *terminate = capture->event[g->sent].frame;
    }
    if (there < 0 || capture->segment[there].sent < 0 || !*terminate)
        return false;
    f->frame = capture->event[capture->segment[there].sent].frame;
    return true;
}

/* Only the records before `end`, counted from 1. */
static bool cut(const char *from, const char *to, uint64_t end)
{
    uint8_t head[RECORD_HEAD], octets[1 << 16];
    struct whole_file f;
    FILE *in = fopen(from, "rb");
    bool good = in && file_begin(&f, to);
    if (good) {
        good =
            fread(octets, 1, FILE_HEAD, in) == FILE_HEAD && fwrite(octets, 1, FILE_HEAD, f.out) == FILE_HEAD;
        for (uint64_t n = 1; good && n < end; n++) {
            uint32_t have;
            good = fread(head, 1, RECORD_HEAD, in) == RECORD_HEAD;
            memcpy(&have, head + HAVE, sizeof have);
            good = good && have <= sizeof octets && fread(octets, 1, have, in) == have &&
                   fwrite(head, 1, RECORD_HEAD, f.out) == RECORD_HEAD &&
                   fwrite(octets, 1, have, f.out) == have;
        }
        if (good)
            good = file_commit(&f, false);
        else
            file_abandon(&f);
    }
    if (in)
        fclose(in);
    return good;
}

static struct story *story_of(const char *file, const char **sets, size_t count, char *error, int *status)
{
    const struct story_request r = {
        .file = file, .sets = sets, .sets_count = count, .segments_max = SHEET_SEGMENTS_MAX};
    return story_load(&r, error, status);
}

/* DIR/student-N.pcap, and its row of the key. */
static int one(const struct lesson *l, uint64_t student, const char *dir, FILE *keys)
{
    char error[STORY_ERROR_MAX] = "its story cannot be told", script[SCRIPT_MAX], prefix[PATH_LONG],
         path[PATH_LONG];
    const char *sets[SHEET_SETS_MAX + 1];
    int status = EXIT_FAILED;
    uint64_t terminate = 0;
    struct fault fault;
    struct scenario_point point;
    script_of(l, student, script);
    memcpy(sets, l->sets, l->sets_count * sizeof *sets);
    sets[l->sets_count] = script;
    struct scenario *s = scenario_load(l->file, sets, l->sets_count + 1, error);
    if (!s ||
        snprintf(prefix, sizeof prefix - 16, "%s/student-%" PRIu64, dir, student) >=
            (int)sizeof prefix - 16 ||
        !scenario_point(s, 0, 0, &point, error) || !record(&point, prefix, path)) {
        scenario_free(s);
        return failed(dir, error);
    }
    struct story *told = story_of(l->file, sets, l->sets_count + 1, error, &status);
    struct story *capture = told ? story_of(path, NULL, 0, error, &status) : NULL;
    bool good = capture && look(told, capture, &fault, &terminate);
    strcat(prefix, ".pcap");
    good = good && cut(path, prefix, terminate);
    unlink(path);
    if (good)
        fprintf(keys, "%" PRIu64 ",student-%" PRIu64 ".pcap,%" PRIu64 ",%s,%s,%" PRIu64 "\n", student,
                student, fault.frame, fault.field, fault.code, fault.octet);
    story_free(capture);
    story_free(told);
    scenario_free(s);
    return good ? EXIT_DONE : failed(prefix, error);
}

int class_captures(const struct lesson *l, uint64_t first, uint64_t last, const char *dir)
{
    char path[PATH_LONG];
    struct whole_file keys;
    if (l->point.workload.kind != WORKLOAD_script || l->point.world != WORLD_FABRIC || l->kinds.lost ||
        l->kinds.early) {
        fprintf(stderr, "iwarpsim exercise: --captures takes a scenario of world fabric with a script, whose "
                        "channel does no harm\n");
        return EXIT_INPUT;
    }
    if (!make_folder(dir))
        return failed(dir, strerror(errno));
    file_path(path, dir, "", "keys", ".csv");
    if (!file_begin(&keys, path))
        return failed(path, strerror(errno));
    fputs("student,file,frame,field,terminate,octet_of_stream\n", keys.out);
    int status = EXIT_DONE;
    for (uint64_t student = first; student <= last && status == EXIT_DONE; student++)
        status = one(l, student, dir, keys.out);
    if (status != EXIT_DONE) {
        file_abandon(&keys);
        return status;
    }
    if (!file_commit(&keys, false))
        return failed(path, strerror(errno));
    printf("%s/student-%" PRIu64 ".pcap to %" PRIu64
           ": in each, one message of the side that opened the connection breaks a rule, and the capture "
           "ends before the "
           "other side says so.\nAsk: which frame? Which field of which header? With which layer, type and "
           "code must the "
           "stream end?\nThe keys: %s\n",
           dir, first, last, path);
    return EXIT_DONE;
}
