/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The engine talks to itself through the kernel's TCP on the loopback device: every operation, every setting of start-up, 1,000
 * random scripts, after each of which the memory of both ends is what the script says, and ends of every kind.
 * Nothing is decided by time: a pair that makes no progress for PATIENCE seconds fails. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "channel/channel.h"
#include "helpers/world/socket/live.h"
#include "scenarios/workloads/kind.h"
#include "validation/support/test.h"

#define SECOND ((iw_time)1000000000000)

enum { SCRIPTS = 1000, MEMORY = 2 << 20, TEXT = 512, PATIENCE = 20 };

/* ---- a pair of ends, each with memory of its own ---- */

struct pair {
    struct live a, b;
    struct live_end *end;
    struct socket_address at;
    bool b_gone;
    struct live_end of_b; /* as it was when it went; its pointers lead nowhere */
    uint32_t b_steps;
};

static void b_is_gone(void *context, struct live_end *e)
{
    struct pair *p = context;
    p->b_gone = true;
    p->of_b = *e;
}

static const struct live_conf usual = {.memory = MEMORY, .ends = 4, .start_up = 10 * SECOND, .seed = 7};

static bool listens(struct pair *p, const char *address)
{
    char why[SOCKETS_WHY_MAX];
    return address_read(address, &p->at, why) && sockets_listen(p->b.sockets, &p->at) == 0;
}

static void pair_open(struct pair *p, const struct live_conf *a, const struct live_conf *b, bool ip6)
{
    char why[PLAYER_WHY_MAX];
    memset(p, 0, sizeof *p);
    assert_true(live_open(&p->a, a, &(struct live_note){0}, why));
    assert_true(live_open(&p->b, b, &(struct live_note){.context = p, .gone = b_is_gone}, why));
    assert_true((ip6 && listens(p, "[::1]:0")) ||
                listens(p, "127.0.0.1:0")); /* a computer may be without IPv6 */
}

static void pair_close(struct pair *p)
{
    if (p->end)
        live_end_free(p->end);
    live_close(&p->a);
    live_close(&p->b);
}

/* Until both ends are gone. */
static void pair_play(struct pair *p, const char *text)
{
    struct script script;
    char why[PLAYER_WHY_MAX];
    iw_time give_up = sockets_now() + PATIENCE * SECOND;
    assert_null(script_read(text, &script));
    p->b_gone = false;
    p->end = live_connect(&p->a, &p->at, text, &script, NULL, why);
    assert_non_null(p->end);
    while (p->end->state != LIVE_GONE || !p->b_gone) {
        live_turn(&p->a, 0);
        live_turn(&p->b, 0);
        if (sockets_now() > give_up)
            fail_msg("no progress at step %u of: %s", player_waits_for(&p->end->player), text);
    }
}

/* ---- what memory must be ---- */

/* What side `side` has written at the other's home, and its number. */
static void expect_home(const char *text, int side, uint8_t *home, uint32_t len)
{
    struct script script;
    uint64_t at = 0, number = 0;
    script_read(text, &script);
    memset(home, 0, len);
    for (uint32_t i = 0; i < script.count; i++) {
        const struct script_step *s = &script.step[i];
        if (s->wait || s->side != side)
            continue;
        if (s->op == IW_WRITE) {
            stamp_fill(home + at, s->len, stamp_key(0, (uint32_t)side, i));
            at += s->len;
        } else if (s->op == IW_FETCH_ADD) {
            number += s->atomic.data;
        } else if (s->op == IW_CMP_SWAP && number == s->atomic.compare) {
            number = s->atomic.data;
        }
    }
    if (script_has_atomics(&script) && !at)
        memcpy(home, &number, sizeof number);
}

static void expect_good(struct pair *p, const char *text)
{
    static uint8_t home[MEMORY];
    const struct live_player *a = &p->end->player, *b = &p->of_b.player;
    if (*p->end->why || *a->broken || *b->broken || a->failed || b->failed || p->end->error)
        fail_msg("%s: %s %s %s failed %d %d, errno %d, terminate %x", text, p->end->why, a->broken, b->broken,
                 a->failed, b->failed, p->end->error, (unsigned)p->end->heard.term);
    assert_int_equal(a->next, a->script.count);
    assert_int_equal(player_waits_for(a), 0);
    assert_int_equal(player_waits_for(b), 0);
    expect_home(text, 0, home, MEMORY);
    if (memcmp(home, p->b.memory.home, MEMORY))
        fail_msg("B's memory is not what A wrote: %s", text);
    expect_home(text, 1, home, MEMORY);
    if (memcmp(home, p->a.memory.home, MEMORY))
        fail_msg("A's memory is not what B wrote: %s", text);
}

/* ---- every operation ---- */

static const char *const scripts[] = {
    "send 0",
    "send 1; send 2000; send 65536",
    "write 0; write 1; write 1000000; wait; send 5",
    "write 1000000; read 1000000",
    "read 1; read 0; read 70000",
    "send_se 100; send_inv 100 to writable; send_se_inv 0 to readable",
    "write 100000; read 100000 fence; send 7 fence",
    "fetch_add 5; fetch_add 7; cmp_swap 12 99; cmp_swap 1 2; fetch_add 1",
    "send 1; peer send 300000; peer read 100000; peer fetch_add 3; peer read 200000; peer fetch_add 1",
    "send 1; wait; peer send 1; wait; send 2; wait; peer send 2; wait; write 9; wait; peer read 9",
    "write 1; peer write 1; read 100000; peer read 100000; send 100000; peer send 100000",
    "send 10 into 100; peer send 10 into 10",
};

TEST(every_operation_ends_with_the_memory_that_it_says)
{
    struct pair p;
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        pair_open(&p, &usual, &usual, i & 1);
        pair_play(&p, scripts[i]);
        expect_good(&p, scripts[i]);
        assert_int_equal(p.end->heard.term | p.end->sent.term, 0);
        pair_close(&p);
    }
}

/* The peer may speak first: the initiator sends an RTR (RFC 6581 9.2). */
TEST(a_peer_that_speaks_first_waits_for_the_rtr)
{
    static const char text[] = "peer send 1000; peer write 5; wait; peer read 5; wait; send 1";
    struct pair p;
    pair_open(&p, &usual, &usual, false);
    pair_play(&p, text);
    expect_good(&p, text);
    assert_true(p.end->agreed.peer_to_peer);
    assert_true(p.of_b.agreed.peer_to_peer);
    pair_close(&p);
}

TEST(start_up_agrees_on_what_both_want)
{
    struct pair p;
    for (unsigned bits = 0; bits < 64; bits++) {
        struct live_conf a = usual, b = usual;
        a.markers = bits & 1;
        b.markers = bits & 2;
        a.no_crc = bits & 4;
        b.no_crc = bits & 8;
        a.rev1 = bits & 16;
        a.emss = bits & 32 ? 1460 : 0;
        a.ord = a.rev1 ? 0 : 1;
        b.ird = a.rev1 ? 0 : 3;
        pair_open(&p, &a, &b, false);
        pair_play(&p, scripts[10]);
        expect_good(&p, scripts[10]);
        const struct mpa_agreement *x = &p.end->agreed, *y = &p.of_b.agreed;
        assert_int_equal(x->markers_rx, a.markers);
        assert_int_equal(x->markers_tx, b.markers);
        assert_int_equal(y->markers_rx, b.markers);
        assert_int_equal(x->crc, !(a.no_crc && b.no_crc));
        assert_int_equal(y->crc, x->crc);
        assert_int_equal(x->rev, a.rev1 ? 1 : 2);
        if (!a.rev1) {
            assert_int_equal(x->ord, 1);
            assert_int_equal(y->ird, 1);
        }
        pair_close(&p);
    }
}

/* ---- errors ---- */

TEST(what_is_not_allowed_is_terminated)
{
    static const struct {
        const char *text;
        int term; /* that A hears */
    } rows[] = {
        {"write 16 to nothing", IW_T_DDP_STAG},          {"write 16 to readable", IW_T_DDP_STAG},
        {"write 16 to foreign", IW_T_DDP_ASSOCIATION},   {"write 16 beyond", IW_T_DDP_BOUNDS},
        {"read 16 to nothing", IW_T_RDMA_STAG},          {"read 16 to writable", IW_T_RDMA_RIGHTS},
        {"read 16 to foreign", IW_T_RDMA_ASSOCIATION},   {"read 16 beyond", IW_T_RDMA_BOUNDS},
        {"send 100 into 50", IW_T_DDP_TOO_LONG},         {"send 100 unexpected", IW_T_DDP_NO_BUFFER},
        {"send_inv 1 to nothing", IW_T_RDMA_INVALIDATE},
    };
    struct pair p;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pair_open(&p, &usual, &usual, false);
        pair_play(&p, rows[i].text);
        if (p.end->heard.term != rows[i].term)
            fail_msg("%s: %x, not %x", rows[i].text, (unsigned)p.end->heard.term, (unsigned)rows[i].term);
        assert_int_equal(p.of_b.sent.term, rows[i].term);
        assert_int_equal(p.end->heard.raw[1], IW_TERM_CODE(rows[i].term));
        pair_close(&p);
    }
}

TEST(what_the_script_needs_and_the_peer_has_not_is_said)
{
    struct pair p;
    struct live_conf small = usual, bare = usual;
    small.memory = 1000;
    bare.bare = true;
    pair_open(&p, &usual, &small, false);
    pair_play(&p, "send 1; write 1001");
    assert_non_null(strstr(p.end->why, "step 2 reaches octet 1001"));
    pair_close(&p);
    pair_open(&p, &usual, &bare, false);
    pair_play(&p, "write 1");
    assert_non_null(strstr(p.end->why, "advertised none"));
    pair_close(&p);
    pair_open(&p, &bare, &usual, false);
    pair_play(&p, "send 1; peer send 1");
    assert_non_null(strstr(p.end->why, "step 2 is the peer's to do"));
    pair_close(&p);
    pair_open(&p, &usual, &small, false);
    pair_play(&p, "send 2000"); /* the receive buffer is more than it gives to one connection */
    assert_true(p.end->rejected);
    assert_false(p.end->was_open);
    pair_close(&p);
}

TEST(nobody_there_is_told)
{
    struct pair p;
    struct script script;
    char why[PLAYER_WHY_MAX];
    pair_open(&p, &usual, &usual, false);
    sockets_free(p.b.sockets); /* and with it the listening socket */
    p.b.sockets = sockets_new(&(struct sockets_host){0}, 1);
    script_read("send 1", &script);
    p.end = live_connect(&p.a, &p.at, "send 1", &script, NULL, why);
    for (iw_time end = sockets_now() + PATIENCE * SECOND; p.end->state != LIVE_GONE && sockets_now() < end;)
        live_turn(&p.a, end);
    assert_int_equal(p.end->state, LIVE_GONE);
    assert_true(p.end->error != 0);
    pair_close(&p);
}

/* ---- peers that mean no good ---- */

static int raw_peer(const struct socket_address *at)
{
    int fd = socket(at->a.ss_family, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&at->a, at->len), 0);
    return fd;
}

static uint32_t draw(uint32_t i, uint32_t what, uint32_t below)
{
    return (uint32_t)(channel_draw(channel_key(77, 0, i, 0), what) % below);
}

/* Some octets of a good Request, garbage behind them, and then: RST, FIN, half a FIN, or nothing for ever. */
static int attack(const struct socket_address *at, uint32_t k)
{
    uint8_t octets[MPA_FRAME_MAX + 3000];
    const struct mpa_frame f = {.crc = true, .rev = 1};
    const struct linger now = {.l_onoff = 1};
    uint32_t len = mpa_frame_put(octets, &f), good = draw(k, 0, 2) ? len : draw(k, 1, len);
    uint32_t garbage = draw(k, 2, 3) ? draw(k, 3, 3000) : 0;
    for (uint32_t i = 0; i < garbage; i++)
        octets[good + i] = (uint8_t)draw(k, 10 + i, 256);
    int fd = raw_peer(at);
    (void)!send(fd, octets, good, MSG_NOSIGNAL);
    (void)!send(fd, octets + good, garbage, MSG_NOSIGNAL);
    switch (draw(k, 4, 4)) {
    case 0: setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now); break;
    case 1: shutdown(fd, SHUT_WR); return fd;
    case 2: return fd;
    default: break;
    }
    close(fd);
    return -1;
}

TEST(hostile_peers_leave_nothing_behind)
{
    enum { ATTACKS = 300, OPEN = 6 };
    struct pair p;
    struct live_conf b = usual;
    int fd[OPEN], links = 1;
    b.start_up = SECOND / 20;
    pair_open(&p, &usual, &b, false);
    for (uint32_t i = 0; i < OPEN; i++)
        fd[i] = -1;
    for (uint32_t k = 0; k < ATTACKS; k++) {
        if (fd[k % OPEN] >= 0)
            close(fd[k % OPEN]);
        fd[k % OPEN] = attack(&p.at, k);
        for (int i = 0; i < 4; i++)
            assert_true(live_turn(&p.b, 0) <= (int)b.ends);
    }
    /* Those that are still open say nothing more: the start-up's time and the linger end them. */
    for (iw_time end = sockets_now() + PATIENCE * SECOND; links > 0 && sockets_now() < end;)
        links = live_turn(&p.b, sockets_now() + SECOND / 100);
    for (uint32_t i = 0; i < OPEN; i++)
        if (fd[i] >= 0)
            close(fd[i]);
    assert_int_equal(links, 0);
    assert_int_equal(iw_stags_count(p.b.memory.stags), 4);
    pair_play(&p, scripts[3]);
    expect_good(&p, scripts[3]);
    pair_close(&p);
}

/* ---- random scripts ---- */

static void write_script(uint32_t k, char text[TEXT], bool peer_first)
{
    static const uint32_t sizes[] = {0, 1, 3, 64, 100, 1400, 1461, 4096, 9000, 20000, 65535, 65536, 120000};
    static const char *const ops[] = {"send", "send_se",   "write",    "read",    "write",
                                      "read", "fetch_add", "cmp_swap", "send_inv"};
    bool atomics[2] = {draw(k, 1, 3) == 0, draw(k, 2, 3) == 0}, inv[2] = {false, false};
    uint32_t steps = 1 + draw(k, 0, 10);
    size_t n = 0;
    for (uint32_t i = 0; i < steps; i++) {
        uint32_t side = i || peer_first ? draw(k, 10 + i, 2) : 0, op = draw(k, 40 + i, 9);
        uint32_t size = sizes[draw(k, 70 + i, sizeof sizes / sizeof *sizes)];
        bool write = op == 2 || op == 4, atomic = op == 6 || op == 7;
        op = (write && atomics[side]) || (atomic && !atomics[side]) || (op == 8 && inv[side]) ? 0 : op;
        const char *who = side ? "peer " : "", *fence = draw(k, 100 + i, 5) == 0 ? " fence" : "";
        if (op == 7)
            n += (size_t)snprintf(text + n, TEXT - n, "%scmp_swap %u %u%s; ", who, draw(k, 130 + i, 3), size,
                                  fence);
        else
            n += (size_t)snprintf(text + n, TEXT - n, "%s%s %u%s%s; ", who, ops[op], size, fence,
                                  op == 8 ? " to writable" : "");
        inv[side] |= op == 8;
        if (draw(k, 160 + i, 4) == 0)
            n += (size_t)snprintf(text + n, TEXT - n, "wait; ");
    }
}

TEST(random_scripts_leave_the_memory_that_they_say)
{
    for (uint32_t k = 0; k < SCRIPTS; k++) {
        struct pair p;
        struct live_conf a = usual, b = usual;
        char text[TEXT];
        static const uint32_t emss[] = {0, 0, 1460, 8960, 536};
        a.markers = draw(k, 200, 4) == 0;
        b.markers = draw(k, 201, 4) == 0;
        a.no_crc = draw(k, 202, 3) == 0;
        b.no_crc = draw(k, 203, 2) == 0;
        a.rev1 = draw(k, 204, 4) == 0;
        a.ord = a.rev1 ? 0 : (uint16_t)(1 + draw(k, 205, 4)); /* revision 1 agrees on nothing */
        b.ird = a.rev1 ? 0 : (uint16_t)(1 + draw(k, 206, 4));
        a.emss = emss[draw(k, 207, 5)];
        b.emss = emss[draw(k, 208, 5)];
        write_script(k, text, !a.rev1);
        if (strlen(text) > PLAYER_TEXT_MAX)
            continue;
        a.memory = b.memory = MEMORY;
        pair_open(&p, &a, &b, draw(k, 209, 2));
        pair_play(&p, text);
        expect_good(&p, text);
        pair_close(&p);
    }
}
