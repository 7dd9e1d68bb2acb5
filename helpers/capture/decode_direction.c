/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/capture/decode_direction.h"

#include <stdlib.h>
#include <string.h>

#include "llp/mpa.h"

enum {
    STORE_FIRST = 128 << 10, /* MPA's memory at first */
    RANGES_MAX = 65535,
    EARLY_MAX = 16384, /* FPDUs remembered beyond the edge */
    PATIENCE = 64 /* segments after an acknowledgement before a hole below it counts as lost by the capture */
};

/* An FPDU that was handed up ahead of its turn. */
struct early {
    struct tree_node node; /* its key is that of the FPDU */
    struct decode_heard heard;
};

struct decode_direction {
    struct decode_direction_conf conf;
    const struct decode_report *report;
    struct decode_engine engine;
    struct reassembly stream; /* octets at and beyond the edge */
    struct mpa_rx *rx;
    struct mpa_rx_conf rx_conf;
    uint64_t start;          /* stream offset that the receiver counts from */
    bool refused;            /* it had no room for something */
    bool gridless;           /* where markers stand is not known yet */
    struct tree_node *early; /* of struct early */
    uint32_t earlies;
    uint64_t frame_now;
    uint64_t acked;
    int patience;
};

/* ---- FPDUs ahead of their turn ---- */

/* The first at or beyond `key`; NULL: there is none. */
static struct early *early_at(const struct decode_direction *l, uint64_t key)
{
    return (struct early *)tree_above(l->early, key - 1);
}

static bool is_early(const struct decode_direction *l, uint64_t key)
{
    const struct early *e = early_at(l, key);
    return e && e->node.key == key;
}

/* False: there is no room. */
static bool early_add(struct decode_direction *l, const struct decode_heard *h)
{
    struct early *e = l->earlies < EARLY_MAX ? malloc(sizeof *e) : NULL;
    if (!e)
        return false;
    e->node.key = h->segment.key;
    e->heard = *h;
    tree_insert(&l->early, &e->node);
    l->earlies++;
    return true;
}

/* Everything below `key` is there: those have their turn. */
static void settle_early(struct decode_direction *l, uint64_t key)
{
    for (struct early *e; (e = early_at(l, 1)) && e->node.key < key; l->earlies--) {
        tree_remove(&l->early, &e->node);
        decode_engine_turn(&l->engine, &e->heard, 0);
        free(e);
    }
}

static void early_free(struct decode_direction *l)
{
    for (struct early *e; (e = early_at(l, 1));) {
        tree_remove(&l->early, &e->node);
        free(e);
    }
}

/* ---- making and unmaking ---- */

/* One for each 256 octets. */
static uint32_t ranges_for(uint32_t store)
{
    return store / 256 < RANGES_MAX ? store / 256 : RANGES_MAX;
}

/* A receiver for FPDUs from `start` on, with more room than the last one when that was too small. */
static bool receiver_new(struct decode_direction *l, uint64_t start)
{
    struct mpa_rx_conf conf = l->rx_conf;
    if (l->refused && conf.store < l->conf.memory) {
        conf.store = conf.store < l->conf.memory / 8 ? conf.store * 8 : l->conf.memory;
        conf.ranges = ranges_for(conf.store);
    }
    size_t size = mpa_rx_size(&conf);
    void *memory = l->rx && !l->refused ? l->rx : malloc(size);
    if (!memory || !size)
        return false;
    if (memory != l->rx)
        free(l->rx);
    l->rx = mpa_rx_init(memory, &conf);
    l->rx_conf = conf;
    l->start = start;
    l->refused = false;
    return l->rx;
}

struct decode_direction *decode_direction_new(const struct decode_direction_conf *conf,
                                              const struct decode_report *report)
{
    struct decode_direction *l = calloc(1, sizeof *l);
    if (!l)
        return NULL;
    l->conf = *conf;
    l->report = report;
    l->rx_conf = (struct mpa_rx_conf){
        .flags = (conf->markers ? MPA_MARKERS : 0u) | (conf->crc ? MPA_CRC : 0u),
        .ulpdu_max = MPA_ULPDU_MAX,
        .store = conf->markers || conf->memory < STORE_FIRST ? conf->memory : STORE_FIRST,
    };
    l->rx_conf.ranges = ranges_for(l->rx_conf.store);
    l->gridless = conf->markers && conf->searching;
    if (decode_engine_init(&l->engine, conf, report) && receiver_new(l, conf->origin))
        return l;
    decode_direction_free(l);
    return NULL;
}

void decode_direction_free(struct decode_direction *l)
{
    if (!l)
        return;
    reassembly_free(&l->stream);
    early_free(l);
    free(l->rx);
    decode_engine_free(&l->engine);
    free(l);
}

void decode_direction_pair(struct decode_direction *a, struct decode_direction *b)
{
    a->engine.other = &b->engine;
    b->engine.other = &a->engine;
}

uint64_t decode_direction_edge(const struct decode_direction *l)
{
    return l->start + mpa_edge(l->rx);
}

/* ---- MPA ---- */

/* Are there octets other than zero in the pad of the FPDU that ends at `end`? Markers are stepped over. */
static bool is_pad_used(const struct decode_direction *l, uint64_t end, uint32_t len)
{
    enum { CRC = 4 };
    uint32_t pad = (0 - (2 + len)) & 3, seen = 0;
    uint8_t octet, used = 0;
    for (uint64_t at = end; pad && seen < CRC + pad && at-- > 0;) {
        if (l->conf.markers && (at - l->conf.origin) % MPA_MARKER_EVERY < MPA_MARKER)
            continue;
        if (seen++ >= CRC && reassembly_copy(&l->stream, at, &octet, 1))
            used |= octet;
    }
    return used;
}

static bool read_head(const uint8_t *octets, uint32_t len, struct ddp_head *head, struct rdmap_ctl *ctl)
{
    bool readable = ddp_head_get(octets, len, head);
    if (readable)
        rdmap_ctl_get(head->rsvdulp, head->tagged, ctl);
    else
        *head = (struct ddp_head){0};
    return readable;
}

static struct decode_heard heard_from(const struct decode_direction *l, uint64_t key, uint64_t end,
                                      const uint8_t *ulpdu, uint32_t octets, uint32_t len)
{
    struct decode_heard h = {.committed = false};
    struct reassembly_span when = {l->frame_now, l->frame_now, 0, 0};
    reassembly_when(&l->stream, key, end, &when);
    h.segment = (struct decode_segment){.conn = l->conf.conn,
                                        .dir = l->conf.dir,
                                        .key = key,
                                        .end = end,
                                        .frame_first = when.frame_first,
                                        .frame_last = when.frame_last,
                                        .t_first_ns = when.t_first_ns,
                                        .t_last_ns = when.t_last_ns,
                                        .ulpdu_len = len,
                                        .octets_len = octets < sizeof h.octets ? octets : sizeof h.octets,
                                        .pad_used = end > key && is_pad_used(l, end, len),
                                        .crc = l->conf.crc ? DECODE_CRC_GOOD : DECODE_CRC_OFF};
    if (h.segment.octets_len)
        memcpy(h.octets, ulpdu, h.segment.octets_len);
    h.segment.readable = read_head(h.octets, h.segment.octets_len, &h.segment.head, &h.segment.ctl);
    return h;
}

static void hear_ahead(struct decode_direction *l, struct decode_heard *h, const struct mpa_fpdu *f)
{
    decode_engine_early(&l->engine, h);
    if (early_add(l, h))
        decode_engine_count(&l->engine, h, f->ulpdu, f->octets);
    else
        mpa_keep(l->rx); /* it comes again in its turn */
}

static void hear_fpdu(struct decode_direction *l, const struct mpa_fpdu *f)
{
    struct decode_heard h = heard_from(l, l->start + f->key, l->start + f->end, f->ulpdu, f->octets, f->len);
    h.segment.ahead = !f->in_order || h.segment.frame_last < l->frame_now;
    bool known = is_early(l, h.segment.key); /* by a receiver that was replaced */
    if (!f->in_order) {
        if (!known)
            hear_ahead(l, &h, f);
        return;
    }
    settle_early(l, h.segment.key + known);
    if (known)
        return;
    decode_engine_count(&l->engine, &h, f->ulpdu, f->octets);
    decode_engine_turn(&l->engine, &h, 0);
}

/* Take what MPA has found: 0, or the error that ends it. */
static int drain(struct decode_direction *l)
{
    struct mpa_fpdu f;
    int got;
    while ((got = mpa_take(l->rx, &f)) == 1)
        hear_fpdu(l, &f);
    if (got == 0)
        settle_early(l, decode_direction_edge(l));
    return got;
}

static int feed(struct decode_direction *l, const struct reassembly_piece *p)
{
    uint64_t end = p->at + p->len, at = p->at > l->start ? p->at : l->start;
    if (end <= at)
        return 0;
    uint32_t len = (uint32_t)(end - at);
    l->refused |= mpa_receive(l->rx, at - l->start, p->octets + (at - p->at), len) < len;
    return drain(l);
}

/* ---- where MPA alone cannot go on ---- */

/* Octets of the ULPDU of the FPDU at `key`, as many as the capture has, at most `room`; false when not even its
 * length is there. */
static bool read_fpdu(const struct decode_direction *l, uint64_t key, uint8_t *out, uint32_t room,
                      uint32_t *octets, uint32_t *len)
{
    uint8_t raw[2 + sizeof((struct decode_heard){0}).octets];
    uint32_t have = 0, want = room + 2 < sizeof raw ? room + 2 : (uint32_t)sizeof raw;
    for (uint64_t at = key; have < want;) {
        uint32_t phase = (uint32_t)((at - l->conf.origin) % MPA_MARKER_EVERY), run = want - have;
        if (l->conf.markers && phase == 0)
            at += MPA_MARKER;
        if (l->conf.markers && run > MPA_MARKER_EVERY - phase)
            run = MPA_MARKER_EVERY - phase;
        uint32_t got = reassembly_copy(&l->stream, at, raw + have, run);
        have += got;
        at += got;
        if (got < run)
            break;
    }
    if (have < 2)
        return false;
    *len = (uint32_t)raw[0] << 8 | raw[1];
    *octets = have - 2 < *len ? have - 2 : *len;
    memcpy(out, raw + 2, *octets);
    return true;
}

/* Could an FPDU of RDMAP start here? Versions, opcode and T bit agree and reserved bits are zero: a guess. */
static bool looks_like_fpdu(const struct decode_direction *l, uint64_t at)
{
    uint8_t octets[IW_HEAD_MAX];
    uint32_t have, len, version = decode_engine_version(&l->engine);
    struct ddp_head head;
    struct rdmap_ctl ctl;
    if (!read_fpdu(l, at, octets, sizeof octets, &have, &len) || !read_head(octets, have, &head, &ctl))
        return false;
    bool tagged_op = ctl.opcode == RDMAP_WRITE || ctl.opcode == RDMAP_READ_RESP;
    bool reserved = octets[0] & 0x3c || octets[1] & 0x30;
    return head.version == version && ctl.version == version && !reserved && ctl.opcode < RDMAP_OPCODES &&
           tagged_op == head.tagged && (head.tagged || head.qn <= 3);
}

/* Can a receiver be made that starts there? It counts from its start, so markers tie it to their grid. */
static bool can_start(const struct decode_direction *l, uint64_t place)
{
    return !l->conf.markers || (place - l->conf.origin) % MPA_MARKER_EVERY == 0;
}

/* Begin again at `place`, forgetting what lies below; the octets forgotten. */
static uint64_t restart(struct decode_direction *l, uint64_t place)
{
    settle_early(l, place);
    uint64_t forgotten = reassembly_drop(&l->stream, place);
    if (!receiver_new(l, place))
        reassembly_free(&l->stream); /* no memory: nothing more is heard */
    return forgotten;
}

/* The next place beyond `from` where an FPDU starts for certain or by its looks; else the end of what is there, and
 * the search goes on where segments start. */
static uint64_t find_place(struct decode_direction *l, uint64_t from)
{
    const struct early *next = early_at(l, from + 1);
    while (next && !can_start(l, next->node.key))
        next = early_at(l, next->node.key + 1);
    uint64_t certain = next ? next->node.key : 0; /* 0: none */
    for (const struct reassembly_piece *p = reassembly_beyond(&l->stream, 0);
         p && (!certain || p->at < certain); p = reassembly_beyond(&l->stream, reassembly_end_of(p))) {
        if (p->at > from && p->octets && can_start(l, p->at) && looks_like_fpdu(l, p->at))
            return p->at;
    }
    l->conf.searching = !certain;
    return certain ? certain : reassembly_end(&l->stream);
}

static void lose_place(struct decode_direction *l, uint64_t edge)
{
    l->report->summary->resyncs++;
    decode_engine_missed(&l->engine);
    l->report->summary->unparsed_octets += restart(l, find_place(l, edge));
}

/* May the length field of the refused FPDU at `key` be believed? */
static bool believes(const struct decode_direction *l, uint64_t key, uint64_t end)
{
    const struct early *next = early_at(l, key + 1);
    if (next && next->node.key < end)
        return false; /* it would cover an FPDU that is proven */
    uint8_t octet;
    bool nothing_there = reassembly_copy(&l->stream, end, &octet, 1) == 0;
    return looks_like_fpdu(l, key) && (nothing_there || looks_like_fpdu(l, end));
}

/* An FPDU that MPA did not hand up, as far as the capture shows it. */
static void hear_unhandled(struct decode_direction *l, struct decode_heard *h, enum decode_crc crc, int fault)
{
    h->segment.crc = crc;
    l->report->summary->crc_bad += crc == DECODE_CRC_BAD;
    decode_engine_count(&l->engine, h, NULL, 0);
    decode_engine_turn(&l->engine, h, fault);
}

/* The FPDU at the edge cannot be had from MPA: it is bad (`fault`), or the capture lacks octets of it (0). Read what
 * can be read and go on behind it. */
static void step_over(struct decode_direction *l, int fault)
{
    uint64_t edge = decode_direction_edge(l);
    uint8_t ulpdu[sizeof((struct decode_heard){0}).octets];
    uint32_t octets = 0, len = 0;
    settle_early(l, edge);
    bool known = read_fpdu(l, edge, ulpdu, sizeof ulpdu, &octets, &len);
    uint64_t end = edge + (known ? mpa_fpdu_size(edge - l->conf.origin, len, l->conf.markers) : 0);
    struct decode_heard h = heard_from(l, edge, end, ulpdu, octets, len);
    bool sure = known && can_start(l, end) && believes(l, edge, end);
    if (fault)
        hear_unhandled(l, &h, fault == IW_T_LLP_CRC ? DECODE_CRC_BAD : h.segment.crc, fault);
    else if (sure)
        hear_unhandled(l, &h, DECODE_CRC_OFF, 0); /* nobody can check it */
    if (sure)
        restart(l, end);
    else
        lose_place(l, edge);
}

/* Is what stands at the edge cut by octets that will never come? */
static bool stuck(const struct decode_direction *l)
{
    bool lost;
    reassembly_reach(&l->stream, decode_direction_edge(l), &lost);
    return lost;
}

/* Feed again what is kept, the octets in order first. True: an FPDU was stepped over on the way, start again. */
static bool feed_kept(struct decode_direction *l)
{
    const struct reassembly_piece *p = reassembly_beyond(&l->stream, 0);
    for (; p && p->octets; p = reassembly_beyond(&l->stream, reassembly_end_of(p))) {
        int error = feed(l, p);
        if (!error)
            continue;
        step_over(l, error);
        return true;
    }
    if (!stuck(l))
        return false;
    step_over(l, 0);
    return true;
}

static void tidy(struct decode_direction *l)
{
    reassembly_drop(&l->stream, decode_direction_edge(l));
    reassembly_own(&l->stream);
}

static void decode_on(struct decode_direction *l)
{
    while (!l->conf.searching && feed_kept(l)) {
    }
    tidy(l);
}

/* Nobody will fill the first hole beyond the edge, or any (`all`). False when there is none. */
static bool give_up_holes(struct decode_direction *l, bool all)
{
    bool lost, any = false;
    uint64_t reach = reassembly_reach(&l->stream, decode_direction_edge(l), &lost);
    const struct reassembly_piece *p;
    for (; (all || !any) && (p = reassembly_beyond(&l->stream, reach)); reach = reassembly_end_of(p)) {
        uint64_t hole = p->at > reach ? p->at - reach : 0;
        if (!hole || hole > UINT32_MAX)
            continue;
        const struct reassembly_piece nothing = {
            .at = reach, .len = (uint32_t)hole, .frame = p->frame, .time_ns = p->time_ns};
        if (!reassembly_add(&l->stream, &nothing))
            break;
        l->report->summary->missing_octets += hole;
        any = true;
    }
    return any;
}

/* Is the first hole below what its receiver acknowledged, and has it been for a while? */
static bool is_patience_over(struct decode_direction *l)
{
    bool lost;
    uint64_t reach =
        l->stream.count ? reassembly_reach(&l->stream, decode_direction_edge(l), &lost) : UINT64_MAX;
    bool hole = l->stream.count && reach < reassembly_end(&l->stream) && reach < l->acked;
    l->patience = hole ? l->patience + 1 : 0;
    return l->patience > PATIENCE || reassembly_full(&l->stream);
}

/* If an FPDU starts with this segment, its first marker tells by its pointer where all markers stand. */
static bool find_grid(struct decode_direction *l, const struct reassembly_piece *p)
{
    for (uint32_t at = 0; l->gridless && at < MPA_MARKER_EVERY && at + MPA_MARKER <= p->len;
         at += MPA_MARKER) {
        uint32_t marker;
        iw_get32(p->octets + at, &marker);
        l->conf.origin = p->at + at; /* any marker will do: positions are compared modulo 512 */
        l->gridless = marker != at || !looks_like_fpdu(l, p->at);
    }
    return !l->gridless;
}

/* While the place is lost: does an FPDU start with this segment? If not, what comes behind it is looked at next; a
 * segment from far ahead may be a stray. */
static void search(struct decode_direction *l, const struct reassembly_piece *p)
{
    uint64_t end = p->at + p->len;
    if (p->octets && find_grid(l, p) && can_start(l, p->at) && looks_like_fpdu(l, p->at)) {
        l->conf.searching = false;
        l->report->summary->unparsed_octets += restart(l, p->at);
        decode_on(l);
        return;
    }
    l->report->summary->unparsed_octets += reassembly_drop(&l->stream, reassembly_end(&l->stream));
    if (end - l->start < REASSEMBLY_OCTETS_MAX)
        l->start = end; /* the receiver is fresh: it has no octet yet */
}

static void hear_piece(struct decode_direction *l, const struct reassembly_piece *p)
{
    int error = p->octets ? feed(l, p) : 0;
    if (error)
        step_over(l, error);
    if (l->refused && l->rx_conf.store < l->conf.memory && can_start(l, decode_direction_edge(l)))
        restart(l, decode_direction_edge(l));
    else if (!error && !stuck(l))
        return;
    decode_on(l);
}

bool decode_direction_hear(struct decode_direction *l, const struct reassembly_piece *p)
{
    l->frame_now = p->frame;
    if (p->at + p->len <= decode_direction_edge(l))
        return true; /* known already */
    if (!reassembly_add(&l->stream, p))
        return false;
    if (l->conf.searching)
        search(l, p);
    else
        hear_piece(l, p);
    if (is_patience_over(l) && give_up_holes(l, false))
        decode_on(l);
    tidy(l);
    return true;
}

void decode_direction_note_acked(struct decode_direction *l, uint64_t at)
{
    if (at > l->acked)
        l->acked = at;
}

void decode_direction_end(struct decode_direction *l)
{
    give_up_holes(l, true);
    decode_on(l);
    decode_engine_end(&l->engine);
    l->report->summary->unparsed_octets += reassembly_drop(&l->stream, reassembly_end(&l->stream));
}
