/* SPDX-License-Identifier: GPL-2.0-or-later */
/* peer_own.c -- the oracle: our own engine behind a session, fed through arrays (peer.h). */
#include <stdlib.h>
#include <string.h>

#include "helpers/judge/peer.h"
#include "helpers/world/socket/memory.h"
#include "socket/session.h"

enum { HOME = 4096, ASKED = 16, RECEIVES = 8, RECEIVE = 64, DEPTH = 4, EMSS = 1460, OUT_MAX = 1 << 20 };
#define MS     UINT64_C(1000000000) /* picoseconds */
#define SECOND (1000 * MS)

struct peer_own {
    struct live_memory memory;
    void *block;
    struct session *session; /* in it */
    struct session_batch batch;
    uint8_t *out; /* octets that it has sent and nobody has heard */
    uint32_t out_len, heard;
    int ended; /* PEER_FIN, PEER_LOST; 0: not yet */
    bool asks; /* initiator: its Read is still to be posted */
    iw_stag local;
    unsigned profile;
    uint8_t told[TOLD_OCTETS];
    iw_time now;
};

static struct session_conf conf_of(const struct peer_own *p, unsigned wishes)
{
    return (struct session_conf){.ep = {.stags = p->memory.stags,
                                        .send_cq = p->memory.cq,
                                        .recv_cq = p->memory.cq,
                                        .trust = LIVE_TRUST,
                                        .pd = LIVE_PD,
                                        .profile = p->profile | IW_NO_DIGEST, /* if nobody asks for CRC */
                                        .stream = 1,
                                        .sq_max = DEPTH,
                                        .rq_max = RECEIVES,
                                        .ord = DEPTH,
                                        .ird = DEPTH,
                                        .reorder_max = 2,
                                        .linger = 10 * SECOND},
                                 .start = {.role = wishes & PEER_INITIATES ? MPA_INITIATOR : MPA_RESPONDER,
                                           .kind = MPA_IETF_PERMISSIVE,
                                           .markers = wishes & PEER_MARKERS,
                                           .no_crc = true,
                                           .enhanced = true,
                                           .rtr = MPA_RTR_SEND | MPA_RTR_WRITE | MPA_RTR_READ,
                                           .ird = DEPTH,
                                           .ord = DEPTH,
                                           .ird_max = DEPTH,
                                           .private_data = p->told,
                                           .private_len = wishes & PEER_INITIATES ? TOLD_OCTETS : 0,
                                           .timeout = SECOND},
                                 .emss = EMSS};
}

/* An initiator speaks first: it reads, though nobody has told it what. */
static void ask_read(struct peer_own *p)
{
    const struct iw_work w = {
        .op = IW_READ, .sges = 1, .sge = {{p->local, ASKED, 0}}, .remote_stag = 1, .remote_to = 0};
    iw_post(session_ep(p->session), p->now, &w);
    p->asks = false;
}

/* What the session does of its own accord, until it has nothing more to do. */
static void pump(struct peer_own *p)
{
    if (session_state(p->session) == SESSION_DECIDE)
        session_answer(p->session, p->now, true, p->told, sizeof p->told);
    if (p->asks && session_state(p->session) == SESSION_OPEN)
        ask_read(p);
    while (session_transmit(p->session, p->now, &p->batch)) {
        for (uint32_t i = 0; i < p->batch.pieces; i++) {
            const struct iw_frag *piece = &p->batch.piece[i];
            uint32_t len = piece->len < OUT_MAX - p->out_len ? piece->len : OUT_MAX - p->out_len;
            memcpy(p->out + p->out_len, piece->octets, len);
            p->out_len += len;
        }
        session_sent(p->session, p->now, &p->batch, p->batch.octets);
    }
    enum session_want want = session_request(p->session, p->now);
    if (want != SESSION_NOTHING && !p->ended)
        p->ended = want == SESSION_SEND_FIN ? PEER_FIN : PEER_LOST;
}

static bool post_receives(struct peer_own *p)
{
    const struct iw_region r = {.base = p->memory.home, .len = HOME, .rights = IW_LOCAL_WRITE, .pd = LIVE_PD};
    if (iw_register(p->memory.stags, &r, &p->local) != IW_OK)
        return false;
    for (uint64_t i = 0; i < RECEIVES; i++) {
        const struct iw_work w = {
            .id = i, .op = IW_RECV, .sges = 1, .sge = {{p->local, RECEIVE, HOME - (i + 1) * RECEIVE}}};
        if (iw_post(session_ep(p->session), p->now, &w) != IW_OK)
            return false;
    }
    return true;
}

static void own_close(void *context)
{
    struct peer_own *p = context;
    free(p->block);
    p->block = NULL;
    p->session = NULL;
    memory_free(&p->memory);
}

static bool own_open(void *context, unsigned wishes)
{
    struct peer_own *p = context;
    own_close(p);
    p->out_len = p->heard = 0;
    p->ended = 0;
    if (!memory_make(&p->memory, HOME, 1, 1))
        return false;
    told_put(&p->memory.told, p->told);
    const struct session_conf conf = conf_of(p, wishes);
    p->block = malloc(session_size(&conf));
    p->session = p->block ? session_init(p->block, p->now, &conf) : NULL;
    p->asks = wishes & PEER_INITIATES;
    if (p->session && post_receives(p)) {
        pump(p); /* an initiator's Request */
        return true;
    }
    own_close(p);
    return false;
}

static void own_send(void *context, const uint8_t *octets, uint32_t len)
{
    struct peer_own *p = context;
    session_receive(p->session, p->now, octets, len);
    pump(p);
}

static int own_hear(void *context, uint8_t *out, uint32_t room, unsigned ms)
{
    struct peer_own *p = context;
    p->now += ms * MS;
    if (p->heard == p->out_len && ms) {
        session_expire(p->session, p->now);
        pump(p);
    }
    uint32_t n = p->out_len - p->heard;
    if (!n) {
        int ended = p->ended;
        p->ended = 0; /* told once */
        return ended;
    }
    n = n < room ? n : room;
    memcpy(out, p->out + p->heard, n);
    p->heard += n;
    return (int)n;
}

static void own_finish(void *context)
{
    struct peer_own *p = context;
    session_fin(p->session, p->now);
    pump(p);
}

struct peer_own *peer_own_new(struct judge_peer *peer, unsigned profile)
{
    struct peer_own *p = calloc(1, sizeof *p);
    if (p)
        p->out = malloc(OUT_MAX);
    if (!p || !p->out) {
        free(p);
        return NULL;
    }
    p->profile = profile;
    *peer = (struct judge_peer){p, true, own_open, own_send, own_hear, own_finish, own_close};
    return p;
}

void peer_own_free(struct peer_own *p)
{
    if (!p)
        return;
    own_close(p);
    free(p->out);
    free(p);
}
