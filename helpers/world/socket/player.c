/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/world/socket/player.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/rdmap.h"
#include "scenarios/workloads/kind.h"

enum { RECEIVES = 32, RECEIVE_LEN = 65536, RECEIVE_ID = 1 << 16, NUMBER = 8 };

static const char mark[] = "iwarpsim ";

/* ---- kinds of steps ---- */

static bool is_send(enum iw_op op)
{
    return op <= IW_SEND_SE_INV;
}

static bool is_atomic(enum iw_op op)
{
    return op == IW_FETCH_ADD || op == IW_CMP_SWAP;
}

static bool is_mine(const struct live_player *p, uint32_t i)
{
    return !p->script.step[i].wait && p->script.step[i].side == p->side;
}

static bool is_other(const struct live_player *p, uint32_t i)
{
    return !p->script.step[i].wait && p->script.step[i].side != p->side;
}

/* ---- private data ---- */

uint16_t player_private_put(const struct live_memory *m, const char *script, uint8_t out[PLAYER_PRIVATE_MAX])
{
    size_t text = script ? strlen(script) : 0;
    told_put(&m->told, out);
    if (!script || text > PLAYER_TEXT_MAX)
        return TOLD_OCTETS;
    memcpy(out + TOLD_OCTETS, mark, sizeof mark - 1);
    memcpy(out + TOLD_OCTETS + sizeof mark - 1, script, text);
    return (uint16_t)(TOLD_OCTETS + sizeof mark - 1 + text);
}

bool player_private_get(const uint8_t *octets, uint32_t len, struct live_told *told, char *script,
                        bool *plays)
{
    bool known = told_get(octets, len, told);
    uint32_t head = TOLD_OCTETS + sizeof mark - 1;
    *plays = known && len >= head && memcmp(octets + TOLD_OCTETS, mark, sizeof mark - 1) == 0;
    if (!script)
        return known;
    uint32_t text = *plays && len - head <= PLAYER_TEXT_MAX ? len - head : 0;
    memcpy(script, octets + head, text);
    script[text] = 0;
    return known;
}

/* ---- memory ---- */

/* Where the octets of each step lie: Writes, and Reads, one behind the other at home; Sends in the receive buffers. */
static void place_octets(struct live_player *p)
{
    uint64_t written[2] = {0}, fetched[2] = {0}, received[2] = {0}, own[2] = {0};
    for (uint32_t i = 0; i < p->script.count; i++) {
        const struct script_step *s = &p->script.step[i];
        if (s->wait)
            continue;
        uint64_t *at = is_send(s->op) ? received : s->op == IW_READ ? fetched : written;
        p->there[i] = is_atomic(s->op) ? 0 : at[s->side];
        if (!is_atomic(s->op))
            at[s->side] += is_send(s->op) ? (s->recv == SCRIPT_NO_BUFFER ? 0 : s->recv) : s->len;
        p->own_at[i] = own[s->side];
        own[s->side] += s->len;
    }
    p->own_len = own[p->side];
    p->recv_len = received[!p->side];
    p->mirror_len = written[p->side];
}

static uint8_t *enroll_octets(struct live_player *p, uint64_t len, iw_stag *stag)
{
    struct iw_region r = {
        .base = calloc(len + 1, 1), .len = len, .rights = IW_LOCAL_WRITE, .pd = LIVE_PD, .shared = true};
    if (r.base && len && iw_register(p->m->stags, &r, stag) != IW_OK) {
        free(r.base);
        r.base = NULL;
    }
    return r.base;
}

bool player_init(struct live_player *p, struct live_memory *m, const struct script *script, int side,
                 char *why)
{
    uint32_t limit = p->limit;
    *p = (struct live_player){
        .m = m, .side = side, .limit = limit, .recv_len = (uint64_t)RECEIVES * RECEIVE_LEN};
    if (script) {
        p->script = *script;
        place_octets(p);
    }
    if (limit && script && p->own_len + p->recv_len > limit) {
        snprintf(why, PLAYER_WHY_MAX,
                 "its side of the script takes %" PRIu64 " octets of memory; at most %" PRIu32
                 " are available",
                 p->own_len + p->recv_len, limit);
        return false;
    }
    p->own = enroll_octets(p, p->own_len, &p->own_stag);
    p->recv = enroll_octets(p, p->recv_len, &p->recv_stag);
    p->mirror = calloc(p->mirror_len + 1, 1);
    if (p->own && p->recv && p->mirror)
        return true;
    player_free(p);
    snprintf(why, PLAYER_WHY_MAX, "there is no memory for the script");
    return false;
}

void player_free(struct live_player *p)
{
    if (p->own_stag)
        iw_revoke(p->m->stags, p->own_stag, IW_CANCEL);
    if (p->recv_stag)
        iw_revoke(p->m->stags, p->recv_stag, IW_CANCEL);
    free(p->own);
    free(p->recv);
    free(p->mirror);
    p->own = p->recv = p->mirror = NULL;
    p->own_stag = p->recv_stag = 0;
}

/* ---- receive buffers ---- */

static void post_receive(struct live_player *p, iw_time now, uint64_t id, uint64_t at, uint32_t len)
{
    struct iw_work work = {.id = id, .op = IW_RECV, .sges = len > 0};
    work.sge[0] = (struct iw_sge){p->recv_stag, len, at};
    iw_post(p->ep, now, &work);
}

void player_listen(struct live_player *p, struct iw_ep *ep, iw_time now)
{
    p->ep = ep;
    for (uint32_t i = 0; !p->script.count && i < RECEIVES; i++)
        post_receive(p, now, RECEIVE_ID + i, (uint64_t)i * RECEIVE_LEN, RECEIVE_LEN);
    for (uint32_t i = 0; i < p->script.count; i++)
        if (is_other(p, i) && is_send(p->script.step[i].op) && p->script.step[i].recv != SCRIPT_NO_BUFFER)
            post_receive(p, now, RECEIVE_ID + i, p->there[i], p->script.step[i].recv);
}

/* ---- posting ---- */

/* What step i needs of the peer that it has not; NULL: nothing. */
static const char *lacks(const struct live_player *p, uint32_t i, bool told, char *why)
{
    const struct script_step *s = &p->script.step[i];
    bool names = !is_send(s->op) || s->op == IW_SEND_INV || s->op == IW_SEND_SE_INV;
    if (!p->both && (is_other(p, i) || s->recv != s->len)) {
        snprintf(why, PLAYER_WHY_MAX,
                 "step %" PRIu32
                 " is the peer's to do, and this peer has no script: `peer`, `into` and `unexpected` need "
                 "`iwarpsim serve` there",
                 i + 1);
        return why;
    }
    if (names && !told && s->memory != SCRIPT_NOTHING) {
        snprintf(why, PLAYER_WHY_MAX,
                 "step %" PRIu32 " names memory of the peer, which advertised none: give --stag and --to",
                 i + 1);
        return why;
    }
    if (is_send(s->op) || s->memory != SCRIPT_HOME || s->beyond || p->there[i] + s->len <= p->peer.len)
        return NULL;
    snprintf(why, PLAYER_WHY_MAX,
             "step %" PRIu32 " reaches octet %" PRIu64 " of the peer's memory, which has %" PRIu32, i + 1,
             p->there[i] + s->len, p->peer.len);
    return why;
}

bool player_begin(struct live_player *p, const struct live_told *peer, bool both, char *why)
{
    p->both = both;
    p->peer = peer ? *peer : (struct live_told){.stag = {[SCRIPT_NOTHING] = p->m->told.stag[SCRIPT_NOTHING]}};
    for (uint32_t i = 0; i < p->script.count; i++)
        if (!p->script.step[i].wait && (is_mine(p, i) || !both) && lacks(p, i, peer != NULL, why))
            return false;
    return true;
}

static uint64_t remote_to(const struct live_player *p, uint32_t i)
{
    const struct script_step *s = &p->script.step[i];
    if (s->beyond) /* the second half of it */
        return p->peer.to + p->peer.len - s->len / 2;
    return p->peer.to + (s->memory == SCRIPT_HOME ? p->there[i] : 0);
}

static uint64_t known(const struct live_player *p, uint32_t before)
{
    uint64_t octets = 0;
    for (uint32_t i = 0; i < before; i++)
        if (is_mine(p, i) && p->script.step[i].op == IW_WRITE && p->script.step[i].memory == SCRIPT_HOME)
            octets = p->there[i] + p->script.step[i].len;
    return octets;
}

static void fill_step(struct live_player *p, uint32_t i)
{
    const struct script_step *s = &p->script.step[i];
    uint8_t *octets = p->own + p->own_at[i];
    if (s->op == IW_READ || is_atomic(s->op))
        return;
    stamp_fill(octets, s->len, stamp_key(0, (uint32_t)p->side, i));
    if (s->op == IW_WRITE && s->memory == SCRIPT_HOME && !s->beyond)
        memcpy(p->mirror + p->there[i], octets, s->len);
}

static void post_step(struct live_player *p, iw_time now, uint32_t i)
{
    const struct script_step *s = &p->script.step[i];
    bool names = !is_send(s->op) || s->op == IW_SEND_INV || s->op == IW_SEND_SE_INV;
    struct iw_work work = {.id = i,
                           .op = s->op,
                           .sges = s->len > 0 && !is_atomic(s->op),
                           .flags = (uint8_t)(s->fence ? IW_FENCE : 0),
                           .remote_stag = names ? p->peer.stag[s->memory] : 0,
                           .remote_to = is_send(s->op) ? 0 : remote_to(p, i)};
    if (is_atomic(s->op))
        work.atomic = s->atomic;
    else
        work.sge[0] = (struct iw_sge){p->own_stag, s->len, p->own_at[i]};
    fill_step(p, i);
    p->written[i] = known(p, i);
    p->failed |= iw_post(p->ep, now, &work) != IW_OK;
    if (p->note.posted && !p->failed)
        p->note.posted(p->note.context, p, &work);
}

/* Is everything before step `count` over? */
static bool all_over(const struct live_player *p, uint32_t count, bool quiet)
{
    uint32_t others = 0;
    for (uint32_t i = 0; i < count; i++) {
        others += is_other(p, i);
        if (is_mine(p, i) && !p->done[i])
            return false;
    }
    return quiet && (!p->both || p->heard >= others);
}

void player_go_on(struct live_player *p, iw_time now, bool quiet)
{
    while (p->ep && !p->failed && p->next < p->script.count) {
        if (p->script.step[p->next].wait && !all_over(p, p->next, quiet))
            return;
        if (is_mine(p, p->next))
            post_step(p, now, p->next);
        p->next++;
    }
}

bool player_over(const struct live_player *p, bool quiet)
{
    return p->failed || (p->next == p->script.count && all_over(p, p->script.count, quiet));
}

uint32_t player_waits_for(const struct live_player *p)
{
    uint32_t others = 0;
    for (uint32_t i = 0; i < p->script.count; i++) {
        others += is_other(p, i);
        if ((is_mine(p, i) && !p->done[i]) || (is_other(p, i) && p->both && p->heard < others))
            return i + 1;
    }
    return 0;
}

/* ---- what comes of it ---- */

static void broken(struct live_player *p, uint32_t i, uint64_t octet, const char *what)
{
    if (!*p->broken)
        snprintf(p->broken, sizeof p->broken,
                 "step %" PRIu32 ": octet %" PRIu64 " of %s is not what was sent", i + 1, octet, what);
}

/* What was written is what is read, as far as this side knows it; Atomics change the number at the start. */
static void check_read(struct live_player *p, uint32_t i)
{
    const struct script_step *s = &p->script.step[i];
    uint64_t from = script_has_atomics(&p->script) ? NUMBER : 0, end = p->there[i] + s->len;
    if (s->memory != SCRIPT_HOME || s->beyond)
        return;
    end = end < p->written[i] ? end : p->written[i];
    for (uint64_t at = p->there[i] > from ? p->there[i] : from; at < end; at++)
        if (p->own[p->own_at[i] + at - p->there[i]] != p->mirror[at]) {
            broken(p, i, at - p->there[i], "this Read");
            return;
        }
}

static void received(struct live_player *p, iw_time now, const struct iw_done *d)
{
    uint32_t i = (uint32_t)(d->id - RECEIVE_ID);
    if (!p->script.count) {
        post_receive(p, now, d->id, (uint64_t)i * RECEIVE_LEN, RECEIVE_LEN);
        return;
    }
    if (d->len != p->script.step[i].len)
        broken(p, i, d->len, "this message, its end,");
    else if (stamp_wrong(p->recv + p->there[i], d->len, stamp_key(0, (uint32_t)!p->side, i)))
        broken(p, i, 0, "this message");
}

void player_done(struct live_player *p, iw_time now, const struct iw_done *d)
{
    if (p->note.over)
        p->note.over(p->note.context, p, d);
    if (d->status != IW_OK) {
        p->failed |= d->op != IW_RECV; /* a buffer that was not needed is flushed at every end */
        return;
    }
    if (d->op == IW_RECV) {
        received(p, now, d);
        return;
    }
    if (d->id >= p->script.count)
        return; /* not of the script: an RTR */
    p->done[d->id] = true;
    p->completed++;
    if (d->op == IW_READ)
        check_read(p, (uint32_t)d->id);
}

void player_heard(struct live_player *p, const struct iw_message *m)
{
    static const bool steps[RDMAP_OPCODES] = {
        [RDMAP_WRITE] = true,   [RDMAP_READ_REQ] = true,    [RDMAP_SEND] = true,      [RDMAP_SEND_INV] = true,
        [RDMAP_SEND_SE] = true, [RDMAP_SEND_SE_INV] = true, [RDMAP_ATOMIC_REQ] = true};
    bool step = m->ctl.opcode < RDMAP_OPCODES && steps[m->ctl.opcode];
    p->heard += step && !p->rtr;
    p->rtr &= !step;
}
