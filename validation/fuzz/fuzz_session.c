/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_session.c -- a session against any peer: start-up, stream and end, cut anywhere, TCP that takes as little as it likes.
 *
 * Input: 3 octets of configuration; then commands of 2 octets and more: octets as they are, octets as a ULPDU in a good FPDU, a good
 * start-up frame, time, FIN, RST, what TCP takes. Laws: memory outside what is registered stays; what is sent is start-up frames
 * and good FPDUs; whatever was posted completes once; and when TCP is gone or time is up, the session is over.
 */
#include <stdlib.h>
#include <string.h>

#include "socket/session.h"

enum {
    HEAD = 3,
    MEMORY = 4096,
    GUARD = 64,
    REGION = 2048,
    RECEIVES = 4,
    DONES = 64,
    TRUST = 1,
    PD = 1,
    STAG = 0x100
};
enum { DO_OCTETS, DO_ULPDU, DO_START, DO_TIME, DO_FIN, DO_LOST, DO_TAKE, DO_POST, DOS };
#define START_UP 1000
#define LINGER   1000

struct scene {
    struct session *s;
    struct iw_stags *stags;
    struct iw_cq *cq;
    uint8_t *memory;
    iw_time now;
    bool responds, fin_sent, markers_to_it;
    struct mpa_tx tx; /* of the peer */
    bool tx_known;
    uint32_t posted, completed, take;
};
static struct session_batch batch;

static void must(bool law)
{
    if (!law)
        abort();
}

static void *need(size_t size)
{
    void *p = malloc(size);
    must(p != NULL);
    return p;
}

static void post(struct scene *c, enum iw_op op, uint32_t len)
{
    struct iw_work w = {.op = op,
                        .sges = len > 0,
                        .sge = {{STAG, len, 0}},
                        .remote_stag = op == IW_SEND || op == IW_RECV ? 0 : STAG};
    c->posted += iw_post(session_ep(c->s), c->now, &w) == IW_OK;
}

static bool scene_open(struct scene *c, const uint8_t *in)
{
    *c = (struct scene){.responds = in[0] & 1, .take = UINT32_MAX};
    c->stags = iw_stags_init(need(iw_stags_size(4)), 4, 0);
    c->cq = iw_cq_init(need(iw_cq_size(DONES)), DONES, TRUST);
    c->memory = need(MEMORY);
    memset(c->memory, 0xee, MEMORY);
    struct iw_region r = {.base = c->memory + GUARD,
                          .len = REGION,
                          .rights = IW_LOCAL_WRITE | IW_REMOTE_READ | IW_REMOTE_WRITE,
                          .pd = PD};
    iw_stag stag;
    must(iw_register(c->stags, &r, &stag) == IW_OK && stag == STAG);
    struct session_conf conf = {
        .ep = {.stags = c->stags,
               .send_cq = c->cq,
               .recv_cq = c->cq,
               .trust = TRUST,
               .pd = PD,
               .stream = 1,
               .profile = (in[0] & 2 ? (unsigned)IW_NO_DIGEST : 0) | (in[0] & 4 ? (unsigned)IW_RFC7306 : 0),
               .sq_max = 8,
               .rq_max = 8,
               .ord = in[1] & 3,
               .ird = in[1] >> 2 & 3,
               .reorder_max = 2,
               .linger = LINGER},
        .start = {.role = c->responds ? MPA_RESPONDER : MPA_INITIATOR,
                  .kind = (enum mpa_kind)((in[1] >> 4) % 3),
                  .markers = in[0] & 8,
                  .no_crc = in[0] & 2,
                  .enhanced = in[0] & 16,
                  .peer_to_peer = in[0] & 32,
                  .rtr = MPA_RTR_WRITE | MPA_RTR_READ,
                  .ird = in[1] >> 2 & 3,
                  .ird_max = in[1] >> 2 & 3,
                  .ord = in[1] & 3,
                  .lenient = in[0] & 64,
                  .timeout = START_UP},
        .emss = 536u + in[2] * 16u};
    if (session_conf_error(&conf))
        return false;
    c->s = session_init(need(session_size(&conf)), 0, &conf);
    must(c->s != NULL);
    for (int i = 0; i < RECEIVES; i++)
        post(c, IW_RECV, 100);
    return true;
}

static void scene_close(struct scene *c)
{
    free(c->s);
    free(c->stags);
    free(c->cq);
    free(c->memory);
}

static void answer(struct scene *c)
{
    struct iw_done d;
    struct iw_event e;
    while (iw_poll(c->cq, &d))
        c->completed++;
    must(c->completed <= c->posted);
    if (session_state(c->s) == SESSION_DECIDE)
        must(session_answer(c->s, c->now, true, NULL, 0) == IW_OK);
    while (session_was_open(c->s) && iw_event(session_ep(c->s), &e))
        if (e.kind == IW_EV_HALF_CLOSED)
            iw_close(session_ep(c->s), c->now, IW_CLOSE);
}

/* TCP takes `take` octets of each batch, or all when that would never end. */
static void talk(struct scene *c)
{
    enum session_want want;
    for (int i = 0; i < 64 && session_transmit(c->s, c->now, &batch); i++) {
        uint32_t sum = 0;
        for (uint32_t k = 0; k < batch.pieces; k++)
            sum += batch.piece[k].len;
        must(sum == batch.octets && sum > 0 && !c->fin_sent);
        session_sent(c->s, c->now, &batch, i < 32 && c->take < sum ? c->take : sum);
        answer(c);
        if (i < 32 && !c->take)
            break;
    }
    while ((want = session_request(c->s, c->now)) != SESSION_NOTHING) {
        must(want != SESSION_SEND_FIN || !c->fin_sent);
        c->fin_sent |= want == SESSION_SEND_FIN;
    }
    answer(c);
}

/* The octets that a good peer would start with. */
static void start(struct scene *c, uint8_t how)
{
    uint8_t out[MPA_FRAME_MAX];
    const struct mpa_frame f = {.reply = !c->responds,
                                .markers = how & 1,
                                .crc = how & 2,
                                .rejected = (how & 12) == 12,
                                .enhanced = how & 16,
                                .rev = how & 16   ? 2
                                       : how & 32 ? 0
                                                  : 1,
                                .peer_to_peer = how & 64,
                                .rtr = MPA_RTR_WRITE,
                                .ird = how >> 5,
                                .ord = how >> 6};
    uint32_t len = mpa_frame_put(out, &f);
    session_receive(c->s, c->now, out, len);
}

/* A ULPDU in a good FPDU, as far as the agreement is known. */
static void send_ulpdu(struct scene *c, const uint8_t *ulpdu, uint32_t len)
{
    static uint8_t out[MPA_FPDU_MAX];
    const struct mpa_start *start_up = session_start(c->s);
    struct iw_seg seg;
    if (!session_was_open(c->s) || !len)
        return;
    if (!c->tx_known)
        mpa_tx_init(&c->tx,
                    (start_up->agreed.crc ? MPA_CRC : 0u) | (start_up->agreed.markers_rx ? MPA_MARKERS : 0u),
                    1460);
    c->tx_known = true;
    iw_seg_view(&seg, mpa_key(&c->tx), ulpdu, len);
    uint32_t n = mpa_put(&c->tx, &seg, out);
    session_receive(c->s, c->now, out, n);
}

static size_t step(struct scene *c, const uint8_t *in, size_t len)
{
    uint8_t what = in[0] % DOS, arg = in[1];
    size_t used = 2, n = len - used < arg ? len - used : arg;
    switch (what) {
    case DO_OCTETS: session_receive(c->s, c->now, in + used, n); break;
    case DO_ULPDU: send_ulpdu(c, in + used, (uint32_t)n); break;
    case DO_START: start(c, arg); return used;
    case DO_TIME:
        c->now += arg * 8u;
        session_expire(c->s, c->now);
        return used;
    case DO_FIN: session_fin(c->s, c->now); return used;
    case DO_LOST: session_lost(c->s, c->now); return used;
    case DO_TAKE: c->take = arg; return used;
    default:
        if (session_was_open(c->s))
            post(c, arg & 1 ? IW_SEND : arg & 2 ? IW_READ : IW_WRITE, arg);
        return used;
    }
    return used + n;
}

static void check_memory(const struct scene *c)
{
    for (uint32_t i = 0; i < MEMORY; i++)
        must((i >= GUARD && i < GUARD + REGION) || c->memory[i] == 0xee);
}

/* Time alone ends what was begun and not finished; else TCP does. */
static void end(struct scene *c)
{
    c->take = UINT32_MAX;
    if (session_state(c->s) <= SESSION_DECIDE || session_state(c->s) == SESSION_CLOSING) {
        c->now += START_UP;
        session_expire(c->s, c->now);
        talk(c);
        c->now += LINGER;
        session_expire(c->s, c->now);
        talk(c);
        must(session_state(c->s) == SESSION_OVER || session_was_open(c->s));
    }
    session_lost(c->s, c->now);
    answer(c);
    must(session_state(c->s) == SESSION_OVER);
    must(session_deadline(c->s) == IW_NEVER);
    must(!session_was_open(c->s) || c->completed == c->posted);
    must(!session_transmit(c->s, c->now, &batch));
}

int LLVMFuzzerTestOneInput(const uint8_t *in, size_t len);
int LLVMFuzzerTestOneInput(const uint8_t *in, size_t len)
{
    struct scene c;
    if (len < HEAD)
        return 0;
    if (scene_open(&c, in)) {
        in += HEAD;
        len -= HEAD;
        talk(&c);
        while (len >= 2) {
            size_t used = step(&c, in, len);
            in += used;
            len -= used;
            talk(&c);
        }
        end(&c);
        check_memory(&c);
    }
    scene_close(&c);
    return 0;
}
