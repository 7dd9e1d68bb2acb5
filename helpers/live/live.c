/* SPDX-License-Identifier: GPL-2.0-or-later */
/* live.c -- what a live page calls: a scenario's settings in, stories and their text out. For wasm32 only.
 *
 *     page: live_room(len), octets, live_scenario(len) or live_capture(len)
 *           -> true: live_stories() is JSON, live_text() what `iwarpsim explain` prints; both end with a 0
 *           -> false: live_text() is the sentence that says why
 *
 * live_cluster() begins a run of many hosts (live_cluster.c).
 * live_sheet() takes a scenario with a student's settings and what is handed in of the sheet (live_sheet.c).
 * live_labs() takes a student's number, live_lab_point() runs one point of a lab, live_lab_judge() takes a code (live_lab.c).
 * live_challenges() takes a student's number and makes live_stories() a list of tasks; live_judge() takes a code.
 *
 * A scenario is records that end with RECORD, of fields that end with FIELD: file NAME; repeat N; beside PATH;
 * given KEY LINE COLUMN VALUE; set KEY=VALUE. A capture is the octets of its file behind its name and a 0.
 * What is told is made by the same code as in the command; this file and the capture reader beside it are all that is not.
 */
#include <stdlib.h>
#include <string.h>

#include "helpers/base/quote.h"
#include "helpers/base/sha256.h"
#include "helpers/capture/capture.h"
#include "helpers/live/live_inner.h"
#include "helpers/scenario/delay_file.h"
#include "helpers/scenario/fates_file.h"
#include "helpers/scenario/goal_file.h"
#include "helpers/scenario/matrix_file.h"
#include "helpers/scenario/platform_file.h"
#include "helpers/scenario/scenario.h"
#include "helpers/scenario/size_mix.h"
#include "helpers/scenario/topology_file.h"
#include "helpers/story/challenge.h"
#include "helpers/story/play.h"
#include "helpers/story/story_load.h"
#include "helpers/story/story_print.h"
#include "helpers/world/fabric/fabric_pcap.h"
#include "helpers/world/fabric/team.h"

#define EXPORT(name) __attribute__((export_name(#name))) name

enum { FIELD = 0x1f, RECORD = 0x1e };
enum { SEGMENTS_MAX = 2000, GIVEN_MAX = 256, SETS_MAX = 64, STORIES_MAX = 2 };

static char *in, *stories_out, *text_out;
static char error[CHALLENGE_TEXT_MAX];
_Static_assert((int)CHALLENGE_TEXT_MAX >= (int)STORY_ERROR_MAX, "room for any sentence");

struct asked {
    struct story_request request;
    const char *beside;
    const char *code; /* of a sheet */
    uint64_t draw[2]; /* for its questions, for its task */
    struct scenario_given given[GIVEN_MAX];
    size_t given_count;
    const char *sets[SETS_MAX + PLAY_BESIDE_SETS];
};

char *EXPORT(live_room)(size_t len);
bool EXPORT(live_scenario)(void);
bool EXPORT(live_capture)(size_t len);
bool EXPORT(live_cluster)(void);
bool EXPORT(live_cluster_run)(double until);
double EXPORT(live_cluster_now)(void);
const void *EXPORT(live_cluster_seen)(void);
uint32_t EXPORT(live_cluster_count)(void);
bool EXPORT(live_cluster_state)(void);
bool EXPORT(live_cluster_end)(void);
bool EXPORT(live_sheet)(void);
bool EXPORT(live_labs)(void);
double EXPORT(live_lab_point)(unsigned lab, unsigned x, unsigned by);
bool EXPORT(live_lab_judge)(void);
bool EXPORT(live_challenges)(void);
int EXPORT(live_judge)(void);
const char *EXPORT(live_stories)(void);
const char *EXPORT(live_text)(void);

char *live_room(size_t len)
{
    free(in);
    in = malloc(len + 1);
    if (in)
        in[len] = 0;
    return in;
}

const char *live_stories(void)
{
    return stories_out ? stories_out : "";
}

const char *live_text(void)
{
    return text_out ? text_out : error;
}

/* ---- what is asked for ---- */

/* The text up to `end`, which becomes its 0; `*p` moves behind it. */
static char *take_text(char **p, int end)
{
    char *start = *p, *stop = strchr(start, end);
    *p = stop ? stop + 1 : start + strlen(start);
    if (stop)
        *stop = 0;
    return start;
}

static void take_record(struct asked *a, char *record)
{
    const char *what = take_text(&record, FIELD);
    if (strcmp(what, "file") == 0)
        a->request.file = take_text(&record, FIELD);
    else if (strcmp(what, "repeat") == 0)
        a->request.repeat = (uint32_t)strtoul(record, NULL, 10);
    else if (strcmp(what, "beside") == 0)
        a->beside = take_text(&record, FIELD);
    else if (strcmp(what, "code") == 0)
        a->code = take_text(&record, FIELD);
    else if (strcmp(what, "draw") == 0) {
        a->draw[0] = strtoull(take_text(&record, FIELD), NULL, 10);
        a->draw[1] = strtoull(record, NULL, 10);
    } else if (strcmp(what, "set") == 0 && a->request.sets_count < SETS_MAX)
        a->sets[a->request.sets_count++] = take_text(&record, FIELD);
    else if (strcmp(what, "given") == 0 && a->given_count < GIVEN_MAX) {
        struct scenario_given *g = &a->given[a->given_count++];
        g->key = take_text(&record, FIELD);
        g->at.line = (unsigned)strtoul(take_text(&record, FIELD), NULL, 10);
        g->at.column = (unsigned)strtoul(take_text(&record, FIELD), NULL, 10);
        g->value = take_text(&record, FIELD);
    }
}

static void read_asked(struct asked *a)
{
    char *p = in;
    memset(a, 0, sizeof *a);
    a->request = (struct story_request){.file = "scenario",
                                        .sets = a->sets,
                                        .segments_max = SEGMENTS_MAX,
                                        .instead = ", or `iwarpsim explain` for up to 20000 segments"};
    a->beside = "none";
    while (*p)
        take_record(a, take_text(&p, RECORD));
}

/* ---- what is answered ---- */

static void forget_stories(void)
{
    free(stories_out);
    free(text_out);
    stories_out = text_out = NULL;
    *error = 0;
}

static bool write_stories(struct story *const *stories, int count)
{
    size_t size;
    const struct story_manner manner = story_manner_plain();
    FILE *json = open_memstream(&stories_out, &size);
    if (json) {
        play_stories(json, stories, count);
        fclose(json);
    }
    FILE *text = open_memstream(&text_out, &size);
    if (text) {
        story_print(text, stories[0], &manner);
        fclose(text);
    }
    return json && text;
}

static struct story *run_asked(const struct asked *a, size_t sets_count)
{
    int status;
    struct scenario *s = scenario_from(a->request.file, a->given, a->given_count, a->sets, sets_count, error);
    struct story *story = s ? story_run(s, 0, &a->request, error, &status) : NULL;
    scenario_free(s);
    return story;
}

bool live_scenario(void)
{
    struct asked a;
    struct story *stories[STORIES_MAX] = {NULL};
    forget_stories();
    read_asked(&a);
    size_t sets = a.request.sets_count;
    stories[0] = run_asked(&a, sets);
    const char *beside = stories[0] ? play_beside(stories[0]->receive, a.beside) : "";
    if (*beside) {
        play_beside_sets(beside, a.sets + sets);
        stories[1] = run_asked(&a, sets + PLAY_BESIDE_SETS);
    }
    bool alone =
        !*beside || (!stories[1] && !*a.beside); /* a second that nobody asked for, where it cannot be */
    bool good = stories[0] && (alone || stories[1]) && write_stories(stories, alone ? 1 : 2);
    story_free(stories[0]);
    story_free(stories[1]);
    return good;
}

bool live_capture(size_t len)
{
    int status;
    const char *name = in;
    size_t skip = strlen(in) + 1;
    struct story_request r = {.file = name, .segments_max = SEGMENTS_MAX};
    forget_stories();
    FILE *f = skip < len ? fmemopen(in + skip, len - skip, "rb") : NULL;
    struct capture *c = f ? capture_stream(f, name, error) : NULL;
    struct story *story = c ? story_hear(c, &r, error, &status) : NULL;
    capture_close(c);
    bool good = story && write_stories(&story, 1);
    story_free(story);
    return good;
}

/* ---- many hosts, piece by piece (live_cluster.c) ---- */

static uint32_t seen_count;

bool live_cluster(void)
{
    struct asked a;
    forget_stories();
    read_asked(&a);
    struct scenario *s =
        scenario_from(a.request.file, a.given, a.given_count, a.sets, a.request.sets_count, error);
    bool good = s && live_cluster_open(s, a.request.repeat, error);
    if (!good)
        scenario_free(s);
    return good;
}

bool live_cluster_run(double until)
{
    return live_cluster_go(until);
}

double live_cluster_now(void)
{
    return live_cluster_time();
}

const void *live_cluster_seen(void)
{
    return live_cluster_take(&seen_count);
}

uint32_t live_cluster_count(void)
{
    return seen_count;
}

static bool to_stories(FILE **out)
{
    static size_t size;
    forget_stories();
    *out = open_memstream(&stories_out, &size);
    return *out != NULL;
}

bool live_cluster_state(void)
{
    FILE *out;
    if (!to_stories(&out))
        return false;
    live_cluster_tell(out);
    return fclose(out) == 0;
}

bool live_cluster_end(void)
{
    FILE *out;
    if (!to_stories(&out))
        return false;
    live_cluster_finish(out, error);
    return fclose(out) == 0;
}

/* ---- sheets ---- */

/* As live_scenario(), with records `code CODE` and `draw N N`; live_stories() is what live_sheet_tell() writes. */
bool live_sheet(void)
{
    struct asked a;
    size_t size;
    forget_stories();
    read_asked(&a);
    const struct live_sheet_of of = {.request = &a.request,
                                     .given = a.given,
                                     .given_count = a.given_count,
                                     .code = a.code ? a.code : "",
                                     .draw = {a.draw[0], a.draw[1]}};
    FILE *json = open_memstream(&stories_out, &size);
    bool good = live_sheet_tell(&of, json, error);
    return fclose(json) == 0 && good;
}

/* ---- labs ---- */

bool live_labs(void)
{
    FILE *out;
    if (!to_stories(&out))
        return false;
    live_put_labs(out, strtoull(in, NULL, 10));
    return fclose(out) == 0;
}

double live_lab_point(unsigned lab, unsigned x, unsigned by)
{
    forget_stories();
    return live_lab_value(lab, x, by, error);
}

bool live_lab_judge(void)
{
    FILE *out;
    if (!to_stories(&out))
        return false;
    bool good = live_lab_tell(in, out, error);
    return fclose(out) == 0 && good;
}

/* ---- challenges ---- */

static void put_challenge(FILE *out, unsigned number, uint64_t student)
{
    char text[CHALLENGE_TEXT_MAX];
    size_t count;
    const char *const *base = challenge_base(number, student, &count);
    challenge_text(number, student, text);
    fprintf(out, "%s{\"number\":%u,\"cluster\":%s,\"title\":", number > 1 ? "," : "", number,
            number > CHALLENGES_OF_PAIR ? "true" : "false");
    quote_json(out, challenge_title(number), true);
    fputs(",\"text\":", out);
    quote_json(out, text, true);
    fputs(",\"keys\":", out);
    quote_json(out, challenge_keys(number), true);
    fputs(",\"base\":[", out);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? "," : "", out);
        quote_json(out, base[i], true);
    }
    fputs("]}", out);
}

/* Those of the student whose number was given, as JSON. */
bool live_challenges(void)
{
    size_t size;
    forget_stories();
    FILE *json = open_memstream(&stories_out, &size);
    fputs("[", json);
    for (unsigned i = 1; i <= CHALLENGES; i++)
        put_challenge(json, i, strtoull(in, NULL, 10));
    fputs("]", json);
    return fclose(json) == 0;
}

/* The code that was given: 1 solved, 0 not, -1 not a solution at all; live_text() says why. */
int live_judge(void)
{
    struct challenge c;
    static char room[CHALLENGE_CODE_MAX];
    bool wrong = true;
    forget_stories();
    bool good = challenge_read(in, &c, room, error) && challenge_judge(&c, error, &wrong);
    return wrong ? -1 : good;
}

/* ---- what a page has not ---- */

FILE *story_there(const struct story_request *r, enum point_world world, const char *label, char *why,
                  int *status)
{
    (void)world, (void)label, (void)status;
    snprintf(why, STORY_ERROR_MAX, "%s runs only in the command; a page supports world: fabric", r->file);
    return NULL;
}

const struct size_mix *size_mix_find(const char *beside, const char *name, char *why)
{
    (void)beside;
    snprintf(why, SIZE_MIX_ERROR_MAX, "%.80s: a page reads no files; sizes from a file need the command",
             name);
    return NULL;
}

const struct fates_file *fates_file_find(const char *beside, const char *name, char *why)
{
    (void)beside;
    snprintf(why, FATES_FILE_ERROR_MAX, "%.80s: a page reads no files; fates from a file need the command",
             name);
    return NULL;
}

const struct delay_file *delay_file_find(const char *beside, const char *name, char *why)
{
    (void)beside;
    snprintf(why, DELAY_FILE_ERROR_MAX, "%.80s: a page reads no files; delays from a file need the command",
             name);
    return NULL;
}

const struct goal_file *goal_file_find(const char *beside, const char *name, char *why)
{
    (void)beside;
    snprintf(why, GOAL_ERROR_MAX, "%.80s: a page reads no files; a schedule from a file needs the command",
             name);
    return NULL;
}

const struct matrix_file *matrix_file_find(const char *beside, const char *name, char *why)
{
    (void)beside;
    snprintf(why, MATRIX_ERROR_MAX, "%.80s: a page reads no files; a matrix from a file needs the command",
             name);
    return NULL;
}

const struct topology_file *topology_file_find(const char *beside, const char *name, char *why)
{
    (void)beside;
    snprintf(why, SCENARIO_ERROR_MAX, "%.80s: a page reads no files; networks from a file need the command",
             name);
    return NULL;
}

const struct platform_file *platform_file_find(const char *beside, const char *name, char *error)
{
    (void)beside;
    snprintf(error, SCENARIO_ERROR_MAX, "%.80s: a page reads no files; platforms need the command", name);
    return NULL;
}

/* No library of hashes. What a page runs is told apart by its number: where a name is cut, zeros stand for its sum. */
void sha256_text(const void *octets, size_t size, char out[SHA256_TEXT])
{
    (void)octets, (void)size;
    memset(out, '0', SHA256_TEXT - 1);
    out[SHA256_TEXT - 1] = 0;
}

/* A page has one thread. */
struct team *team_new(unsigned threads, team_work *work, void *context)
{
    (void)threads, (void)work, (void)context;
    return NULL;
}

void team_do(struct team *t, uint32_t pieces)
{
    (void)t, (void)pieces;
}

void team_free(struct team *t)
{
    (void)t;
}

struct captures *captures_open(const char *prefix, uint32_t hosts, const char **why)
{
    (void)prefix, (void)hosts;
    *why = "a page writes no files";
    return NULL;
}

void captures_write(struct captures *c, uint32_t host, iw_time at, const struct ip_packet *packet,
                    uint32_t from, uint32_t to)
{
    (void)c, (void)host, (void)at, (void)packet, (void)from, (void)to;
}

bool captures_close(struct captures *c)
{
    (void)c;
    return true;
}
