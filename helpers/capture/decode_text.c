/* SPDX-License-Identifier: GPL-2.0-or-later */
/* decode_text.c -- one line per RDMA message, 100 columns wide, for a reader who learns. */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "helpers/capture/decode.h"
#include "helpers/capture/decode_rules.h"

enum { TIME_WIDTH = 12, INDENT = 30, LINE_WIDTH = 100, DETAIL_MAX = 512 };

static const char columns[] =
    "  conn        time   frame    message            octets  where                       segs early  crc\n";

/* Seconds with six decimals. */
static void put_time(FILE *f, int64_t ns)
{
    char text[40];
    uint64_t size = (ns < 0 ? -(uint64_t)ns : (uint64_t)ns) / 1000;
    snprintf(text, sizeof text, "%s%" PRIu64 ".%06" PRIu64, ns < 0 ? "-" : "", size / 1000000,
             size % 1000000);
    fprintf(f, "%*s", TIME_WIDTH, text);
}

/* Text that begins in column INDENT, broken between words where the line would be too long. */
static void put_wrapped(FILE *f, const char *text)
{
    int indent = INDENT;
    for (bool first = true; *text; first = false) {
        size_t room = (size_t)(LINE_WIDTH - indent), n = strlen(text);
        if (n > room) {
            for (n = room; n && text[n] != ' ';)
                n--;
            n = n ? n : room;
        }
        fprintf(f, "%*s%.*s\n", first ? 0 : indent, "", (int)n, text);
        text += n + (text[n] == ' ');
        indent = INDENT + 2;
    }
}

void decode_text_detail(FILE *f, const char *format, ...)
{
    char text[DETAIL_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(f, "%*s", INDENT, "");
    put_wrapped(f, text);
}

static const char *markers_text(const bool markers[2])
{
    static const char *const text[] = {"no markers", "markers ->", "markers <-", "markers both ways"};
    return text[markers[DECODE_I2R] + 2 * markers[DECODE_R2I]];
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

void decode_text_connection(FILE *f, const struct decode_connection *c)
{
    char initiator[CAPTURE_END_TEXT], responder[CAPTURE_END_TEXT];
    capture_end_text(&c->initiator, initiator);
    capture_end_text(&c->responder, responder);
    fprintf(f, "\nconnection %d: initiator %s -> responder %s\n  MPA ", c->conn, initiator, responder);
    if (c->mpa_rev != DECODE_UNKNOWN)
        fprintf(f, "revision %d%s, ", c->mpa_rev, c->enhanced ? " enhanced" : "");
    fprintf(f, "CRC %s, %s", c->crc ? "on" : "off", markers_text(c->markers));
    if (c->ird != DECODE_UNKNOWN)
        fprintf(f, ", IRD %d ORD %d", c->ird, c->ord);
    if (c->private_len)
        fprintf(f, ", %" PRIu32 " octets of private data", c->private_len);
    if (*start_text(c))
        fprintf(f, "\n  %s", start_text(c));
    fprintf(f, "\n");
}

static void connection(void *context, const struct decode_connection *c)
{
    if (c->conn == 1)
        fputs(columns, context);
    decode_text_connection(context, c);
}

static void put_where(FILE *f, const struct decode_message *m)
{
    char text[64];
    if (m->head.tagged)
        snprintf(text, sizeof text, "%08" PRIx32 ":%" PRIx64, m->head.stag, m->to);
    else
        snprintf(text, sizeof text, "QN %" PRIu32 " MSN %" PRIu32, m->head.qn, m->head.msn);
    fprintf(f, "  %-26s", text);
}

static void put_read_req(FILE *f, const struct rdmap_read_req *r)
{
    decode_text_detail(f, "reads %" PRIu32 " octets of %08" PRIx32 ":%" PRIx64 " into %08" PRIx32 ":%" PRIx64,
                       r->size, r->src_stag, r->src_to, r->sink_stag, r->sink_to);
}

static void put_atomic_req(FILE *f, const struct rdmap_atomic_req *r)
{
    char text[DETAIL_MAX];
    int n = snprintf(text, sizeof text, "request %" PRIu32 ": %s at %08" PRIx32 ":%" PRIx64 ", ",
                     r->request_id, decode_atomic_name(r->code), r->stag, r->to);
    if (r->code == RDMAP_CMP_SWAP)
        snprintf(text + n, sizeof text - (size_t)n, "%" PRIu64 " becomes %" PRIu64, r->compare, r->data);
    else if (r->code == RDMAP_FETCH_ADD)
        snprintf(text + n, sizeof text - (size_t)n, "adds %" PRIu64, r->data);
    else
        snprintf(text + n, sizeof text - (size_t)n, "data %" PRIu64, r->data);
    decode_text_detail(f, "%s", text);
}

static void put_atomic_resp(FILE *f, const struct rdmap_atomic_resp *r)
{
    decode_text_detail(f, "request %" PRIu32 ": it was %" PRIu64, r->request_id, r->original);
}

static void put_terminate(FILE *f, const char *intro, const struct rdmap_terminate *t)
{
    const struct iw_term_entry *entry = iw_term_entry(t->term);
    decode_text_detail(f, "%s" TERM_TEXT " %s%s%s%s", intro, TERM_PARTS(t->term),
                       entry ? entry->meaning : "not defined", t->m ? ", M" : "", t->d ? ", D" : "",
                       t->r ? ", R" : "");
}

/* The likelier one first. */
static void put_readings(FILE *f, const struct decode_message *m)
{
    bool impossible = m->believe_siw && !iw_term_entry(m->terminate.term);
    if (m->believe_siw)
        put_terminate(f, "in the bit order of Linux siw: ", &m->as_siw);
    put_terminate(f,
                  !m->has_as_siw ? ""
                  : impossible   ? "in RFC 5040's order, impossible: "
                                 : "in RFC 5040's order: ",
                  &m->terminate);
    if (m->has_as_siw && !m->believe_siw)
        put_terminate(f, "in the bit order of Linux siw: ", &m->as_siw);
}

void decode_text_start(FILE *f, int conn, int64_t time_ns, uint64_t frame, enum decode_dir dir)
{
    fprintf(f, "%6d", conn);
    put_time(f, time_ns);
    fprintf(f, " %7" PRIu64 " %s ", frame, dir == DECODE_I2R ? "->" : "<-");
}

static void message(void *context, const struct decode_message *m)
{
    static const char *const crc[] = {"good", "BAD", "off"};
    FILE *f = context;
    char name[DECODE_NAME_MAX];
    decode_text_start(f, m->conn, m->t_last_ns, m->frame_last, m->dir);
    fprintf(f, "%-16s %8" PRIu32, decode_op_name(m->ctl.opcode, DECODE_TEXT, name), m->length);
    put_where(f, m);
    fprintf(f, " %5" PRIu32 " %5" PRIu32 " %4s\n", m->fpdus, m->ooo_fpdus, crc[m->crc]);
    if (m->ctl.opcode == RDMAP_SEND_INV || m->ctl.opcode == RDMAP_SEND_SE_INV)
        decode_text_detail(f, "invalidates STag %08" PRIx32, m->ctl.inval_stag);
    if (m->has_read_req)
        put_read_req(f, &m->read_req);
    if (m->has_atomic_req)
        put_atomic_req(f, &m->atomic_req);
    if (m->has_atomic_resp)
        put_atomic_resp(f, &m->atomic_resp);
    if (m->has_terminate)
        put_readings(f, m);
}

static void violation(void *context, const struct decode_violation *v)
{
    FILE *f = context;
    char text[DETAIL_MAX], value[16] = "";
    if (v->term)
        snprintf(value, sizeof value, " (" TERM_TEXT ")", TERM_PARTS(v->term));
    snprintf(text, sizeof text, "! %s%s, against %s", v->what, value, v->requirement);
    decode_text_start(f, v->conn, v->time_ns, v->frame, v->dir);
    put_wrapped(f, text);
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
    const struct {
        uint64_t n;
        const char *one, *many, *behind;
    } counts[] = {{s->messages, "RDMA message", "RDMA messages", " in "},
                  {s->fpdus, "FPDU", "FPDUs", " on "},
                  {s->connections, "connection", "connections", "; "},
                  {s->violations, "violation", "violations", ", "},
                  {s->terminates, "Terminate", "Terminates", ", "},
                  {s->crc_bad, "bad CRC", "bad CRCs", ".\n"}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (counts[i].n)
            fprintf(f, "%" PRIu64 " %s%s", counts[i].n, counts[i].n == 1 ? counts[i].one : counts[i].many,
                    counts[i].behind);
        else
            fprintf(f, "no %s%s", counts[i].many, counts[i].behind);
    put_if(f, s->resyncs, "time the decoder had to resynchronize.",
           "times the decoder had to resynchronize.");
    put_if(f, s->unfinished, "message is incomplete.", "messages are incomplete.");
    put_if(f, s->unparsed_octets, "octet could not be read.", "octets could not be read.");
    put_if(f, s->missing_octets, "octet of the streams is missing from the file.",
           "octets of the streams are missing from the file.");
    put_if(f, s->wrong_checksums,
           "segment with a wrong TCP checksum was ignored, as its receiver ignores it.",
           "segments with a wrong TCP checksum were ignored, as their receivers ignore them.");
    put_if(f, s->other_tcp - s->other_tcp_joined, "TCP connection does not speak MPA and was left alone.",
           "TCP connections do not speak MPA and were left alone.");
    put_if(f, s->other_tcp_joined,
           "TCP connection began before the capture and was not decoded: without the MPA start-up\n"
           "it is unknown whether CRC and markers are on; set them with --assume markers=off,crc=on.",
           "TCP connections began before the capture and were not decoded: without the MPA start-up\n"
           "it is unknown whether CRC and markers are on; set them with --assume markers=off,crc=on.");
    if (!s->file.segments)
        fprintf(f, "The file holds no TCP.\n");
    put_if(f, s->file.fragments, "IP fragment was not reassembled.", "IP fragments were not reassembled.");
    put_if(f, s->file.malformed, "frame has a broken header.", "frames have a broken header.");
}

const struct decode_sink decode_text = {
    .connection = connection, .message = message, .violation = violation, .summary = summary};
