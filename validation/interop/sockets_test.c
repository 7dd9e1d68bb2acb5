/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sockets without a player: completions that wait for the peer's TCP, RNICs of the RDMA Consortium, a peer that is not there
 * any more after any number of octets. Nothing is decided by time; what makes no progress for PATIENCE seconds fails. */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "llp/mpa.h"
#include "socket/sockets.h"
#include "validation/support/test.h"

#define SECOND ((iw_time)1000000000000)

enum { TRUST = 1, PD = 1, HOME = 1 << 20, WRITE = 64 << 10, WRITES = 128, PATIENCE = 30, TURNS = 400 };

/* ---- an end ---- */

struct end {
    struct sockets *s;
    struct link *link;
    struct iw_stags *stags;
    struct iw_cq *cq;
    uint8_t *home;
    iw_stag stag;
    struct session_conf conf;
    uint64_t done, received, heard; /* requests, Sends that completed; messages */
    uint8_t version;                /* of the last one's header */
    uint32_t gone;
    bool open;
};

static void message(void *context, iw_time now, const struct iw_message *m)
{
    struct end *e = context;
    (void)now;
    e->heard++;
    e->version = m->head.version;
}

static bool accepted(void *context, struct link *l, struct session_conf *conf)
{
    struct end *e = context;
    e->link = l;
    *conf = e->conf;
    return true;
}

static void post(struct end *e, enum iw_op op, uint32_t len)
{
    const struct iw_work w = {.op = op,
                              .sges = 1,
                              .sge = {{e->stag, len, 0}},
                              .remote_stag = op == IW_WRITE ? e->stag : 0,
                              .remote_to = 0};
    assert_int_equal(iw_post(session_ep(link_session(e->link)), 0, &w), IW_OK);
}

static void turned(void *context, struct link *l)
{
    struct end *e = context;
    struct session *s = link_session(l);
    struct iw_done d;
    struct iw_event event;
    if (!*link_user(l)) {
        *link_user(l) = e;
        e->link = l;
        post(e, IW_RECV, 4096);
    }
    if (session_state(s) == SESSION_DECIDE)
        session_answer(s, 0, true, NULL, 0);
    e->open |= session_was_open(s);
    while (iw_poll(e->cq, &d)) {
        e->received += d.op == IW_RECV && d.status == IW_OK;
        e->done += d.op != IW_RECV && d.status == IW_OK;
    }
    while (session_was_open(s) && iw_event(session_ep(s), &event))
        if (event.kind == IW_EV_HALF_CLOSED)
            iw_close(session_ep(s), 0, IW_CLOSE);
}

static void gone(void *context, struct link *l, int error)
{
    struct end *e = context;
    (void)l, (void)error;
    e->link = NULL;
    e->gone++;
}

static void end_open(struct end *e, enum mpa_role role, enum mpa_kind kind, enum iw_complete_on complete_on)
{
    const struct sockets_host host = {.context = e, .accepted = accepted, .turned = turned, .gone = gone};
    const bool rdmac = kind == MPA_RDMAC;
    *e = (struct end){.stags = iw_stags_init(malloc(iw_stags_size(4)), 4, 0),
                      .cq = iw_cq_init(malloc(iw_cq_size(WRITES + 8)), WRITES + 8, TRUST),
                      .home = calloc(1, HOME)};
    const struct iw_region r = {
        .base = e->home, .len = HOME, .rights = IW_LOCAL_WRITE | IW_REMOTE_READ | IW_REMOTE_WRITE, .pd = PD};
    iw_register(e->stags, &r, &e->stag);
    e->conf = (struct session_conf){.ep = {.stags = e->stags,
                                           .send_cq = e->cq,
                                           .recv_cq = e->cq,
                                           .trust = TRUST,
                                           .pd = PD,
                                           .stream = 1,
                                           .sq_max = WRITES,
                                           .rq_max = 4,
                                           .ord = 1,
                                           .ird = 1,
                                           .reorder_max = 2,
                                           .complete_on = complete_on,
                                           .linger = SECOND / 100},
                                    .start = {.role = role,
                                              .kind = kind,
                                              .markers = rdmac,
                                              .enhanced = !rdmac,
                                              .rtr = rdmac ? 0 : MPA_RTR_WRITE,
                                              .ird = 1,
                                              .ird_max = 1,
                                              .ord = 1,
                                              .timeout = SECOND / 20},
                                    .message = message,
                                    .context = e};
    e->s = sockets_new(&host, 4);
    assert_non_null(e->s);
}

static void end_close(struct end *e)
{
    sockets_free(e->s);
    free(e->stags);
    free(e->cq);
    free(e->home);
}

static struct socket_address listening(struct end *e)
{
    struct socket_address at;
    char why[SOCKETS_WHY_MAX];
    assert_true(address_at("127.0.0.1", 0, &at, why));
    assert_int_equal(sockets_listen(e->s, &at), 0);
    return at;
}

static void join(struct end *e, const struct socket_address *at)
{
    int error;
    e->conf.start.timeout = PATIENCE * SECOND;
    e->link = sockets_connect(e->s, at, &e->conf, NULL, &error);
    assert_non_null(e->link);
}

/* ---- completions ---- */

struct plain { /* a responder that is a bare socket */
    int listening, fd;
    uint64_t read; /* octets */
};

static struct socket_address plain_listen(struct plain *p)
{
    struct socket_address at;
    char why[SOCKETS_WHY_MAX];
    *p = (struct plain){.fd = -1};
    assert_true(address_at("127.0.0.1", 0, &at, why));
    p->listening = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(p->listening, (struct sockaddr *)&at.a, at.len), 0);
    assert_int_equal(listen(p->listening, 1), 0);
    getsockname(p->listening, (struct sockaddr *)&at.a, &at.len);
    return at;
}

/* Its Reply, once the Request is there. */
static void plain_answer(struct plain *p, struct end *e)
{
    uint8_t octets[MPA_FRAME_MAX];
    const struct mpa_frame reply = {
        .reply = true, .crc = true, .rev = 2, .enhanced = true, .ird = 1, .ord = 1};
    p->fd = accept(p->listening, NULL, NULL);
    iw_time give_up = sockets_now() + PATIENCE * SECOND;
    int there = 0;
    for (; there < 20 && sockets_now() < give_up; ioctl(p->fd, FIONREAD, &there))
        sockets_turn(e->s, 0);
    assert_true(recv(p->fd, octets, sizeof octets, 0) >= 20);
    uint32_t len = mpa_frame_put(octets, &reply);
    assert_int_equal(send(p->fd, octets, len, MSG_NOSIGNAL), len);
    while (!e->open && sockets_now() < give_up)
        sockets_turn(e->s, sockets_now() + SECOND / 1000);
    assert_true(e->open);
}

/* What its TCP has: everything that it can have acknowledged. */
static uint64_t plain_has(const struct plain *p)
{
    int there = 0;
    ioctl(p->fd, FIONREAD, &there);
    return p->read + (uint64_t)there;
}

TEST(a_completion_waits_for_the_peers_tcp)
{
    static uint8_t octets[256 << 10];
    struct end e;
    struct plain p;
    end_open(&e, MPA_INITIATOR, MPA_IETF, IW_ON_ACK);
    struct socket_address at = plain_listen(&p);
    join(&e, &at);
    plain_answer(&p, &e);
    for (int i = 0; i < WRITES; i++)
        post(&e, IW_WRITE, WRITE);
    link_kick(e.link);
    for (int i = 0; i < TURNS; i++) { /* its buffer and ours fill: octets that were sent wait in ours */
        sockets_turn(e.s, sockets_now() + SECOND / 1000);
        assert_true(e.done * WRITE <= plain_has(&p));
    }
    assert_true(e.done < WRITES);
    for (iw_time give_up = sockets_now() + PATIENCE * SECOND; e.done < WRITES && sockets_now() < give_up;) {
        ssize_t n = recv(p.fd, octets, sizeof octets, MSG_DONTWAIT);
        p.read += n > 0 ? (uint64_t)n : 0;
        sockets_turn(e.s, sockets_now() + SECOND / 1000);
        assert_true(e.done * WRITE <= plain_has(&p));
    }
    assert_int_equal(e.done, WRITES);
    close(p.fd);
    close(p.listening);
    end_close(&e);
}

/* ---- RNICs of the RDMA Consortium ---- */

static void play(struct end *a, struct end *b)
{
    struct socket_address at = listening(b);
    iw_time give_up = sockets_now() + PATIENCE * SECOND;
    join(a, &at);
    while (!a->open && sockets_now() < give_up) {
        sockets_turn(a->s, 0);
        sockets_turn(b->s, 0);
    }
    assert_true(a->open);
    memset(a->home, 0x5a, WRITE);
    post(a, IW_WRITE, WRITE);
    post(a, IW_SEND, 100);
    link_kick(a->link);
    while ((a->done < 2 || !b->received) && sockets_now() < give_up) {
        sockets_turn(a->s, 0);
        sockets_turn(b->s, 0);
    }
}

/* checks: MPA-7.1-* */
TEST(rnics_of_the_consortium_talk_as_version_0)
{
    static const struct {
        enum mpa_kind a, b;
        uint8_t version;
    } pairs[] = {
        {MPA_RDMAC, MPA_RDMAC, 0}, {MPA_RDMAC, MPA_IETF_PERMISSIVE, 0}, {MPA_IETF, MPA_IETF_PERMISSIVE, 1}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct end a, b;
        end_open(&a, MPA_INITIATOR, pairs[i].a, IW_ON_ACCEPT);
        end_open(&b, MPA_RESPONDER, pairs[i].b, IW_ON_ACK);
        play(&a, &b);
        assert_int_equal(a.done, 2);
        assert_int_equal(b.received, 1);
        assert_int_equal(b.heard, 2);
        assert_int_equal(b.version, pairs[i].version);
        assert_memory_equal(a.home, b.home, WRITE);
        end_close(&a);
        end_close(&b);
    }
}

/* ---- ends at any octet ---- */

/* A Request and three Writes, as they stand on the wire. */
static uint32_t good_stream(uint8_t *out, iw_stag stag)
{
    static const uint8_t octets[200];
    const struct mpa_frame f = {.crc = true, .rev = 1};
    struct mpa_tx tx;
    struct iw_seg seg;
    uint8_t ulpdu[IW_HEAD_TAGGED + sizeof octets] = {0};
    const struct ddp_head h = {.tagged = true,
                               .last = true,
                               .version = 1,
                               .stag = stag,
                               .rsvdulp = rdmap_ctl_put(&(struct rdmap_ctl){1, RDMAP_WRITE, 0}, true)};
    uint32_t len = mpa_frame_put(out, &f);
    ddp_head_put(ulpdu, &h);
    mpa_tx_init(&tx, MPA_CRC, 1460);
    for (int i = 0; i < 3; i++) {
        iw_seg_view(&seg, mpa_key(&tx), ulpdu, sizeof ulpdu);
        len += mpa_put(&tx, &seg, out + len);
    }
    return len;
}

TEST(a_peer_may_be_gone_after_any_octet)
{
    enum { FIN, RST, HALF, WAYS };
    static uint8_t octets[MPA_FRAME_MAX + 4096];
    const struct linger now = {.l_onoff = 1};
    struct end e;
    uint32_t wanted = 0;
    end_open(&e, MPA_RESPONDER, MPA_IETF_PERMISSIVE, IW_ON_ACK);
    struct socket_address at = listening(&e);
    const uint32_t len = good_stream(octets, e.stag);
    for (uint32_t cut = 0; cut <= len; cut++) {
        int fd = socket(AF_INET, SOCK_STREAM, 0), way = (int)(cut % WAYS);
        assert_int_equal(connect(fd, (const struct sockaddr *)&at.a, at.len), 0);
        assert_int_equal(send(fd, octets, cut, MSG_NOSIGNAL), cut);
        sockets_turn(e.s, sockets_now() + SECOND / 1000);
        if (way == RST)
            setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
        if (way == HALF)
            shutdown(fd, SHUT_WR);
        else
            close(fd);
        wanted++;
        for (iw_time give_up = sockets_now() + PATIENCE * SECOND; e.gone < wanted && sockets_now() < give_up;)
            sockets_turn(e.s, sockets_now() + SECOND / 1000);
        assert_int_equal(e.gone, wanted);
        if (way == HALF)
            close(fd);
    }
    assert_int_equal(iw_stags_count(e.stags), 1);
    end_close(&e);
}
