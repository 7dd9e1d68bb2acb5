/* SPDX-License-Identifier: GPL-2.0-or-later */
/* decode_text.c -- one line per RDMA message, 100 columns wide, for a reader who learns. */
#include <inttypes.h>
#include <string.h>

#include "helpers/decode.h"

enum { TIME_WIDTH = 12 };

/* Seconds with six decimals. */
static void put_time(FILE *f, int64_t ns)
{
    char text[40];
    uint64_t size = (ns < 0 ? -(uint64_t)ns : (uint64_t)ns) / 1000;
    snprintf(text, sizeof text, "%s%" PRIu64 ".%06" PRIu64, ns < 0 ? "-" : "", size / 1000000, size % 1000000);
    fprintf(f, "%*s", TIME_WIDTH, text);
}

static const char *arrow(enum decode_dir dir)
{
    return dir == DECODE_I2R ? "->" : "<-";
}

/* Everything below a message line or connection line hangs here. */
static void put_detail(FILE *f)
{
    fprintf(f, "%28s", "");
}

static const char *markers_text(const bool markers[2])
{
    static const char *const text[] = {"no markers", "markers ->", "markers <-", "markers both ways"};
    return text[markers[DECODE_I2R] + 2 * markers[DECODE_R2I]];
}

/* What is printable of the private data, in quotes, else its length only. */
static void put_private(FILE *f, const struct decode_connection *c)
{
    fprintf(f, ", %" PRIu32 " octets of private data", c->private_len);
}

static const char *start_text(const struct decode_connection *c)
{
    if (c->assumed && !c->request && !c->reply)
        return "start-up not captured, settings as assumed";
    if (!c->reply)
        return "no MPA Reply seen";
    if (!c->request)
        return "no MPA Request seen";
    return c->rejected ? "rejected by the responder" : "";
}

static void connection(void *context, const struct decode_connection *c)
{
    FILE *f = context;
    char initiator[CAPTURE_END_TEXT], responder[CAPTURE_END_TEXT];
    capture_end_text(&c->initiator, initiator);
    capture_end_text(&c->responder, responder);
    fprintf(f, "\nconnection %d: initiator %s -> responder %s\n  MPA ", c->conn, initiator, responder);
    if (c->mpa_rev != DECODE_UNKNOWN)
        fprintf(f, "revision %d%s, ", c->mpa_rev, c->enhanced ? " enhanced" : "");
    fprintf(f, "CRC %s, %s", c->crc ? "on" : "off", markers_text(c->markers));
    if (c->ird != DECODE_UNKNOWN)
        fprintf(f, ", IRD %d ORD %d", c->ird, c->ord);
    put_private(f, c);
    if (*start_text(c))
        fprintf(f, "\n  %s", start_text(c));
    fprintf(f, "\n  %s", "conn        time   frame    message            octets  where                         segs early  crc\n");
}

static void put_where(FILE *f, const struct decode_message *m)
{
    char text[64];
    if (m->head.tagged)
        snprintf(text, sizeof text, "%08" PRIx32 ":%" PRIx64, m->head.stag, m->to);
    else if (m->ctl.opcode == RDMAP_SEND_INV || m->ctl.opcode == RDMAP_SEND_SE_INV)
        snprintf(text, sizeof text, "QN %" PRIu32 " MSN %" PRIu32 " inv %08" PRIx32, m->head.qn, m->head.msn, m->ctl.inval_stag);
    else
        snprintf(text, sizeof text, "QN %" PRIu32 " MSN %" PRIu32, m->head.qn, m->head.msn);
    fprintf(f, "  %-28s", text);
}

static void put_read_req(FILE *f, const struct rdmap_read_req *r)
{
    put_detail(f);
    fprintf(f, "reads %" PRIu32 " octets of %08" PRIx32 ":%" PRIx64 "\n", r->size, r->src_stag, r->src_to);
    put_detail(f);
    fprintf(f, "into %08" PRIx32 ":%" PRIx64 "\n", r->sink_stag, r->sink_to);
}

static void put_terminate(FILE *f, const char *intro, const struct rdmap_terminate *t)
{
    const struct iw_term_entry *entry = iw_term_entry(t->term);
    put_detail(f);
    fprintf(f, "%s%d/%d/%02x %s%s%s%s\n", intro, IW_TERM_LAYER(t->term), IW_TERM_ETYPE(t->term),
            (unsigned)IW_TERM_CODE(t->term), entry ? entry->meaning : "not defined", t->m ? ", M" : "", t->d ? ", D" : "",
            t->r ? ", R" : "");
}

static void message(void *context, const struct decode_message *m)
{
    static const char *const crc[] = {"good", "BAD", "off"};
    FILE *f = context;
    char name[DECODE_NAME_MAX];
    fprintf(f, "%6d", m->conn);
    put_time(f, m->t_last_ns);
    fprintf(f, " %7" PRIu64 " %s %-16s %8" PRIu32, m->frame_last, arrow(m->dir), decode_op_text(m->ctl.opcode, name), m->length);
    put_where(f, m);
    fprintf(f, " %5" PRIu32 " %5" PRIu32 " %4s\n", m->fpdus, m->ooo_fpdus, crc[m->crc]);
    if (m->has_read_req)
        put_read_req(f, &m->read_req);
    if (m->has_terminate && !m->has_as_siw)
        put_terminate(f, "", &m->terminate);
    if (m->has_as_siw) {
        put_terminate(f, "as Linux siw orders the bits: ", &m->as_siw);
        put_terminate(f, "by RFC 5040, impossible: ", &m->terminate);
    }
}

static void violation(void *context, const struct decode_violation *v)
{
    FILE *f = context;
    put_detail(f);
    fprintf(f, "! %s %s", arrow(v->dir), v->what);
    if (v->term)
        fprintf(f, " (%d/%d/%02x)", IW_TERM_LAYER(v->term), IW_TERM_ETYPE(v->term), (unsigned)IW_TERM_CODE(v->term));
    fprintf(f, "\n");
    put_detail(f);
    fprintf(f, "  frame %" PRIu64 ", connection %d, against %s\n", v->frame, v->conn, v->requirement);
}

static void note(void *context, int conn, const char *text)
{
    FILE *f = context;
    put_detail(f);
    fprintf(f, "(connection %d: %s)\n", conn, text);
}

/* "3 messages", "1 message", "no messages": comma and line break are the caller's. */
static void put_count(FILE *f, uint64_t n, const char *one, const char *many)
{
    if (n)
        fprintf(f, "%" PRIu64 " %s", n, n == 1 ? one : many);
    else
        fprintf(f, "no %s", many);
}

/* A sentence for what is not zero. */
static void put_if(FILE *f, uint64_t n, const char *one, const char *many)
{
    if (n)
        fprintf(f, "%" PRIu64 " %s\n", n, n == 1 ? one : many);
}

static void summary(void *context, const struct decode_summary *s)
{
    FILE *f = context;
    fprintf(f, "\n");
    put_count(f, s->messages, "RDMA message", "RDMA messages");
    fprintf(f, " in ");
    put_count(f, s->fpdus, "FPDU", "FPDUs");
    fprintf(f, " on ");
    put_count(f, s->connections, "connection", "connections");
    fprintf(f, "; ");
    put_count(f, s->violations, "violation", "violations");
    fprintf(f, ", ");
    put_count(f, s->terminates, "Terminate", "Terminates");
    fprintf(f, ", ");
    put_count(f, s->crc_bad, "bad CRC", "bad CRCs");
    fprintf(f, ".\n");
    put_if(f, s->resyncs, "place had to be found again.", "places had to be found again.");
    put_if(f, s->unparsed_octets, "octet could not be read.", "octets could not be read.");
    put_if(f, s->missing_octets, "octet was acknowledged but is not in the file.", "octets were acknowledged but are not in the file.");
    put_if(f, s->wrong_checksums, "segment with a wrong TCP checksum was ignored, as its receiver must.",
           "segments with a wrong TCP checksum were ignored, as their receiver must.");
    put_if(f, s->other_tcp - s->other_tcp_joined, "TCP connection does not speak MPA and was left alone.",
           "TCP connections do not speak MPA and were left alone.");
    put_if(f, s->other_tcp_joined, "TCP connection began before the capture and was not decoded: without the MPA start-up\n"
           "nobody knows whether CRC and markers are on. --assume markers=off,crc=on says it.",
           "TCP connections began before the capture and were not decoded: without the MPA start-up\n"
           "nobody knows whether CRC and markers are on. --assume markers=off,crc=on says it.");
    put_if(f, s->file.fragments, "IP fragment was not put together.", "IP fragments were not put together.");
    put_if(f, s->file.malformed, "frame has a broken header.", "frames have a broken header.");
}

const struct decode_sink decode_text = {.connection = connection,
                                        .message = message,
                                        .violation = violation,
                                        .note = note,
                                        .summary = summary};
