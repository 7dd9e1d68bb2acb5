/* SPDX-License-Identifier: GPL-2.0-or-later */
/* notes.c -- pcapng, as draft-ietf-opsawg-pcapng has it: a section, an interface, enhanced packets with comments
 * (notes.h). */
#include "helpers/story/notes.h"

#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <pcap/pcap.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/files.h"
#include "helpers/base/list.h"
#include "helpers/scenario/scenario.h"
#include "helpers/story/narrate.h"
#include "helpers/story/story_load.h"

_Static_assert((int)STORY_ERROR_MAX <= (int)SCENARIO_ERROR_MAX, "world_main.h promises no more room");
_Static_assert((int)STORY_ERROR_MAX == (int)NOTES_ERROR_MAX, "both are filled by write_file()");

/* ---- comments ---- */

struct note {
    uint64_t frame;
    char *text;
    size_t size;
    FILE *out;
};

/* By frame number; the last one is the one that is being written. */
struct notes {
    struct note *note;
    size_t count;
};

static FILE *note_for(struct notes *n, uint64_t frame)
{
    if (n->count && n->note[n->count - 1].frame == frame)
        return n->note[n->count - 1].out;
    struct note *more = list_grow(n->note, n->count, sizeof *more);
    if (!more)
        return NULL;
    n->note = more;
    if (n->count)
        fflush(n->note[n->count - 1].out);
    struct note *x = &n->note[n->count];
    *x = (struct note){.frame = frame};
    x->out = open_memstream(&x->text, &x->size);
    n->count += x->out != NULL;
    return x->out;
}

static void notes_free(struct notes *n)
{
    for (size_t i = 0; i < n->count; i++) {
        fclose(n->note[i].out);
        free(n->note[i].text);
    }
    free(n->note);
}

/* What the event's sentence does not have: the frame that was waited for, the frame that ends the waiting. */
static void put_frames(FILE *out, const struct story *s, const struct story_event *e)
{
    const struct story_segment *g = e->segment >= 0 ? &s->segment[e->segment] : NULL;
    if (e->kind != TRACE_PLACED || !g || !e->ooo || g->waits_for < 0)
        return;
    int hole = s->segment[g->waits_for].arrived,
        end = g->message >= 0 ? s->message[g->message].delivered : STORY_NOBODY;
    if (hole >= 0)
        fprintf(out, ", which arrives with frame %" PRIu64, s->event[hole].frame);
    if (end >= 0)
        fprintf(out, "; delivered with frame %" PRIu64, s->event[end].frame);
}

static bool is_noted(enum trace_kind kind)
{
    return kind == TRACE_PLACED || kind == TRACE_DELIVERED || kind == TRACE_TERMINATE_SENT ||
           kind == TRACE_VIOLATION || kind == TRACE_STARTUP || kind == TRACE_REFUSED;
}

static bool gather_notes(struct notes *n, const struct story *s)
{
    struct narration told;
    for (int i = 0; i < s->events; i++) {
        const struct story_event *e = &s->event[i];
        if (!is_noted(e->kind) || !narrate_event(s, i, &told))
            continue;
        FILE *out = note_for(n, e->frame);
        if (!out)
            return false;
        fprintf(out, "%s%c %s", ftell(out) ? "\n" : "", story_side_name(e->side), told.text);
        put_frames(out, s, e);
        if (told.section)
            fprintf(out, " [%s]", told.section);
    }
    if (n->count)
        fflush(n->note[n->count - 1].out);
    return true;
}

/* ---- pcapng ---- */

enum { SECTION = 0x0a0d0d0a, INTERFACE = 1, PACKET = 6, SAME_ENDIAN = 0x1a2b3c4d };
enum { OPTION_END, OPTION_COMMENT, OPTION_RESOLUTION = 9 };

static void put16(FILE *out, uint16_t v)
{
    fwrite(&v, 1, sizeof v, out);
}

static void put32(FILE *out, uint32_t v)
{
    fwrite(&v, 1, sizeof v, out);
}

static void put_padded(FILE *out, const void *octets, size_t len)
{
    fwrite(octets, 1, len, out);
    fwrite("\0\0\0", 1, (0 - len) & 3, out);
}

static uint32_t padded(size_t len)
{
    return (uint32_t)((len + 3) & ~(size_t)3);
}

static void put_section(FILE *out)
{
    enum { SIZE = 28 };
    put32(out, SECTION);
    put32(out, SIZE);
    put32(out, SAME_ENDIAN);
    put16(out, 1);
    put16(out, 0);
    put32(out, UINT32_MAX); /* the section's length is not known */
    put32(out, UINT32_MAX);
    put32(out, SIZE);
}

/* Time stamps in nanoseconds. */
static void put_interface(FILE *out, int link, int snaplen)
{
    enum { SIZE = 32 };
    const uint8_t nanoseconds = 9;
    put32(out, INTERFACE);
    put32(out, SIZE);
    put16(out, (uint16_t)link);
    put16(out, 0);
    put32(out, (uint32_t)snaplen);
    put16(out, OPTION_RESOLUTION);
    put16(out, 1);
    put_padded(out, &nanoseconds, 1);
    put16(out, OPTION_END);
    put16(out, 0);
    put32(out, SIZE);
}

static void put_packet(FILE *out, const struct pcap_pkthdr *h, const uint8_t *octets, const struct note *note)
{
    enum { FIXED = 32, COMMENT_MAX = 65000 };
    size_t comment = note ? note->size < COMMENT_MAX ? note->size : COMMENT_MAX : 0;
    uint64_t ns = (uint64_t)h->ts.tv_sec * 1000000000u + (uint64_t)h->ts.tv_usec;
    uint32_t size = FIXED + padded(h->caplen) + (comment ? 8 + padded(comment) : 0);
    put32(out, PACKET);
    put32(out, size);
    put32(out, 0);
    put32(out, (uint32_t)(ns >> 32));
    put32(out, (uint32_t)ns);
    put32(out, h->caplen);
    put32(out, h->len);
    put_padded(out, octets, h->caplen);
    if (comment) {
        put16(out, OPTION_COMMENT);
        put16(out, (uint16_t)comment);
        put_padded(out, note->text, comment);
        put16(out, OPTION_END);
        put16(out, 0);
    }
    put32(out, size);
}

/* ---- a whole file ---- */

static bool copy_packets(pcap_t *in, FILE *out, const struct notes *n)
{
    struct pcap_pkthdr *h;
    const uint8_t *octets;
    size_t next = 0;
    int got;
    put_section(out);
    put_interface(out, pcap_datalink(in), pcap_snapshot(in));
    for (uint64_t frame = 1; (got = pcap_next_ex(in, &h, &octets)) == 1; frame++) {
        bool noted = next < n->count && n->note[next].frame == frame;
        put_packet(out, h, octets, noted ? &n->note[next] : NULL);
        next += noted;
    }
    return got == PCAP_ERROR_BREAK && !ferror(out);
}

static bool write_file(const char *from, const char *to, const struct notes *n, char *error)
{
    char why[PCAP_ERRBUF_SIZE];
    struct whole_file file;
    pcap_t *in = pcap_open_offline_with_tstamp_precision(from, PCAP_TSTAMP_PRECISION_NANO, why);
    if (!in) {
        snprintf(error, STORY_ERROR_MAX, "%s: %s", from, why);
        return false;
    }
    bool good = file_begin(&file, to), copied = good && copy_packets(in, file.out, n);
    if (good && !copied)
        file_abandon(&file);
    good = copied && file_commit(&file, false);
    pcap_close(in);
    if (!good)
        snprintf(error, STORY_ERROR_MAX, "%s cannot be written: %s", to, strerror(errno));
    return good;
}

bool notes_write(const char *from, const char *to, char *error)
{
    int status;
    struct notes n = {0};
    const struct story_request r = {.file = from, .segments_max = UINT32_MAX};
    struct story *s = story_listen(&r, error, &status);
    if (!s)
        return false;
    bool good = gather_notes(&n, s);
    if (!good)
        snprintf(error, STORY_ERROR_MAX, "out of memory for the notes to %s", from);
    story_free(s);
    good = good && write_file(from, to, &n, error);
    notes_free(&n);
    return good;
}

static int by_frame(const void *a, const void *b)
{
    const struct note_line *x = a, *y = b;
    int frames = (x->frame > y->frame) - (x->frame < y->frame);
    return frames ? frames : (x->order > y->order) - (x->order < y->order);
}

bool notes_write_lines(const char *from, const char *to, struct note_line *line, size_t lines, char *error)
{
    struct notes n = {0};
    bool good = true;
    if (lines)
        qsort(line, lines, sizeof *line, by_frame);
    for (size_t i = 0; good && i < lines; i++) {
        FILE *out = note_for(&n, line[i].frame);
        good = out && fprintf(out, "%s%s", ftell(out) ? "\n" : "", line[i].text) >= 0;
    }
    if (n.count)
        fflush(n.note[n.count - 1].out);
    if (!good)
        snprintf(error, NOTES_ERROR_MAX, "out of memory for the notes to %s", from);
    good = good && write_file(from, to, &n, error);
    notes_free(&n);
    return good;
}

bool notes_write_all(const char *prefix, char *error)
{
    char pattern[PATH_LONG + 16], to[PATH_LONG + 16];
    glob_t found;
    bool good = true;
    snprintf(pattern, sizeof pattern, "%s-h*.pcap", prefix);
    if (glob(pattern, 0, NULL, &found) != 0) {
        snprintf(error, STORY_ERROR_MAX, "the capture %.900s is missing", pattern);
        return false;
    }
    for (size_t i = 0; good && i < found.gl_pathc; i++) {
        snprintf(to, sizeof to, "%sng", found.gl_pathv[i]);
        good = notes_write(found.gl_pathv[i], to, error);
    }
    globfree(&found);
    return good;
}
