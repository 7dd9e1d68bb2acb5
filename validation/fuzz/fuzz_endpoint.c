/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_endpoint.c -- the input is a script for two hosts: an initiator and a responder, and a wire between
 * them on which segments may be altered, made up and delayed.
 *
 * Each octet says what happens next and to whom; what it needs is read from the octets that follow. The laws:
 *   every octet outside of the registered regions stays as it is, and all of a region that was taken away;
 *   no segment is larger than the MULPDU; one Terminate at most leaves each side, and nothing after it;
 *   a request completes at most once, and in the end exactly once (but unsignalled ones that went well);
 *   each event comes once; the end can always be reached. */
#include <stdlib.h>
#include <string.h>

#include "engine/iw.h"

enum {
    SIDES = 2,
    REGIONS = 6,
    REGION_OCTETS = 160,
    GUARD = 32,
    MEMORY = GUARD + REGIONS * (REGION_OCTETS + GUARD),
    LINE = 96,
    FLIGHTS = 24,
    IDS = 128,
    CQ_ENTRIES = 64,
    TABLE = 16,
    CANARY = 0xa5,
    SCRIPT_MAX = 4096
};

/* ---- the script ---- */

static const uint8_t *script;
static size_t left;

static uint8_t byte(void)
{
    return (uint8_t)(left ? (left--, *script++) : 0);
}

static uint32_t word(void)
{
    uint32_t v = 0;
    for (int i = 0; i < 4; i++)
        v = v << 8 | byte();
    return v;
}

static void must(bool law)
{
    if (!law)
        abort();
}

/* ---- two hosts and a wire ---- */

struct segment {
    uint64_t key, end;
    uint32_t len, in_flight;
    uint8_t *octets; /* in a block of its own */
    bool taken;      /* checked, or dropped for good */
};

struct flight {
    struct iw_seg seg;
    struct iw_place place;
    struct segment *segment;
};

enum region_state { OPEN, DRAINING, SHUT };

struct host {
    struct iw_conf conf;
    struct iw_ep *ep;
    struct iw_stags *stags;
    struct iw_cq *cq;
    uint8_t memory[MEMORY], frozen[MEMORY]; /* frozen: what a region held when it was shut */
    iw_stag stag[REGIONS];
    uint8_t state[REGIONS];
    struct segment line[LINE]; /* what this host sent */
    uint32_t sent, arrived;    /* arrived: in order, at the other host; its delivered edge */
    uint64_t next_key;
    struct flight flight[FLIGHTS];
    uint32_t flights;
    uint8_t posted[IDS], completed[IDS], silent[IDS];
    uint32_t ids;
    unsigned events;
    bool terminated, over;
};

static struct host host[SIDES];
static iw_time now;

static void *block(size_t size)
{
    uint8_t *memory = malloc(size);
    must(memory);
    memset(memory, CANARY, size); /* the engine may not count on zeros */
    return memory;
}

static uint32_t start_of(uint32_t region)
{
    return GUARD + region * (REGION_OCTETS + GUARD);
}

static uint64_t to_of(uint32_t region)
{
    return region == 1 ? UINT64_MAX - REGION_OCTETS + 1 : region * 1000ull;
}

static struct iw_region region_of(struct host *h, uint32_t i)
{
    static const unsigned rights[REGIONS] = {7, 7, IW_LOCAL_WRITE, IW_REMOTE_WRITE, IW_REMOTE_READ, 7};
    struct iw_region r = {
        .base = h->memory + start_of(i), .to = to_of(i), .len = REGION_OCTETS, .rights = rights[i], .pd = 1};
    if (i == 3)
        r = (struct iw_region){r.base, r.to, r.len, r.rights, .stream = {1}};
    if (i == 5)
        r.shared = true;
    return r;
}

static void register_region(struct host *h, uint32_t i)
{
    struct iw_region r = region_of(h, i);
    h->state[i] = iw_register(h->stags, &r, &h->stag[i]) == IW_OK ? OPEN : SHUT;
}

static struct iw_conf draw_conf(void)
{
    uint8_t profile = byte(), sizes = byte(), depth = byte();
    struct iw_conf c = {
        .pd = 1, .stream = 1, .trust = 1, .llp = IW_LLP_ALL, .linger = 50, .mulpdu = 128u + byte()};
    if (profile & 1)
        c.profile |= IW_DDP_ONLY;
    else if (profile & 2)
        c.profile |= IW_RFC7306;
    c.profile |= profile & 4 ? (unsigned)IW_STRICT : 0;
    c.profile |= profile & 8 ? (unsigned)IW_RECOVER : profile & 16 ? (unsigned)IW_DRAFT00 : 0;
    c.profile |= profile & 32 ? (unsigned)IW_RDMAC : 0;
    c.complete_on = profile & 64 ? IW_ON_ACK : IW_ON_ACCEPT;
    c.first_msn = profile & 128 ? UINT32_MAX : 0;
    c.sq_max = 1 + sizes % 8;
    c.rq_max = 1 + (sizes >> 3) % 8;
    c.reorder_max = sizes >> 6 ? (uint16_t)(sizes >> 6) * 8 : 0;
    c.ord = depth % 4;
    c.ird = (depth >> 2) % 4;
    c.queues = 2;
    c.queue[0] = (struct iw_queue_conf){0, 4};
    c.queue[1] = (struct iw_queue_conf){7, 2};
    return c;
}

static void open_host(struct host *h, const struct iw_conf *conf, unsigned flags, uint32_t entries)
{
    memset(h, 0, sizeof *h);
    memset(h->memory, CANARY, sizeof h->memory);
    h->conf = *conf;
    h->conf.stags = h->stags = iw_stags_init(block(iw_stags_size(TABLE)), TABLE, 0);
    h->conf.send_cq = h->conf.recv_cq = h->cq = iw_cq_init(block(iw_cq_size(entries)), entries, 1);
    h->conf.ird = h->conf.ord = 3; /* as much as start-up may agree on */
    size_t size = iw_ep_size(&h->conf);
    must(size);
    h->ep = iw_ep_init(block(size), &h->conf);
    must(h->ep && iw_enable(h->ep, now, flags) == IW_OK);
    must(iw_set_read_depth(h->ep, conf->ord, conf->ird) == (conf->profile & IW_DDP_ONLY ? IW_EINVAL : IW_OK));
    for (uint32_t i = 0; i < REGIONS; i++)
        register_region(h, i);
}

static void close_host(struct host *h)
{
    for (uint32_t i = 0; i < h->sent; i++)
        free(h->line[i].octets);
    free(h->ep);
    free(h->cq);
    free(h->stags);
}

/* ---- laws ---- */

static void check_guards(const struct host *h)
{
    for (uint32_t i = 0; i <= REGIONS; i++)
        for (uint32_t n = 0; n < GUARD; n++)
            must(h->memory[i * (REGION_OCTETS + GUARD) + n] == CANARY);
    for (uint32_t i = 0; i < REGIONS; i++)
        must(h->state[i] != SHUT || !memcmp(h->memory + start_of(i), h->frozen + start_of(i), REGION_OCTETS));
}

static void shut(struct host *h, uint32_t i)
{
    h->state[i] = SHUT;
    memset(h->memory + start_of(i), 0x3c, REGION_OCTETS); /* its next owner's */
    memcpy(h->frozen + start_of(i), h->memory + start_of(i), REGION_OCTETS);
}

static void poll(struct host *h)
{
    struct iw_done d;
    struct iw_event e;
    while (iw_poll(h->cq, &d)) {
        must(d.id < h->ids && h->posted[d.id]);
        must(++h->completed[d.id] == 1 && !(h->silent[d.id] && d.status == IW_OK));
    }
    while (iw_event(h->ep, &e)) {
        must(e.kind < IW_EV_KINDS && !(h->events & 1u << e.kind));
        h->events |= 1u << e.kind;
    }
    struct iw_stats s = *iw_statistics(h->ep);
    must(s.segments_ooo <= s.segments_rx && s.remembered <= h->conf.reorder_max + 1u &&
         s.remembered <= s.remembered_peak);
    check_guards(h);
}

/* ---- what a host does ---- */

static struct iw_sge draw_sge(const struct host *h)
{
    uint32_t region = byte() % REGIONS, at = byte();
    return (struct iw_sge){h->stag[region], byte(), to_of(region) + at};
}

static void post(int side)
{
    struct host *h = &host[side], *peer = &host[!side];
    if (h->ids == IDS)
        return;
    uint8_t op = byte(), how = byte(), target = byte();
    struct iw_work w = {.id = h->ids,
                        .op = (enum iw_op)(op % IW_OPS),
                        .flags = how & 3,
                        .sges = (how >> 2) % (IW_SGE_MAX + 1)};
    for (int i = 0; i < w.sges; i++)
        w.sge[i] = draw_sge(h);
    w.remote_stag = target & 128 ? word() : peer->stag[target % REGIONS];
    w.remote_to = target & 64 ? (uint64_t)word() << 32 | word() : to_of(target % REGIONS) + byte();
    w.qn = target & 32 ? 7 : 0;
    w.rsvdulp = (uint64_t)op << 32 | how;
    if (iw_post(h->ep, now, &w) != IW_OK)
        return;
    h->posted[h->ids] = 1;
    h->silent[h->ids] = w.op != IW_RECV && w.flags & IW_UNSIGNALLED;
    h->ids++;
}

static void keep(struct host *h, uint32_t len)
{
    struct segment *s = &h->line[h->sent++];
    *s = (struct segment){
        .key = h->next_key, .end = h->next_key + 1 + len / 100, .len = len, .octets = block(len)};
    h->next_key = s->end;
}

static void check_sent(struct host *h, const struct iw_seg *seg)
{
    uint32_t octets = 0;
    must(seg->key == h->next_key);
    must(seg->head_len + seg->payload_len <= h->conf.mulpdu && seg->frags <= IW_FRAGS_MAX);
    for (int i = 0; i < seg->frags; i++)
        octets += seg->frag[i].len;
    must(octets == seg->payload_len);
    must(!h->terminated);
    h->terminated = !(h->conf.profile & IW_DDP_ONLY) && (seg->head[1] & 15) == RDMAP_TERMINATE;
}

static bool transmit(int side)
{
    struct host *h = &host[side];
    struct iw_seg seg;
    if (h->sent == LINE || h->over || !iw_transmit(h->ep, now, h->next_key, &seg))
        return false;
    check_sent(h, &seg);
    keep(h, seg.head_len + seg.payload_len);
    uint8_t *p = h->line[h->sent - 1].octets;
    memcpy(p, seg.head, seg.head_len);
    p += seg.head_len;
    for (int i = 0; i < seg.frags; i++) {
        if (seg.frag[i].len)
            memcpy(p, seg.frag[i].octets, seg.frag[i].len);
        p += seg.frag[i].len;
    }
    return true;
}

/* A segment that no engine made, behind the last one. */
static void make_up(int side)
{
    struct host *h = &host[side];
    if (h->sent == LINE)
        return;
    uint32_t len = byte();
    keep(h, len);
    uint8_t *p = h->line[h->sent - 1].octets;
    for (uint32_t i = 0; i < len; i++)
        p[i] = byte();
}

/* The same with a head that makes some sense. */
static void make_up_head(int side)
{
    struct host *h = &host[side], *peer = &host[!side];
    if (h->sent == LINE)
        return;
    uint8_t ctl = byte(), opcode = byte(), region = byte() % REGIONS, len = byte() % 64, low = byte();
    struct ddp_head d = {.tagged = ctl & 1, .last = ctl & 2, .version = h->conf.profile & IW_RDMAC ? 0 : 1};
    const struct rdmap_ctl c = {d.version, opcode & 15, peer->stag[region]};
    d.rsvdulp = rdmap_ctl_put(&c, d.tagged);
    d.stag = peer->stag[region];
    d.to = to_of(region) + low;
    d.qn = opcode >> 4 & 3;
    d.msn = (h->conf.first_msn ? h->conf.first_msn : 1) + (low & 7);
    d.mo = low >> 3;
    keep(h, ddp_head_size(&d) + len);
    uint8_t *p = h->line[h->sent - 1].octets;
    p += ddp_head_put(p, &d);
    for (uint32_t i = 0; i < len; i++)
        p[i] = byte();
}

static void alter(int side)
{
    struct host *h = &host[side];
    if (h->arrived == h->sent)
        return;
    struct segment *s = &h->line[h->arrived + byte() % (h->sent - h->arrived)];
    uint32_t at = byte();
    if (at < s->len && !s->in_flight)
        s->octets[at] ^= byte();
}

/* ---- what reaches a host ---- */

static void view(const struct segment *s, struct iw_seg *seg)
{
    iw_seg_view(seg, s->key, s->octets, s->len);
    uint32_t cut = byte();
    if (!seg->frags || cut >= seg->payload_len)
        return;
    const uint8_t *octets = seg->frag[0].octets;
    seg->frags = 2;
    seg->frag[0].len = cut;
    seg->frag[1] = (struct iw_frag){octets + cut, seg->payload_len - cut};
}

static void present(int side, struct segment *s)
{
    struct host *h = &host[side];
    struct flight *f = &h->flight[h->flights];
    if (h->flights == FLIGHTS)
        return;
    view(s, &f->seg);
    int verdict = iw_check(h->ep, now, &f->seg, &f->place);
    must(verdict == IW_OK || verdict == IW_LATER || verdict == IW_ESTATE || verdict > 0);
    must(verdict <= 0 || s == &host[!side].line[host[!side].arrived]);
    must(verdict <= 0 || iw_term_entry(verdict));
    if (verdict == IW_LATER)
        return;
    s->taken = true;
    if (verdict != IW_OK)
        return;
    s->in_flight++;
    f->segment = s;
    h->flights++;
}

static void arrive(int side)
{
    struct host *from = &host[!side];
    uint32_t away = from->sent - from->arrived;
    if (away)
        present(side, &from->line[from->arrived + byte() % away]);
}

static void commit(int side, uint32_t which)
{
    struct host *h = &host[side];
    if (!h->flights)
        return;
    uint32_t i = which % h->flights;
    struct flight f = h->flight[i];
    h->flight[i] = h->flight[--h->flights];
    f.segment->in_flight--;
    int result = iw_commit(h->ep, now, &f.seg, &f.place);
    must(result == IW_OK || result == IW_ESTATE || iw_term_entry(result));
}

static void deliver(int side)
{
    struct host *h = &host[side], *from = &host[!side];
    struct iw_message m;
    int result;
    while (from->arrived < from->sent && from->line[from->arrived].taken &&
           !from->line[from->arrived].in_flight)
        from->arrived++;
    if (!from->arrived)
        return;
    while ((result = iw_deliver(h->ep, now, from->line[from->arrived - 1].end, &m)) == 1)
        must(m.key < from->line[from->arrived - 1].end);
    must(result == IW_OK || result == IW_ESTATE || iw_term_entry(result));
}

static void acknowledge(int side, uint8_t how)
{
    struct host *h = &host[side];
    if (how & 1 && h->arrived)
        iw_note_acked(h->ep, now, h->line[h->arrived - 1].end);
    else
        iw_accepted(h->ep, now, h->next_key);
}

/* ---- memory, ends ---- */

static void change_memory(int side)
{
    struct host *h = &host[side];
    uint8_t how = byte();
    uint32_t i = how % REGIONS;
    struct iw_region r = region_of(h, i);
    int result;
    switch (how >> 5) {
    case 0:
        if (iw_invalidate(h->stags, h->stag[i]) == IW_OK)
            shut(h, i);
        break;
    case 1:
        result = iw_revoke(h->stags, h->stag[i], IW_CANCEL);
        if (result == IW_OK || result == IW_EBUSY)
            shut(h, i);
        break;
    case 2:
        result = iw_revoke(h->stags, h->stag[i], IW_DRAIN);
        if (result == IW_OK)
            shut(h, i);
        else if (result == IW_EBUSY && h->state[i] == OPEN)
            h->state[i] = DRAINING;
        break;
    case 3:
        if (iw_revoked(h->stags, h->stag[i]))
            register_region(h, i);
        break;
    default:
        r.len = byte() % (REGION_OCTETS + 1u);
        r.rights = byte() & 7;
        if (iw_rebind(h->stags, h->stag[i], &r) == IW_OK)
            h->state[i] = OPEN;
        break;
    }
}

static void see_drained(struct host *h)
{
    for (uint32_t i = 0; i < REGIONS; i++)
        if (h->state[i] == DRAINING && iw_revoked(h->stags, h->stag[i]))
            shut(h, i);
}

static void request(int side)
{
    struct host *h = &host[side];
    enum iw_llp_want want = iw_llp_request(h->ep);
    if (want == IW_LLP_SEND_RST)
        h->over = true;
}

static void end(int side)
{
    struct host *h = &host[side];
    uint8_t how = byte();
    switch (how % 8) {
    case 0: iw_close(h->ep, now, IW_CLOSE); break;
    case 1: iw_close(h->ep, now, IW_HALF_CLOSE); break;
    case 2: iw_close(h->ep, now, IW_ABORT); break;
    case 3: iw_terminate(h->ep, now, iw_terms[byte() % iw_terms_count].term); break;
    case 4: iw_llp(h->ep, now, IW_LLP_FIN); break;
    case 5: iw_llp(h->ep, now, how & 16 ? IW_LLP_LOST : IW_LLP_DOWN); break;
    case 6: iw_llp_failed(h->ep, now, how & 16 ? IW_T_LLP_CRC : IW_T_LLP_MARKER); break;
    default: request(side); break;
    }
}

static void tune(int side)
{
    struct host *h = &host[side];
    uint8_t how = byte(), value = byte();
    if (how & 1) {
        if (iw_set_mulpdu(h->ep, value * 2u) == IW_OK)
            h->conf.mulpdu = value * 2u;
    } else if (how & 2) {
        iw_cq_arm(h->cq, (enum iw_arm)(value % IW_ARMS));
        iw_cq_event(h->cq);
    } else {
        now += value;
        if (iw_deadline(h->ep) <= now)
            iw_expire(h->ep, now);
    }
}

static void act(void)
{
    uint8_t what = byte();
    int side = what >> 7;
    switch (what % 16) {
    case 0:
    case 1: post(side); break;
    case 2:
    case 3: transmit(side); break;
    case 4:
    case 5: arrive(side); break;
    case 6: commit(side, byte()); break;
    case 7: deliver(side); break;
    case 8: acknowledge(side, what >> 4); break;
    case 9: make_up(side); break;
    case 10: make_up_head(side); break;
    case 11: alter(side); break;
    case 12: change_memory(side); break;
    case 13: end(side); break;
    case 14: tune(side); break;
    default: poll(&host[side]); break;
    }
    see_drained(&host[side]);
}

/* Everything that can still happen does; then both are gone, and nothing is owed. */
static void finish(void)
{
    for (int side = 0; side < SIDES; side++) {
        struct host *h = &host[side];
        while (h->flights)
            commit(side, 0);
        poll(h);
        iw_close(h->ep, now, IW_ABORT);
        see_drained(h);
        poll(h);
        must(h->events & 1u << IW_EV_CLOSED);
        must(!transmit(side));
        for (uint32_t i = 0; i < h->ids && !iw_cq_overflowed(h->cq); i++)
            must(h->completed[i] == 1 || h->silent[i]);
    }
}

/* checks: DDP-8.3.1-3 RDMAP-8.1.1-3 DDP-8.3.1-6 RDMAP-5.4-8 DDP-5.2-2 RDMAP-6.2.1-2 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > SCRIPT_MAX)
        return -1;
    script = data;
    left = size;
    now = 0;
    struct iw_conf conf = draw_conf();
    uint8_t more = byte();
    uint32_t entries = more & 2 ? 1u + more / 16 : CQ_ENTRIES;
    open_host(&host[0], &conf, 0, entries);
    conf.mulpdu = 128u + byte();
    open_host(&host[1], &conf, more & 1 ? IW_WAIT_FIRST : 0, entries);
    while (left)
        act();
    finish();
    for (int side = 0; side < SIDES; side++)
        close_host(&host[side]);
    return 0;
}
