/* SPDX-License-Identifier: GPL-2.0-or-later */
/* validation/vectors/mpa.json against the MPA room: CRC32c, FPDUs out, FPDUs in, start-up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "llp/crc32c.h"
#include "llp/mpa.h"
#include "validation/support/ulpdu.h"
#include "vector.h"

enum { OCTETS = 8192 };

/* checks: MPA-4.4-2 */
static void crc_vector(struct json v)
{
    uint8_t octets[OCTETS], wire[4];
    uint32_t len = json_octets(json_get(v, "octets"), octets, OCTETS),
             crc = (uint32_t)json_number(json_get(v, "crc"));
    json_only(v, "id requirements figure octets crc wire");
    assert_int_equal(crc32c(0, octets, len), crc);
    for (uint32_t cut = 0; cut <= len; cut++)
        assert_int_equal(crc32c(crc32c(0, octets, cut), octets + cut, len - cut), crc);
    assert_int_equal(json_octets(json_get(v, "wire"), wire, 4), 4);
    for (int i = 0; i < 4; i++)
        assert_int_equal(wire[i], crc >> 8 * i & 255);
}

/* checks: MPA-3-2 MPA-4.5-1 MPA-4.5-2 */
static void mulpdu_vector(struct json v)
{
    uint32_t emss = (uint32_t)json_number(json_get(v, "emss"));
    json_only(v, "id requirements emss without_markers with_markers");
    assert_int_equal(mpa_mulpdu(emss, false), json_number(json_get(v, "without_markers")));
    assert_int_equal(mpa_mulpdu(emss, true), json_number(json_get(v, "with_markers")));
}

static unsigned flags_of(struct json v)
{
    return (json_bool(json_get(v, "markers")) ? MPA_MARKERS : 0) |
           (json_bool(json_get(v, "crc")) ? MPA_CRC : 0);
}

/* ---- send ---- */

/* The payload in up to three fragments, so that borders are crossed inside and outside of them. */
static void in_fragments(struct iw_seg *seg)
{
    struct iw_frag whole = seg->frag[0];
    const uint8_t *octets = whole.octets;
    uint32_t a = whole.len / 3, b = whole.len / 2;
    seg->frags = 3;
    seg->frag[0] = (struct iw_frag){octets, a};
    seg->frag[1] = (struct iw_frag){octets + a, b - a};
    seg->frag[2] = (struct iw_frag){octets + b, whole.len - b};
}

static uint32_t put_gathered(struct mpa_tx *tx, const struct iw_seg *seg, uint8_t *out)
{
    struct mpa_gather g;
    uint8_t *p = out;
    uint32_t size = mpa_gather(tx, seg, &g);
    memcpy(p, g.head, g.head_len);
    p += g.head_len;
    for (int i = 0; i < seg->frags; i++) {
        if (seg->frag[i].len)
            memcpy(p, seg->frag[i].octets, seg->frag[i].len);
        p += seg->frag[i].len;
    }
    memcpy(p, g.tail, g.tail_len);
    assert_int_equal(p + g.tail_len - out, size);
    return size;
}

/* checks: MPA-3-1 MPA-4.1-1 MPA-4.2-1 MPA-4.3-1 MPA-4.3-2 MPA-4.3-3 MPA-4.4-2 */
static void send_vector(struct json v)
{
    uint8_t expected[OCTETS], ulpdu[OCTETS], out[OCTETS], gathered[OCTETS];
    uint32_t len = json_octets(json_get(v, "octets"), expected, OCTETS), at = 0;
    struct json ulpdus = json_get(v, "ulpdus");
    struct mpa_tx tx, gatherer, counter;
    json_only(v, "id requirements figure source says markers crc key ulpdus octets");
    mpa_tx_init(&tx, flags_of(v), 1460);
    tx.offset = json_number(json_get(v, "key"));
    gatherer = counter = tx;
    for (uint32_t i = 0; i < json_count(ulpdus); i++) {
        struct iw_seg seg;
        struct mpa_mark mark;
        uint32_t n = json_octets(json_at(ulpdus, i), ulpdu, OCTETS), size;
        iw_seg_view(&seg, mpa_key(&tx), ulpdu, n);
        in_fragments(&seg);
        size = mpa_fpdu_len(&tx, &seg);
        assert_true(at + size <= len);
        if (!(tx.flags & MPA_MARKERS))
            assert_int_equal(put_gathered(&gatherer, &seg, gathered + at), size);
        assert_int_equal(mpa_advance(&counter, &seg, &mark), size);
        assert_int_equal(mpa_put(&tx, &seg, out + at), size);
        assert_int_equal(mark.key, seg.key);
        assert_int_equal(mark.ulpdu_len, n);
        assert_memory_equal(mark.head, ulpdu, mark.head_len);
        at += size;
    }
    assert_int_equal(at, len);
    assert_memory_equal(out, expected, len);
    if (!(tx.flags & MPA_MARKERS))
        assert_memory_equal(gathered, expected, len);
    assert_int_equal(mpa_key(&counter), mpa_key(&tx));
}

/* ---- receive ---- */

static unsigned options_of(struct json v)
{
    static const struct {
        const char *name;
        unsigned flag;
    } options[] = {
        {"trust_alignment", MPA_TRUST_ALIGNMENT}, {"crc_drop", MPA_CRC_DROP}, {"in_order", MPA_IN_ORDER}};
    struct json list = json_find(v, "options");
    unsigned flags = 0, known = 0;
    for (uint32_t i = 0; !json_absent(list) && i < json_count(list); i++) {
        for (size_t k = 0; k < sizeof options / sizeof options[0]; k++) {
            if (json_equals(json_at(list, i), options[k].name))
                flags |= options[k].flag, known++;
        }
        assert_int_equal(known, i + 1);
    }
    return flags;
}

static int term_of(struct json v, const char *name)
{
    struct json term = json_find(v, name);
    if (json_absent(term))
        return 0;
    const char *text = json_string(term);
    assert_int_equal(strlen(text), 6); /* "2/0/03" */
    return IW_TERM(text[0] - '0', text[2] - '0', (text[4] - '0') * 16 + text[5] - '0');
}

static void check_fpdu(struct json expected, const struct mpa_fpdu *f)
{
    uint8_t ulpdu[OCTETS], came[OCTETS];
    uint32_t len = json_octets(json_get(expected, "ulpdu"), ulpdu, OCTETS);
    json_only(expected, "key ulpdu in_order");
    assert_int_equal(f->key, json_number(json_get(expected, "key")));
    assert_int_equal(f->in_order, json_bool(json_get(expected, "in_order")));
    assert_int_equal(f->len, len);
    assert_int_equal(ulpdu_octets(f, came), len);
    assert_memory_equal(came, ulpdu, len);
    assert_false(f->again);
}

/* Hand up what has come; returns the answer that ended it. */
static int hand_up(struct mpa_rx *rx, struct json expected, uint32_t *handed)
{
    struct mpa_fpdu f;
    int r;
    while ((r = mpa_take(rx, &f)) == 1)
        check_fpdu(json_at(expected, (*handed)++), &f);
    return r;
}

static int arrive(struct mpa_rx *rx, struct json arrival, struct json expected, uint32_t *handed)
{
    uint8_t octets[OCTETS];
    uint32_t len = json_octets(json_get(arrival, "octets"), octets, OCTETS);
    uint8_t *exact = malloc(len); /* nothing behind its end may be read */
    json_only(arrival, "offset octets taken");
    assert_non_null(exact);
    memcpy(exact, octets, len);
    assert_int_equal(mpa_receive(rx, json_number(json_get(arrival, "offset")), exact, len),
                     json_number_or(arrival, "taken", len));
    int r = hand_up(rx, expected, handed);
    free(exact);
    return r;
}

static void check_end(struct mpa_rx *rx, struct json v)
{
    static const char *const ends[] = {[MPA_OPEN] = "open", [MPA_FIN] = "fin", [MPA_CUT] = "cut"};
    if (json_absent(json_find(v, "fin")))
        return;
    mpa_fin(rx, json_number(json_get(v, "fin")));
    assert_string_equal(ends[mpa_ended(rx)], json_string(json_get(v, "end")));
}

static void receive_with(struct json v, unsigned flags)
{
    struct mpa_rx_conf conf = {.flags = flags | flags_of(v) | options_of(v), .store = 1 << 17, .ranges = 64};
    struct json arrivals = json_get(v, "arrivals"), fpdus = json_get(v, "fpdus");
    uint32_t handed = 0;
    int r = 0;
    json_only(
        v,
        "id requirements figure source says markers crc options ulpdu_max arrivals fpdus edge error fin end");
    conf.ulpdu_max = (uint32_t)json_number_or(v, "ulpdu_max", 0);
    void *memory = malloc(mpa_rx_size(&conf));
    struct mpa_rx *rx = mpa_rx_init(memory, &conf);
    assert_non_null(rx);
    for (uint32_t i = 0; i < json_count(arrivals); i++)
        r = arrive(rx, json_at(arrivals, i), fpdus, &handed);
    assert_int_equal(r, term_of(v, "error"));
    assert_int_equal(handed, json_count(fpdus));
    assert_int_equal(mpa_edge(rx), json_number(json_get(v, "edge")));
    check_end(rx, v);
    free(memory);
}

/* checks: MPA-3-4 MPA-3-5 MPA-4.1-2 MPA-4.2-1 MPA-4.3-4 MPA-4.4-3 MPA-5.2-1 */
/* checks: MPA-6-1 MPA-7.2-1 MPA-8-1 MPA-8-2 MPA-A-1 */
static void receive_vector(struct json v)
{
    receive_with(v, 0);
    receive_with(v, MPA_PIECES);
}

/* ---- frames ---- */

static uint8_t rtr_of(struct json object)
{
    static const char *const kinds[] = {"send", "write", "read"};
    struct json list = json_find(object, "rtr");
    uint8_t rtr = 0, known = 0;
    for (uint32_t i = 0; !json_absent(list) && i < json_count(list); i++) {
        for (int k = 0; k < 3; k++) {
            if (json_equals(json_at(list, i), kinds[k]))
                rtr |= (uint8_t)(1 << k), known++;
        }
        assert_int_equal(known, i + 1);
    }
    return rtr;
}

static void check_private_data(struct json object, const char *name, const struct mpa_frame *f)
{
    uint8_t octets[OCTETS];
    struct json data = json_find(object, name);
    uint32_t len = json_absent(data) ? 0 : json_octets(data, octets, OCTETS);
    assert_int_equal(f->private_len, len);
    if (len)
        assert_memory_equal(f->private_data, octets, len);
}

static void check_frame(struct json e, const struct mpa_frame *f, bool whole)
{
    json_only(
        e,
        "reply markers crc rejected enhanced reserved rev pd_length peer_to_peer rtr ird ord private_data");
    assert_int_equal(f->reply, json_bool(json_get(e, "reply")));
    assert_int_equal(f->markers, json_flag(e, "markers"));
    assert_int_equal(f->crc, json_flag(e, "crc"));
    assert_int_equal(f->rejected, json_flag(e, "rejected"));
    assert_int_equal(f->enhanced, json_flag(e, "enhanced"));
    assert_int_equal(f->reserved, json_number_or(e, "reserved", 0));
    assert_int_equal(f->rev, json_number_or(e, "rev", 0));
    assert_int_equal(f->pd_length, json_number_or(e, "pd_length", 0));
    assert_int_equal(f->peer_to_peer, json_flag(e, "peer_to_peer"));
    assert_int_equal(f->rtr, rtr_of(e));
    assert_int_equal(f->ird, json_number_or(e, "ird", 0));
    assert_int_equal(f->ord, json_number_or(e, "ord", 0));
    if (whole)
        check_private_data(e, "private_data", f);
}

/* checks: MPA-7.1-* */
static void frame_vector(struct json v)
{
    static const char *const names[] = {[MPA_FRAME_WHOLE] = "whole",
                                        [MPA_FRAME_MORE] = "more",
                                        [MPA_FRAME_NO_KEY] = "no key",
                                        [MPA_FRAME_TOO_LONG] = "too long",
                                        [MPA_FRAME_NO_DEPTH] = "no depth"};
    uint8_t octets[OCTETS], again[MPA_FRAME_MAX];
    uint32_t len = json_octets(json_get(v, "octets"), octets, OCTETS), size;
    struct mpa_frame f;
    json_only(v, "id requirements section figure source says octets is size frame written");
    enum mpa_frame_is is = mpa_frame_get(octets, len, &f, &size);
    assert_string_equal(names[is], json_string(json_get(v, "is")));
    assert_int_equal(size, json_number(json_get(v, "size")));
    check_frame(json_get(v, "frame"), &f, is == MPA_FRAME_WHOLE);
    if (!json_bool(json_get(v, "written")))
        return; /* what we would not write */
    assert_int_equal(mpa_frame_put(again, &f), len);
    assert_memory_equal(again, octets, len);
}

/* ---- start-up ---- */

static enum mpa_kind kind_of(struct json v)
{
    struct json kind = json_find(v, "kind");
    if (json_absent(kind))
        return MPA_IETF;
    assert_true(json_equals(kind, "permissive") || json_equals(kind, "rdmac"));
    return json_equals(kind, "rdmac") ? MPA_RDMAC : MPA_IETF_PERMISSIVE;
}

static uint16_t octets_of(struct json v, const char *name, uint8_t *out)
{
    struct json value = json_find(v, name);
    return (uint16_t)(json_absent(value) ? 0 : json_octets(value, out, OCTETS));
}

static void configure(struct json v, struct mpa_start_conf *c, uint8_t *private_data)
{
    *c = (struct mpa_start_conf){.role = json_equals(json_get(v, "role"), "initiator") ? MPA_INITIATOR
                                                                                       : MPA_RESPONDER,
                                 .kind = kind_of(v),
                                 .markers = json_flag(v, "markers"),
                                 .no_crc = json_flag(v, "no_crc"),
                                 .enhanced = json_flag(v, "enhanced"),
                                 .peer_to_peer = json_flag(v, "peer_to_peer"),
                                 .rtr = rtr_of(v),
                                 .ird = (uint16_t)json_number_or(v, "ird", 0),
                                 .ord = (uint16_t)json_number_or(v, "ord", 0),
                                 .ird_max = (uint16_t)json_number_or(v, "ird_max", 0),
                                 .ord_min = (uint16_t)json_number_or(v, "ord_min", 0),
                                 .private_len = octets_of(v, "private_data", private_data),
                                 .private_data = private_data};
}

static void check_sent(struct json v, const char *name, struct mpa_start *s)
{
    uint8_t expected[OCTETS], out[MPA_FRAME_MAX];
    uint32_t len = octets_of(v, name, expected);
    assert_int_equal(mpa_start_out(s, out), len);
    assert_memory_equal(out, expected, len);
    assert_int_equal(mpa_start_out(s, out), 0);
}

static void give_answer(struct json v, struct mpa_start *s)
{
    uint8_t private_data[OCTETS];
    struct json answer = json_find(v, "answer");
    if (json_absent(answer))
        return;
    uint16_t len = octets_of(v, "answer_private_data", private_data);
    assert_int_equal(s->state, MPA_DECIDE);
    if (json_equals(answer, "accept"))
        assert_int_equal(mpa_accept(s, private_data, len), IW_OK);
    else
        assert_int_equal(mpa_reject(s, private_data, len), IW_OK);
}

static void check_agreed(struct json v, const struct mpa_agreement *a)
{
    struct json e = json_find(v, "agreed");
    if (json_absent(e))
        return;
    json_only(e, "rev version markers_tx markers_rx crc enhanced peer_to_peer rtr ird ord");
    assert_int_equal(a->rev, json_number(json_get(e, "rev")));
    assert_int_equal(a->version, json_number(json_get(e, "version")));
    assert_int_equal(a->markers_tx, json_bool(json_get(e, "markers_tx")));
    assert_int_equal(a->markers_rx, json_bool(json_get(e, "markers_rx")));
    assert_int_equal(a->crc, json_bool(json_get(e, "crc")));
    assert_int_equal(a->enhanced, json_bool(json_get(e, "enhanced")));
    assert_int_equal(a->peer_to_peer, json_bool(json_get(e, "peer_to_peer")));
    assert_int_equal(a->rtr, rtr_of(e));
    assert_int_equal(a->ird, json_number(json_get(e, "ird")));
    assert_int_equal(a->ord, json_number(json_get(e, "ord")));
}

static void check_outcome(struct json v, const struct mpa_start *s)
{
    static const char *const states[] = {"wait reply", "wait request", "decide",
                                         "full",       "rejected",     "failed"};
    static const char *const reasons[MPA_WHYS] = {"",         "key",     "same role", "rev",  "private data",
                                                  "enhanced", "surplus", "timeout",   "lost", "ird",
                                                  "rtr"};
    static const char *const tcps[] = {"keep", "close", "close after", "terminate"};
    struct json why = json_find(v, "why"), tcp = json_find(v, "tcp");
    assert_string_equal(states[s->state], json_string(json_get(v, "state")));
    assert_string_equal(reasons[s->why], json_absent(why) ? "" : json_string(why));
    assert_int_equal(s->term, term_of(v, "term"));
    assert_string_equal(tcps[s->tcp], json_absent(tcp) ? "keep" : json_string(tcp));
    assert_int_equal(s->retry_unenhanced, json_flag(v, "retry"));
    if (s->state == MPA_FULL || s->state == MPA_REJECTED)
        check_private_data(v, "peer_private_data", &s->peer);
    if (!json_absent(json_find(v, "peer_ird")))
        assert_int_equal(s->peer.ird, json_number(json_get(v, "peer_ird")));
    if (!json_absent(json_find(v, "peer_ord")))
        assert_int_equal(s->peer.ord, json_number(json_get(v, "peer_ord")));
    check_agreed(v, &s->agreed);
}

/* How the peer's octets come: all but the last `tail` in pieces of `piece` octets, the rest at once. */
static void run_start(struct json v, uint32_t piece)
{
    uint8_t private_data[OCTETS], peer[OCTETS];
    struct mpa_start_conf conf;
    struct mpa_start s;
    uint8_t frames[2 * MPA_FRAME_MAX];
    uint32_t len = octets_of(v, "peer", peer), surplus = (uint32_t)json_number_or(v, "surplus", 0), used = 0;
    configure(v, &conf, private_data);
    conf.frames = frames;
    assert_null(mpa_start_conf_error(&conf));
    assert_int_equal(mpa_start(&s, 0, &conf), IW_OK);
    memset(private_data, 0xdd, sizeof private_data); /* it was copied */
    check_sent(v, "request", &s);
    while (used < len && s.state < MPA_DECIDE) {
        uint32_t n = len - used - surplus > piece ? piece : len - used;
        uint32_t took = mpa_start_in(&s, 0, peer + used, n);
        used += took;
        if (took < n)
            break;
    }
    if (s.state != MPA_FAILED || surplus)
        assert_int_equal(used, len - surplus);
    give_answer(v, &s);
    check_sent(v, "reply", &s);
    check_outcome(v, &s);
}

/* checks: MPA-3-6 MPA-4.4-1 MPA-7.1-* MPA-7.1.2-4 MPA-8-1 */
static void start_vector(struct json v)
{
    json_only(v,
              "id requirements section figure source says role kind markers no_crc enhanced peer_to_peer rtr "
              "ird ord ird_max ord_min "
              "private_data request peer surplus answer answer_private_data reply state why term tcp retry "
              "peer_private_data peer_ird peer_ord agreed");
    run_start(v, UINT32_MAX);
    run_start(v, 1);
    run_start(v, 7);
}

int main(void)
{
    static const struct vector_kind kinds[] = {{"crc", crc_vector},     {"mulpdu", mulpdu_vector},
                                               {"send", send_vector},   {"receive", receive_vector},
                                               {"frame", frame_vector}, {"start", start_vector}};
    return vector_run("mpa.json", kinds, sizeof kinds / sizeof kinds[0]);
}
