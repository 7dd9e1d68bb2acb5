/* SPDX-License-Identifier: GPL-2.0-or-later */
/* decode_json.c -- one JSON object per line. */
#include <inttypes.h>

#include "helpers/capture/decode.h"
#include "helpers/capture/decode_rules.h"

static const char *dir_name(enum decode_dir dir)
{
    return dir == DECODE_I2R ? "i2r" : "r2i";
}

static const char *truth(bool b)
{
    return b ? "true" : "false";
}

/* Seconds with nine decimals, exact. */
static void put_time(FILE *f, const char *name, int64_t ns)
{
    uint64_t size = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
    fprintf(f, ",\"%s\":%s%" PRIu64 ".%09" PRIu64, name, ns < 0 ? "-" : "", size / 1000000000,
            size % 1000000000);
}

static void put_known(FILE *f, const char *name, int value)
{
    if (value == DECODE_UNKNOWN)
        fprintf(f, ",\"%s\":null", name);
    else
        fprintf(f, ",\"%s\":%d", name, value);
}

static void put_end(FILE *f, const char *name, const struct capture_end *end)
{
    char text[CAPTURE_END_TEXT];
    capture_end_text(end, text);
    fprintf(f, ",\"%s\":\"%s\"", name, text);
}

static void put_hex(FILE *f, const char *name, const uint8_t *octets, uint32_t len)
{
    fprintf(f, ",\"%s\":\"", name);
    for (uint32_t i = 0; i < len; i++)
        fprintf(f, "%02x", octets[i]);
    fprintf(f, "\"");
}

static void connection(void *context, const struct decode_connection *c)
{
    FILE *f = context;
    fprintf(f, "{\"conn\":%d", c->conn);
    put_end(f, "initiator", &c->initiator);
    put_end(f, "responder", &c->responder);
    put_known(f, "mpa_rev", c->mpa_rev);
    fprintf(f, ",\"markers_i2r\":%s,\"markers_r2i\":%s", truth(c->markers[DECODE_I2R]),
            truth(c->markers[DECODE_R2I]));
    fprintf(f, ",\"crc\":%s,\"enhanced\":%s", truth(c->crc), truth(c->enhanced));
    put_known(f, "ird", c->ird);
    put_known(f, "ord", c->ord);
    put_hex(f, "private_data", c->private_data, c->private_len);
    fprintf(f, ",\"rejected\":%s,\"assumed\":%s}\n", truth(c->rejected), truth(c->assumed));
}

/* With the headers it carries, as far as they are there. */
static void put_terminate(FILE *f, const struct rdmap_terminate *t)
{
    fprintf(f, "\"layer\":%d,\"etype\":%d,\"code\":%d,\"m\":%d,\"d\":%d,\"r\":%d", IW_TERM_LAYER(t->term),
            IW_TERM_ETYPE(t->term), IW_TERM_CODE(t->term), t->m, t->d, t->r);
    if (t->m)
        fprintf(f, ",\"segment_length\":%u", t->segment_len);
    if (t->d && t->head_len)
        put_hex(f, "header", t->head, t->head_len);
    if (t->r)
        put_hex(f, "read_request", t->read_req, IW_READ_REQ_SIZE);
}

static void put_read_req(FILE *f, const struct rdmap_read_req *r)
{
    fprintf(f, ",\"sink_stag\":%" PRIu32 ",\"sink_to\":%" PRIu64 ",\"size\":%" PRIu32, r->sink_stag,
            r->sink_to, r->size);
    fprintf(f, ",\"src_stag\":%" PRIu32 ",\"src_to\":%" PRIu64, r->src_stag, r->src_to);
}

/* `data` and `mask` of a CmpSwap are what is swapped in. */
static void put_atomic_req(FILE *f, const struct rdmap_atomic_req *r)
{
    fprintf(
        f, ",\"atomic\":\"%s\",\"request_id\":%" PRIu32 ",\"remote_stag\":%" PRIu32 ",\"remote_to\":%" PRIu64,
        decode_atomic_name(r->code), r->request_id, r->stag, r->to);
    fprintf(f, ",\"data\":%" PRIu64 ",\"mask\":%" PRIu64, r->data, r->mask);
    if (r->code == RDMAP_CMP_SWAP)
        fprintf(f, ",\"compare\":%" PRIu64 ",\"compare_mask\":%" PRIu64, r->compare, r->compare_mask);
}

static bool invalidates(const struct decode_message *m)
{
    return m->ctl.opcode == RDMAP_SEND_INV || m->ctl.opcode == RDMAP_SEND_SE_INV;
}

static const char *const crc_names[] = {"good", "bad", "off"};

static void put_place(FILE *f, const struct ddp_head *h, uint64_t to)
{
    if (h->tagged)
        fprintf(f, ",\"stag\":%" PRIu32 ",\"to\":%" PRIu64, h->stag, to);
    else
        fprintf(f, ",\"qn\":%" PRIu32 ",\"msn\":%" PRIu32 ",\"mo\":%" PRIu32, h->qn, h->msn, h->mo);
}

static void segment(void *context, const struct decode_segment *s)
{
    FILE *f = context;
    const struct ddp_head *h = &s->head;
    char name[DECODE_NAME_MAX];
    fprintf(f, "{\"segment\":{\"conn\":%d,\"dir\":\"%s\",\"key\":%" PRIu64 ",\"end\":%" PRIu64, s->conn,
            dir_name(s->dir), s->key, s->end);
    fprintf(f, ",\"frame_first\":%" PRIu64 ",\"frame_last\":%" PRIu64, s->frame_first, s->frame_last);
    put_time(f, "t_first", s->t_first_ns);
    fprintf(f, ",\"ulpdu\":%" PRIu32 ",\"ahead\":%s,\"crc\":\"%s\"", s->ulpdu_len, truth(s->ahead),
            crc_names[s->crc]);
    if (s->readable)
        fprintf(f, ",\"last\":%s,\"op\":\"%s\"", truth(h->last),
                decode_op_name(s->ctl.opcode, DECODE_JSON, name));
    if (s->readable)
        put_place(f, h, h->to);
    fprintf(f, "}}\n");
}

static void message(void *context, const struct decode_message *m)
{
    FILE *f = context;
    char name[DECODE_NAME_MAX];
    fprintf(f, "{\"conn\":%d,\"dir\":\"%s\",\"op\":\"%s\"", m->conn, dir_name(m->dir),
            decode_op_name(m->ctl.opcode, DECODE_JSON, name));
    fprintf(f, ",\"frame_first\":%" PRIu64 ",\"frame_last\":%" PRIu64, m->frame_first, m->frame_last);
    put_time(f, "t_first", m->t_first_ns);
    put_time(f, "t_last", m->t_last_ns);
    put_place(f, &m->head, m->to);
    if (invalidates(m) && !m->head.tagged)
        fprintf(f, ",\"inval_stag\":%" PRIu32, m->ctl.inval_stag);
    fprintf(f, ",\"length\":%" PRIu32 ",\"fpdus\":%" PRIu32 ",\"ooo_fpdus\":%" PRIu32, m->length, m->fpdus,
            m->ooo_fpdus);
    fprintf(f, ",\"crc\":\"%s\"", crc_names[m->crc]);
    if (m->has_read_req)
        put_read_req(f, &m->read_req);
    if (m->has_atomic_req)
        put_atomic_req(f, &m->atomic_req);
    if (m->has_atomic_resp)
        fprintf(f, ",\"request_id\":%" PRIu32 ",\"original\":%" PRIu64, m->atomic_resp.request_id,
                m->atomic_resp.original);
    if (m->has_terminate) {
        fprintf(f, ",");
        put_terminate(f, &m->terminate);
    }
    if (m->has_as_siw) {
        fprintf(f, ",\"as_siw\":{");
        put_terminate(f, &m->as_siw);
        fprintf(f, "},\"believed\":\"%s\"", m->believe_siw ? "siw" : "rfc");
    }
    fprintf(f, "}\n");
}

static void violation(void *context, const struct decode_violation *v)
{
    fprintf(context, "{\"violation\":\"%s", v->what);
    if (v->term)
        fprintf(context, " (" TERM_TEXT ")", TERM_PARTS(v->term));
    fprintf(context, "\",\"conn\":%d,\"dir\":\"%s\",\"frame\":%" PRIu64 ",\"requirement\":\"%s\"}\n", v->conn,
            dir_name(v->dir), v->frame, v->requirement);
}

static void summary(void *context, const struct decode_summary *s)
{
    fprintf(context,
            "{\"summary\":{\"messages\":%" PRIu64 ",\"fpdus\":%" PRIu64 ",\"crc_bad\":%" PRIu64
            ",\"terminates\":%" PRIu64 ",\"violations\":%" PRIu64 ",\"resyncs\":%" PRIu64
            ",\"unparsed_octets\":%" PRIu64 "}}\n",
            s->messages, s->fpdus, s->crc_bad, s->terminates, s->violations, s->resyncs, s->unparsed_octets);
}

const struct decode_sink decode_json = {
    .connection = connection, .message = message, .violation = violation, .summary = summary};

const struct decode_sink decode_json_segments = {.connection = connection,
                                                 .segment = segment,
                                                 .message = message,
                                                 .violation = violation,
                                                 .summary = summary};
