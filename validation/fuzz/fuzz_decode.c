/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_decode.c -- any octets as a capture file: the decoder comes to an end, says what it may say and leaks nothing.
 *
 * The TCP checksums of the corpus are zero, as in captures that are taken before the adapter fills them in: else every
 * change of an octet would only make a damaged segment.
 */
#include <stdlib.h>

#include "helpers/capture/decode.h"
#include "helpers/capture/fates.h"

/* Memory for what waits: 16 MiB of it for each direction with markers, new in each run, took most of the time. */
enum { LITTLE = 128 << 10 };

/* What the sink saw; laws are checked as it comes and with the summary. */
struct seen {
    uint64_t connections, messages, violations;
    int conns;
};

static void must(bool law)
{
    if (!law)
        abort();
}

static void connection(void *context, const struct decode_connection *c)
{
    struct seen *s = context;
    must(c->conn == ++s->conns);
    must(c->private_len <= 512);
    s->connections++;
}

static void message(void *context, const struct decode_message *m)
{
    struct seen *s = context;
    must(m->conn >= 1 && m->conn <= s->conns);
    must(m->fpdus >= 1 && m->ooo_fpdus <= m->fpdus);
    must(m->frame_first >= 1 && m->frame_first <= m->frame_last);
    must(m->head.last && m->ctl.opcode < 16);
    must(!m->has_as_siw || m->has_terminate);
    must(!m->believe_siw || m->has_as_siw);
    s->messages++;
}

static void violation(void *context, const struct decode_violation *v)
{
    struct seen *s = context;
    must(v->conn >= 1 && v->conn <= s->conns);
    must(v->what && v->requirement && v->frame >= 1);
    s->violations++;
}

static void summary(void *context, const struct decode_summary *d)
{
    const struct seen *s = context;
    must(d->connections == s->connections && d->messages == s->messages && d->violations == s->violations);
    must(d->messages <= d->fpdus && d->crc_bad <= d->fpdus && d->terminates <= d->messages);
    must(d->file.segments <= d->file.frames);
}

static void decode(const uint8_t *data, size_t size, const struct decode_options *options)
{
    char error[CAPTURE_ERROR_MAX];
    struct seen seen = {0};
    const struct decode_sink sink = {.context = &seen,
                                     .connection = connection,
                                     .message = message,
                                     .violation = violation,
                                     .summary = summary};
    FILE *file = fmemopen((void *)(uintptr_t)data, size, "rb");
    struct capture *capture = file ? capture_stream(file, "fuzz", error) : NULL;
    if (!capture)
        return;
    decode_capture(capture, options, &sink, NULL, error);
    capture_close(capture);
}

/* ---- the fates of its packets ---- */

/* Who was lost came neither late nor twice; late is who was overtaken. */
static void check_fates(const struct fates *f)
{
    must(f->conn >= 1 && f->conn <= f->conns);
    for (size_t i = 0; i < f->count; i++) {
        const struct fates_packet *p = &f->packets[i];
        must(!p->lost || !(p->overtaken || p->late_ns || p->twice));
        must(p->overtaken < f->count && (p->overtaken || !p->late_ns));
    }
}

static struct capture *captured(const uint8_t *data, size_t size)
{
    char error[CAPTURE_ERROR_MAX];
    FILE *file = fmemopen((void *)(uintptr_t)data, size, "rb");
    return file ? capture_stream(file, "fuzz", error) : NULL;
}

static void tell_fates(const uint8_t *data, size_t size)
{
    char error[CAPTURE_ERROR_MAX];
    for (int way = 0; way < 3; way++) { /* the receiver's, the sender's, both ends' the same */
        struct capture *c = captured(data, size), *other = way == 2 ? captured(data, size) : NULL;
        struct fates f = {0};
        if (c && (other ? fates_of_two(c, other, 0, &f, error)
                        : fates_of_one(c, way ? FATES_SENDER : FATES_RECEIVER, 0, &f, error)))
            check_fates(&f);
        free(f.packets);
        capture_close(c);
        capture_close(other);
    }
}

/* What is freed is lent again soon, or every run would begin with fresh pages of the system. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "quarantine_size_mb=4:max_malloc_fill_size=0";
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct decode_options plain = {.memory = LITTLE},
                                assumed = {
                                    .memory = LITTLE,
                                    .assume = {.given = true, .crc = size & 1, .markers = (size & 30) == 2}};
    if (!size)
        return 0;
    decode(data, size, &plain);
    decode(data, size, &assumed);
    tell_fates(data, size);
    return 0;
}
