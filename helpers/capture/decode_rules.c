/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/capture/decode_rules.h"

#include <stdio.h>
#include <string.h>

#include "engine/rdmap.h"

/* Which segments a row is about. */
enum { ANY = 0, SHORT = 1, OWN_PLACE = 2, RESERVED = 4, WRONG_T = 8, QN_KNOWN = 16 };

/* The first row that fits wins. */
/* clang-format off */
static const struct row {
    int term;
    int opcode;  /* -1: any */
    unsigned of; /* ANY, or one of the bits must hold */
    enum decode_basis basis;
    const char *requirement, *what; /* what NULL: the meaning that the error itself has */
} rows[] = {
    {IW_T_DDP_CATASTROPHIC,      -1,              SHORT,     BASIS_SEGMENT, "DDP-4.4-1",      "ULPDU shorter than a DDP header"},
    {IW_T_DDP_CATASTROPHIC,      -1,              ANY,       BASIS_RUN,     "DDP-4.2-5",      "segment does not continue the current message"},
    {IW_T_DDP_VERSION_TAGGED,    -1,              ANY,       BASIS_SEGMENT, "DDP-4.1-12",     NULL},
    {IW_T_DDP_VERSION_UNTAGGED,  -1,              ANY,       BASIS_SEGMENT, "DDP-4.1-12",     NULL},
    {IW_T_DDP_QN,                -1,              QN_KNOWN,  BASIS_RUN,     "DDP-4.3-7",      "QN changes inside a message"},
    {IW_T_DDP_QN,                -1,              ANY,       BASIS_SEGMENT, "DDP-7.1-U1",     NULL},
    {IW_T_DDP_NO_BUFFER,         RDMAP_READ_REQ,  ANY,       BASIS_READS,   "RDMAP-6.1-6",    "more RDMA Reads outstanding than IRD allows"},
    {IW_T_DDP_NO_BUFFER,         -1,              ANY,       BASIS_QUEUE,   "DDP-7.1-U2",     NULL},
    {IW_T_DDP_MSN_RANGE,         -1,              ANY,       BASIS_QUEUE,   "DDP-7.1-U5",     "MSN is not the next one of its queue"},
    {IW_T_DDP_MO,                -1,              ANY,       BASIS_RUN,     "DDP-5.2-6",      "MO does not follow the octets before it"},
    {IW_T_DDP_TOO_LONG,          -1,              ANY,       BASIS_RUN,     "DDP-7.1-U4",     NULL},
    {IW_T_DDP_STAG,              RDMAP_READ_RESP, ANY,       BASIS_READS,   "RDMAP-5.2.2-8",  "Read Response to another STag than the Read named"},
    {IW_T_DDP_STAG,              -1,              ANY,       BASIS_RUN,     "DDP-4.2-10",     "STag changes inside a message"},
    {IW_T_DDP_BOUNDS,            RDMAP_READ_RESP, ANY,       BASIS_READS,   "RDMAP-5.2.2-8",  "Read Response does not match its Read Request"},
    {IW_T_DDP_BOUNDS,            -1,              ANY,       BASIS_RUN,     "DDP-5.2-8",      "TO does not follow the octets before it"},
    {IW_T_DDP_WRAP,              -1,              ANY,       BASIS_SEGMENT, "DDP-7.1-T5",     NULL},
    {IW_T_RDMA_VERSION,          RDMAP_READ_REQ,  ANY,       BASIS_SEGMENT, "RDMAP-7.2-R3",   NULL},
    {IW_T_RDMA_VERSION,          -1,              ANY,       BASIS_SEGMENT, "RDMAP-7.2-3",    NULL},
    {IW_T_RDMA_OPCODE,           -1,              RESERVED,  BASIS_SEGMENT, "RDMAP-7.2-2",    "opcode that no RFC defines"},
    {IW_T_RDMA_OPCODE,           -1,              WRONG_T,   BASIS_SEGMENT, "RDMAP-4.1-5",    "T bit contradicts the opcode"},
    {IW_T_RDMA_OPCODE,           RDMAP_READ_RESP, ANY,       BASIS_READS,   "RDMAP-5.2.2-5",  "Read Response without a Read Request"},
    {IW_T_RDMA_OPCODE,           RDMAP_ATOMIC_REQ, OWN_PLACE, BASIS_SEGMENT, "EXT-5.2.1-4",   "Atomic Operation Code that RFC 7306 does not define"},
    {IW_T_RDMA_OPCODE,           -1,              OWN_PLACE, BASIS_RUN,     "DDP-4.3-5",      "opcode changes inside a message"},
    {IW_T_RDMA_OPCODE,           RDMAP_READ_REQ,  ANY,       BASIS_SEGMENT, "RDMAP-5.2.1-6a", "Read Request on another queue than QN 1"},
    {IW_T_RDMA_OPCODE,           RDMAP_TERMINATE, ANY,       BASIS_SEGMENT, "RDMAP-5.4-2",    "Terminate on another queue than QN 2"},
    {IW_T_RDMA_OPCODE,           -1,              ANY,       BASIS_SEGMENT, "RDMAP-5.3-9",    "opcode on a wrong queue"},
    {IW_T_RDMA_OPERATION,        RDMAP_READ_REQ,  ANY,       BASIS_SEGMENT, "RDMAP-4.2-1",    "Read Request is not one segment of 28 octets"},
    {IW_T_RDMA_OPERATION,        -1,              ANY,       BASIS_SEGMENT, "RDMAP-4.2-1",    "message of a size that its opcode does not allow"},
    {IW_T_RDMA_WRAP,             -1,              ANY,       BASIS_SEGMENT, "RDMAP-7.2-R4e",  NULL},
    {IW_T_LLP_CRC,               -1,              ANY,       BASIS_SEGMENT, "MPA-4.4-3",      NULL},
    {IW_T_LLP_MARKER,            -1,              ANY,       BASIS_SEGMENT, "MPA-8-1",        NULL},
};
/* clang-format on */

/* What holds for this segment, as the bits of `of`. */
static unsigned traits(const struct ddp_head *head, const struct rdmap_ctl *ctl)
{
    if (!head)
        return SHORT;
    unsigned of = !head->tagged && head->qn < RDMAP_QUEUES ? QN_KNOWN : 0;
    if (ctl->opcode >= RDMAP_OPCODES || (ctl->opcode > RDMAP_TERMINATE && head->version == 0))
        return of | RESERVED;
    const struct rdmap_rule *rule = &rdmap_rules[ctl->opcode];
    if (rule->tagged != head->tagged)
        return of | WRONG_T;
    return rule->tagged || rule->qn == head->qn ? of | OWN_PLACE : of;
}

static const char *meaning(int term)
{
    const struct iw_term_entry *entry = iw_term_entry(term);
    return entry ? entry->meaning : "unknown error";
}

struct decode_rule decode_rule_of(int term, const struct ddp_head *head, const struct rdmap_ctl *ctl)
{
    unsigned of = traits(head, ctl);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *r = &rows[i];
        bool opcode = r->opcode < 0 || (head && r->opcode == ctl->opcode);
        if (r->term == term && opcode && (r->of == ANY || r->of & of))
            return (struct decode_rule){term, r->requirement, r->what ? r->what : meaning(term), r->basis};
    }
    return (struct decode_rule){term, "RDMAP-4.8-3", meaning(term), BASIS_SEGMENT};
}

struct decode_rule decode_rule_of_start(enum mpa_why why)
{
    /* mpa.md 1.10 has one row for start-up; what RFC 6581 adds has none */
    int term = why == MPA_WHY_IRD ? IW_T_LLP_IRD : why == MPA_WHY_RTR ? IW_T_LLP_RTR : IW_T_LLP_STARTUP;
    bool rfc6581 = why == MPA_WHY_IRD || why == MPA_WHY_RTR || why == MPA_WHY_ENHANCED;
    return (struct decode_rule){term, rfc6581 ? "RFC 6581 section 9" : "MPA-7.1-*", mpa_why_text(why),
                                BASIS_SEGMENT};
}

/* ---- Terminates ---- */

enum { CONTROL = 4, LENGTH = 2 };

bool decode_is_defined(int term)
{
    return iw_term_entry(term) || (IW_TERM_LAYER(term) == 0 && IW_TERM_ETYPE(term) == 0);
}

static bool all_zero(const uint8_t *p, uint32_t len)
{
    while (len && !p[len - 1])
        len--;
    return len == 0;
}

/* Do M, D and R promise what is there? More than they promise may follow as zeros (conformance.md F10). */
static bool fits_length(const struct rdmap_terminate *t, const uint8_t *body, uint32_t len)
{
    uint32_t need = CONTROL + (t->m || t->d || t->r ? LENGTH : 0);
    if (t->d && len <= need)
        return false;
    if (t->d)
        need += body[need] & 0x80 ? IW_HEAD_TAGGED : IW_HEAD_UNTAGGED;
    if (t->r)
        need += IW_READ_REQ_SIZE;
    return len >= need && all_zero(body + need, len - need);
}

/* layer | etype << 4 in octet 0, code in octet 1, M, D, R from the lowest bit of octet 2: turned into RFC 5040's order */
static bool read_as_siw(const uint8_t *body, uint32_t len, struct rdmap_terminate *t)
{
    uint8_t turned[IW_TERM_MAX];
    uint32_t n = len < sizeof turned ? len : sizeof turned;
    memcpy(turned, body, n);
    turned[0] = (uint8_t)(body[0] << 4 | body[0] >> 4);
    turned[2] = (uint8_t)((body[2] & 1) << 7 | (body[2] & 2) << 5 | (body[2] & 4) << 3);
    rdmap_terminate_get(turned, n, t);
    return !(body[2] & 0xf8) && !body[3] && decode_is_defined(t->term) && fits_length(t, body, len);
}

bool decode_same_terminate(const struct rdmap_terminate *a, const struct rdmap_terminate *b)
{
    return a->term == b->term && a->m == b->m && a->d == b->d && a->r == b->r;
}

unsigned decode_terminate(const uint8_t *body, uint32_t len, struct rdmap_terminate *rfc,
                          struct rdmap_terminate *siw)
{
    *rfc = *siw = (struct rdmap_terminate){0};
    if (len < CONTROL)
        return 0;
    rdmap_terminate_get(body, len, rfc);
    bool as_rfc =
        !(body[2] & 0x1f) && !body[3] && decode_is_defined(rfc->term) && fits_length(rfc, body, len);
    bool as_siw = read_as_siw(body, len, siw) && !(as_rfc && decode_same_terminate(rfc, siw));
    return (as_rfc ? DECODE_AS_RFC : 0u) | (as_siw ? DECODE_AS_SIW : 0u);
}

const char *decode_terminate_text(const struct rdmap_terminate *t, char out[DECODE_TERM_MAX])
{
    snprintf(out, DECODE_TERM_MAX, TERM_TEXT "%s%s%s%s", TERM_PARTS(t->term), t->m || t->d || t->r ? " " : "",
             t->m ? "M" : "", t->d ? "D" : "", t->r ? "R" : "");
    return out;
}
