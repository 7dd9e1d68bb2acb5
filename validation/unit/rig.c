/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rig.h"

#include <stdlib.h>

/* ---- octets ---- */

static int digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = c ? strchr(digits, c | 0x20) : NULL;
    return at ? (int)(at - digits) : -1;
}

struct ulpdu hex(const char *text)
{
    struct ulpdu u = {0};
    uint32_t digits = 0;
    for (; *text; text++) {
        if (*text == ' ' || *text == '|')
            continue;
        int d = digit(*text);
        if (d < 0 || u.len == RIG_ULPDU)
            fail_msg("not hex, or too long: %s", text);
        u.octets[u.len] = (uint8_t)(u.octets[u.len] << 4 | d);
        if (++digits % 2 == 0)
            u.len++;
    }
    assert_int_equal(digits % 2, 0);
    return u;
}

struct ulpdu hex_count(const char *head, uint32_t first, uint32_t len)
{
    struct ulpdu u = hex(head);
    assert_true(len <= RIG_ULPDU - u.len);
    for (uint32_t i = 0; i < len; i++)
        u.octets[u.len++] = (uint8_t)(first + i);
    return u;
}

static uint8_t *put(uint8_t *p, uint64_t value, int octets)
{
    for (int i = 0; i < octets; i++)
        p[i] = (uint8_t)(value >> 8 * (octets - 1 - i));
    return p + octets;
}

/* ---- the endpoint ---- */

struct iw_conf rig_conf(void)
{
    return (struct iw_conf){
        .user = 7,
        .pd = 1,
        .stream = 1,
        .mulpdu = 1500,
        .llp = IW_LLP_ALL,
        .complete_on = IW_ON_ACCEPT,
        .sq_max = 16,
        .rq_max = 16,
        .ord = 4,
        .ird = 4,
        .reorder_max = 64,
        .linger = 1000000000, /* 1 ms */
        .trust = 1,
    };
}

static void *block(size_t size)
{
    void *memory = malloc(size);
    assert_non_null(memory);
    memset(memory, 0xa5, size); /* the engine may not count on zeros */
    return memory;
}

static struct iw_cq *queue_of(uint32_t entries)
{
    return iw_cq_init(block(iw_cq_size(entries)), entries, 1);
}

void rig_init(struct rig *r, struct iw_conf conf)
{
    *r = (struct rig){.shares_stags = conf.stags, .shares_cqs = conf.send_cq};
    if (!conf.stags)
        conf.stags = iw_stags_init(block(iw_stags_size(RIG_REGIONS)), RIG_REGIONS, 0);
    if (!conf.send_cq) {
        conf.send_cq = queue_of(RIG_DONES);
        conf.recv_cq = queue_of(RIG_DONES);
    }
    r->conf = conf;
    r->stags = conf.stags;
    r->send_cq = conf.send_cq;
    r->recv_cq = conf.recv_cq;
    if (iw_conf_error(&conf))
        fail_msg("refused: %s", iw_conf_error(&conf));
    size_t size = iw_ep_size(&conf);
    assert_true(size > 0);
    r->ep = iw_ep_init(block(size), &conf);
    assert_non_null(r->ep);
}

void rig_open(struct rig *r, struct iw_conf conf)
{
    rig_init(r, conf);
    assert_int_equal(iw_enable(r->ep, r->now, 0), IW_OK);
}

static void expect_canaries(const uint8_t *at)
{
    for (int i = 0; i < RIG_GUARD; i++)
        assert_int_equal(at[i], RIG_CANARY);
}

void rig_close(struct rig *r)
{
    for (uint32_t i = 0; i < r->regions; i++) {
        struct rig_region *g = &r->region[i];
        if (!g->octets)
            continue;
        expect_canaries(g->octets - RIG_GUARD);
        expect_canaries(g->octets + g->len);
        free(g->octets - RIG_GUARD);
    }
    free(r->ep);
    if (!r->shares_stags)
        free(r->stags);
    if (r->shares_cqs)
        return;
    if (r->recv_cq != r->send_cq)
        free(r->recv_cq);
    free(r->send_cq);
}

/* ---- memory ---- */

iw_stag rig_region(struct rig *r, struct iw_region region, bool length_only)
{
    assert_true(r->regions < RIG_REGIONS);
    struct rig_region *g = &r->region[r->regions++];
    *g = (struct rig_region){.to = region.to, .len = (uint32_t)region.len};
    if (!length_only) {
        uint8_t *guarded = malloc(g->len + 2 * RIG_GUARD);
        assert_non_null(guarded);
        memset(guarded, RIG_CANARY, g->len + 2 * RIG_GUARD);
        region.base = g->octets = guarded + RIG_GUARD;
        memset(g->octets, 0, g->len);
    }
    assert_int_equal(iw_register(r->stags, &region, &g->stag), IW_OK);
    return g->stag;
}

iw_stag rig_memory(struct rig *r, uint64_t to, uint32_t len, unsigned rights)
{
    return rig_region(r, (struct iw_region){.to = to, .len = len, .rights = rights, .pd = r->conf.pd}, false);
}

static struct rig_region *region_of(struct rig *r, iw_stag stag)
{
    for (uint32_t i = 0; i < r->regions; i++)
        if (r->region[i].stag == stag)
            return &r->region[i];
    fail_msg("the rig made no region with STag %08x", (unsigned)stag);
    return NULL;
}

uint8_t *rig_at(struct rig *r, iw_stag stag, uint64_t to)
{
    struct rig_region *g = region_of(r, stag);
    assert_true(to - g->to <= g->len);
    return g->octets + (to - g->to);
}

void rig_count(struct rig *r, iw_stag stag)
{
    struct rig_region *g = region_of(r, stag);
    for (uint32_t i = 0; i < g->len; i++)
        g->octets[i] = (uint8_t)i;
}

/* ---- work ---- */

int rig_post(struct rig *r, struct iw_work work)
{
    return iw_post(r->ep, r->now, &work);
}

void rig_recv(struct rig *r, uint64_t id, iw_stag stag, uint64_t to, uint32_t len)
{
    struct iw_work work = {.id = id, .op = IW_RECV, .sges = 1, .sge = {{.stag = stag, .len = len, .to = to}}};
    assert_int_equal(rig_post(r, work), IW_OK);
}

void rig_send(struct rig *r, uint64_t id, enum iw_op op, iw_stag stag, uint64_t to, uint32_t len)
{
    struct iw_work work = {.id = id, .op = op, .sges = 1, .sge = {{.stag = stag, .len = len, .to = to}}};
    assert_int_equal(rig_post(r, work), IW_OK);
}

void rig_tagged(struct rig *r, uint64_t id, enum iw_op op, struct iw_sge local, iw_stag remote,
                uint64_t remote_to)
{
    struct iw_work work = {
        .id = id, .op = op, .sges = 1, .sge = {local}, .remote_stag = remote, .remote_to = remote_to};
    assert_int_equal(rig_post(r, work), IW_OK);
}

static void flatten(const struct iw_seg *seg, struct ulpdu *out)
{
    *out = (struct ulpdu){.key = seg->key, .len = seg->head_len};
    assert_true(seg->head_len == 14 || seg->head_len == 18);
    assert_true(seg->frags <= IW_FRAGS_MAX);
    memcpy(out->octets, seg->head, seg->head_len);
    for (int i = 0; i < seg->frags; i++) {
        const struct iw_frag *f = &seg->frag[i];
        assert_true(f->len <= RIG_ULPDU - out->len);
        if (f->octets && f->len)
            memcpy(out->octets + out->len, f->octets, f->len);
        out->len += f->len;
    }
    assert_int_equal(out->len, seg->head_len + seg->payload_len);
}

static uint32_t framed(uint32_t len)
{
    return (2 + len + 3) / 4 * 4 + 4; /* as MPA frames it (RFC 5044 section 4) */
}

bool rig_pull(struct rig *r, struct ulpdu *out)
{
    struct iw_seg seg;
    if (!iw_transmit(r->ep, r->now, r->tx_key, &seg))
        return false;
    assert_int_equal(seg.key, r->tx_key);
    flatten(&seg, out);
    assert_true(out->len <= r->conf.mulpdu);
    r->tx_key += framed(out->len);
    return true;
}

uint32_t rig_pull_all(struct rig *r, struct ulpdu *out, uint32_t max)
{
    uint32_t n = 0;
    struct ulpdu u;
    while (rig_pull(r, &u)) {
        assert_true(n < max);
        out[n++] = u;
    }
    return n;
}

void rig_accept(struct rig *r)
{
    iw_accepted(r->ep, r->now, r->tx_key);
}

void rig_ack(struct rig *r)
{
    iw_note_acked(r->ep, r->now, r->tx_key);
}

struct iw_done rig_done(struct iw_cq *cq)
{
    struct iw_done done;
    if (!iw_poll(cq, &done))
        done = (struct iw_done){.status = IW_ESTATE};
    return done;
}

/* ---- arrival ---- */

static int deliver(struct rig *r, uint64_t key)
{
    for (bool told = false;; told = true) {
        struct iw_message m;
        int got = iw_deliver(r->ep, r->now, key, &m);
        if (got == IW_ESTATE && told)
            return IW_OK; /* that message was a Terminate */
        if (got != 1)
            return got;
        assert_true(r->messages < RIG_MESSAGES);
        r->message[r->messages++] = m;
    }
}

static int present(struct rig *r, const struct ulpdu *u)
{
    struct iw_seg seg;
    struct iw_place place;
    iw_seg_view(&seg, u->key, u->octets, u->len);
    int got = iw_check(r->ep, r->now, &seg, &place);
    return got == IW_OK ? iw_commit(r->ep, r->now, &seg, &place) : got;
}

int rig_arrive(struct rig *r, struct ulpdu u)
{
    u.key = r->rx_key;
    int got = present(r, &u);
    if (got != IW_OK)
        return got;
    r->rx_key += framed(u.len);
    return deliver(r, r->rx_key);
}

int rig_arrive_hex(struct rig *r, const char *text)
{
    return rig_arrive(r, hex(text));
}

void rig_keys(const struct rig *r, struct ulpdu *u, uint32_t n)
{
    uint64_t key = r->rx_key;
    for (uint32_t i = 0; i < n; i++) {
        u[i].key = key;
        key += framed(u[i].len);
    }
}

enum { ABSENT, PLACED, HELD };

/* Move the edge over what has arrived; what was IW_LATER gets its turn. */
static int advance(struct rig *r, const struct ulpdu *u, uint32_t n, uint8_t *state, uint32_t *edge)
{
    while (*edge < n && state[*edge] != ABSENT) {
        if (state[*edge] == HELD) {
            int got = present(r, &u[*edge]);
            if (got != IW_OK)
                return got;
            state[*edge] = PLACED;
        }
        r->rx_key = u[*edge].key + framed(u[*edge].len);
        ++*edge;
        int got = deliver(r, r->rx_key);
        if (got != IW_OK)
            return got;
    }
    return IW_OK;
}

int rig_present(struct rig *r, const struct ulpdu *u, uint32_t n, const uint32_t *order, uint32_t arrivals)
{
    uint8_t state[RIG_MESSAGES] = {0};
    uint32_t edge = 0;
    assert_true(n <= RIG_MESSAGES);
    for (uint32_t i = 0; i < arrivals; i++) {
        uint32_t at = order[i];
        if (at < edge)
            continue; /* the LLP keeps what it has handed up (DDP-3-11) */
        int got = present(r, &u[at]);
        if (got == IW_LATER)
            assert_true(at > edge);
        if (got != IW_OK && got != IW_LATER)
            return got;
        if (state[at] != PLACED)
            state[at] = got == IW_OK ? PLACED : HELD;
        got = advance(r, u, n, state, &edge);
        if (got != IW_OK)
            return got;
    }
    return IW_OK;
}

bool rig_permute(uint32_t *order, uint32_t n)
{
    if (n < 2)
        return false;
    uint32_t i = n - 1, j = n - 1;
    while (i > 0 && order[i - 1] >= order[i])
        i--;
    if (i == 0)
        return false;
    while (order[j] <= order[i - 1])
        j--;
    uint32_t swap = order[i - 1];
    order[i - 1] = order[j];
    order[j] = swap;
    for (j = n - 1; i < j; i++, j--) {
        swap = order[i];
        order[i] = order[j];
        order[j] = swap;
    }
    return true;
}

int rig_carry(struct rig *from, struct rig *to)
{
    struct ulpdu u;
    while (rig_pull(from, &u)) {
        int got = rig_arrive(to, u);
        if (got != IW_OK)
            return got;
        rig_accept(from);
        rig_ack(from);
    }
    return IW_OK;
}

/* ---- expectations ---- */

static void same(int64_t got, int64_t want, const char *file, int line)
{
    _assert_int_equal(cast_to_largest_integral_type(got), cast_to_largest_integral_type(want), file, line);
}

static void expect_same(const uint8_t *got, uint32_t got_len, const uint8_t *want, uint32_t want_len,
                        const char *file, int line)
{
    if (got_len != want_len)
        print_error("%s:%d: %u octets, not %u\n", file, line, (unsigned)got_len, (unsigned)want_len);
    same(got_len, want_len, file, line);
    _assert_memory_equal(got, want, want_len, file, line);
}

void rig_expect_sent(struct rig *r, struct ulpdu want, const char *file, int line)
{
    struct ulpdu got;
    if (!rig_pull(r, &got)) {
        print_error("%s:%d: nothing was sent\n", file, line);
        _fail(file, line);
    }
    expect_same(got.octets, got.len, want.octets, want.len, file, line);
}

void rig_expect_silence(struct rig *r, const char *file, int line)
{
    struct ulpdu got;
    same(rig_pull(r, &got), false, file, line);
}

struct iw_event rig_expect_event(struct rig *r, enum iw_event_kind kind, const char *file, int line)
{
    struct iw_event event;
    if (!iw_event(r->ep, &event)) {
        print_error("%s:%d: no event\n", file, line);
        _fail(file, line);
    }
    same(event.kind, kind, file, line);
    return event;
}

void rig_expect_no_event(struct rig *r, const char *file, int line)
{
    struct iw_event event;
    same(iw_event(r->ep, &event), false, file, line);
}

struct iw_done rig_expect_done(struct iw_cq *cq, uint64_t id, enum iw_op op, int status, const char *file,
                               int line)
{
    struct iw_done done;
    if (!iw_poll(cq, &done)) {
        print_error("%s:%d: no completion\n", file, line);
        _fail(file, line);
    }
    same((int64_t)done.id, (int64_t)id, file, line);
    same(done.op, op, file, line);
    same(done.status, status, file, line);
    return done;
}

void rig_expect_not_done(struct iw_cq *cq, const char *file, int line)
{
    struct iw_done done;
    same(iw_poll(cq, &done), false, file, line);
}

void rig_expect_octets(const uint8_t *at, const char *text, const char *file, int line)
{
    struct ulpdu want = hex(text);
    expect_same(at, want.len, want.octets, want.len, file, line);
}

void rig_expect_zero(const uint8_t *at, uint32_t len, const char *file, int line)
{
    for (uint32_t i = 0; i < len; i++)
        same(at[i], 0, file, line);
}

/* RFC 5040 figures 7 and 8, drawn here a second time. */
static struct ulpdu terminate_of(int term, uint8_t version, const char *bits, const struct ulpdu *cause)
{
    struct ulpdu u = {0};
    uint8_t *p = put(u.octets, 0x40 | version, 1);
    p = put(p, (uint64_t)version << 6 | 7, 1);
    p = put(put(put(put(p, 0, 4), 2, 4), 1, 4), 0, 4);
    uint64_t flags =
        (strchr(bits, 'M') ? 0x80 : 0) | (strchr(bits, 'D') ? 0x40 : 0) | (strchr(bits, 'R') ? 0x20 : 0);
    p = put(put(put(p, (uint64_t)term & 0xffff, 2), flags, 1), 0, 1);
    if (*bits) {
        p = put(p, cause->len, 2);
        size_t head = cause->octets[0] & 0x80 ? 14 : 18;
        memcpy(p, cause->octets, head + (strchr(bits, 'R') ? 28 : 0));
        p += head + (strchr(bits, 'R') ? 28 : 0);
    }
    u.len = (uint32_t)(p - u.octets);
    return u;
}

void rig_expect_terminate(struct rig *r, int term, const char *bits, const struct ulpdu *cause,
                          const char *file, int line)
{
    struct iw_event event = rig_expect_event(r, IW_EV_FATAL, file, line);
    same(event.terminate.term, term, file, line);
    rig_expect_sent(r, terminate_of(term, r->conf.profile & IW_RDMAC ? 0 : 1, bits, cause), file, line);
    event = rig_expect_event(r, IW_EV_TERMINATE_SENT, file, line);
    same(event.terminate.term, term, file, line);
    rig_expect_silence(r, file, line);
}
