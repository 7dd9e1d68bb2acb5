/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Our SCTP against usrsctp, a stack that nobody here wrote: both roles, both directions, the four classes,
 * four streams, under loss, reordering and duplication. Skipped where usrsctp is not installed (Debian:
 * libusrsctp-dev).
 *
 * usrsctp runs without threads; both ends and the path are stepped millisecond by millisecond, and
 * gettimeofday(), the only clock that usrsctp reads, is ours. Its tags and first TSNs are random: what is
 * checked does not depend on them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "llp/sctp.h"
#include "validation/support/test.h"

#if __has_include(<usrsctp.h>)

#include <arpa/inet.h>
#include <dlfcn.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#define sctp_event usrsctp_event /* a name that both have */
#include <usrsctp.h>
#undef sctp_event
#undef SCTP_ESTABLISHED

#define MS ((iw_time)1000000000)
enum { STREAMS = 4, MESSAGES = 400, LEN = 500, FLIGHTS = 4096, PORT = 7, PEER_PORT = 9, PATIENCE = 60000 };

/* ---- usrsctp, if it is here ---- */

#define CALLS(X)        \
    X(init_nothreads)   \
    X(socket)           \
    X(setsockopt)       \
    X(sendv)            \
    X(recvv)            \
    X(bind)             \
    X(listen)           \
    X(accept)           \
    X(connect)          \
    X(close)            \
    X(conninput)        \
    X(set_non_blocking) \
    X(register_address) \
    X(handle_timers)

#define DECLARE(name) __typeof__(usrsctp_##name) *name;
static struct {
    CALLS(DECLARE)
} usr;

static bool load(void)
{
    void *library = dlopen("libusrsctp.so.2", RTLD_NOW);
    library = library ? library : dlopen("libusrsctp.so", RTLD_NOW);
    bool all = library != NULL;
#define FIND(name)                                      \
    if (all) {                                          \
        void *found = dlsym(library, "usrsctp_" #name); \
        memcpy(&usr.name, &found, sizeof found);        \
        all = found != NULL;                            \
    }
    CALLS(FIND)
    return all;
}

/* ---- a path: milliseconds, a lot ---- */

struct packet {
    uint64_t at;
    bool to_usrsctp;
    uint32_t len;
    uint8_t octets[1500];
};

struct side {
    uint64_t sent, got, twice, wrong, disordered;
    uint8_t seen[MESSAGES];
    uint64_t next[STREAMS];
};

static struct {
    uint64_t ms, draws, seed;
    bool impaired;
    struct sctp *ours;
    struct socket *listening, *theirs;
    struct packet flight[FLIGHTS];
    uint32_t flights;
    struct side us, them; /* what each received */
    bool ordered, reliable;
    bool slow;          /* both sides read one message now and then, and for a while none */
    uint32_t unread;    /* messages, of us */
    bool closed_theirs; /* we were told of a window without room for a message, */
    bool closed_ours;   /* and told of one */
} world;

int gettimeofday(struct timeval *restrict tv, void *restrict zone)
{
    (void)zone;
    *tv = (struct timeval){.tv_sec = (time_t)(1000 + world.ms / 1000),
                           .tv_usec = (suseconds_t)(world.ms % 1000 * 1000)};
    return 0;
}

static uint64_t draw(void)
{
    uint64_t z = world.seed * 0x9e3779b97f4a7c15u + ++world.draws * 0xd1342543de82ef95u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static void launch(bool to_usrsctp, const void *octets, size_t len)
{
    uint64_t lot = draw() % 100;
    int copies = world.impaired && lot < 3 ? 0 : world.impaired && lot < 6 ? 2 : 1;
    for (; copies && world.flights < FLIGHTS && len <= 1500; copies--) {
        struct packet *p = &world.flight[world.flights++];
        uint64_t late = world.impaired && draw() % 100 < 10 ? 1 + draw() % 5 : 0;
        *p = (struct packet){.at = world.ms + 2 + late, .to_usrsctp = to_usrsctp, .len = (uint32_t)len};
        memcpy(p->octets, octets, len);
    }
}

static int from_usrsctp(void *address, void *octets, size_t len, uint8_t tos, uint8_t set_df)
{
    (void)address, (void)tos, (void)set_df;
    launch(false, octets, len);
    return 0;
}

/* ---- messages ---- */

static void note(struct side *s, uint32_t stream, const uint8_t *octets, size_t len)
{
    uint64_t number = UINT64_MAX;
    if (len >= 8)
        iw_get64(octets, &number);
    if (number >= MESSAGES || number % STREAMS != stream || len != LEN) {
        s->wrong++;
        return;
    }
    for (size_t i = 8; i < len; i++)
        s->wrong += octets[i] != (uint8_t)(number + i);
    s->twice += s->seen[number];
    s->seen[number] = 1;
    s->got++;
    s->disordered += number < s->next[stream];
    s->next[stream] = number + 1;
}

static void message(uint8_t out[LEN], uint64_t number)
{
    iw_put64(out, number);
    for (size_t i = 8; i < LEN; i++)
        out[i] = (uint8_t)(number + i);
}

static int at_usrsctp(struct socket *so, union sctp_sockstore from, void *data, size_t len,
                      struct sctp_rcvinfo info, int flags, void *ulp)
{
    (void)so, (void)from, (void)ulp;
    if (data && !(flags & MSG_NOTIFICATION))
        note(&world.them, info.rcv_sid, data, len);
    free(data);
    return 1;
}

static void receive(const struct packet *p)
{
    struct sctp_in in;
    if (sctp_receive(world.ours, world.ms * MS, p->octets, p->len) != IW_OK)
        return;
    while (sctp_take(world.ours, &in)) {
        note(&world.us, in.stream, in.octets, in.len);
        world.unread += world.slow;
    }
}

/* ---- a slow reader on each side ---- */

enum { WINDOW = 8 * LEN, PAUSE_FROM = 100, PAUSE_TO = 1500, READS_EVERY = 2 };

static void read_one(void)
{
    uint8_t octets[LEN];
    struct sctp_rcvinfo info = {0};
    socklen_t from_len = 0, info_len = sizeof info;
    unsigned info_type = 0;
    int flags = 0;
    ssize_t len = usr.recvv(world.theirs, octets, LEN, NULL, &from_len, &info, &info_len, &info_type, &flags);
    if (len > 0 && !(flags & MSG_NOTIFICATION))
        note(&world.them, info.rcv_sid, octets, (size_t)len);
    world.unread -= world.unread > 0;
}

static void read_slowly(void)
{
    bool pause = world.ms >= PAUSE_FROM && world.ms < PAUSE_TO;
    if (world.theirs && !pause && world.ms % READS_EVERY == 0)
        read_one();
    uint32_t used = world.unread * LEN;
    sctp_credit(world.ours, world.ms * MS, used < WINDOW ? WINDOW - used : 0);
    world.closed_theirs |= sctp_statistics(world.ours)->peer_rwnd < LEN;
    world.closed_ours |= sctp_rwnd(world.ours) < LEN;
}

/* ---- stepping ---- */

static void transmit(void)
{
    uint8_t packet[1500];
    uint32_t len;
    while ((len = sctp_transmit(world.ours, world.ms * MS, packet, NULL)))
        launch(true, packet, len);
}

static void step(void)
{
    static struct packet p;
    world.ms++;
    for (uint32_t i = 0; i < world.flights;) {
        if (world.flight[i].at > world.ms) {
            i++;
            continue;
        }
        p = world.flight[i];
        world.flights--;
        memmove(&world.flight[i], &world.flight[i + 1], (world.flights - i) * sizeof p);
        if (p.to_usrsctp)
            usr.conninput(&world, p.octets, p.len, 0);
        else
            receive(&p);
    }
    usr.handle_timers(1);
    if (world.slow)
        read_slowly();
    sctp_expire(world.ours, world.ms * MS);
    transmit();
    if (!world.theirs && world.listening)
        world.theirs = usr.accept(world.listening, NULL, NULL);
}

/* ---- both ends ---- */

static void open_ours(void)
{
    struct sctp_conf c;
    sctp_defaults(&c);
    c.local_port = PORT;
    c.remote_port = PEER_PORT;
    c.mtu = 1200;
    c.streams = STREAMS;
    c.store = 1 << 20;
    c.hold = 1024;
    c.rwnd = world.slow ? WINDOW : c.rwnd;
    c.rto_initial = 50 * MS;
    c.rto_min = 30 * MS;
    c.sack_delay = 2 * MS;
    c.adapts = true;
    c.adaptation = 1;
    c.secret[0] = world.seed;
    world.ours = sctp_init(malloc(sctp_size(&c)), &c);
}

static struct sockaddr_conn address(uint16_t port)
{
    return (struct sockaddr_conn){.sconn_family = AF_CONN, .sconn_port = htons(port), .sconn_addr = &world};
}

static struct socket *open_theirs(void)
{
    struct socket *so =
        usr.socket(AF_CONN, SOCK_STREAM, IPPROTO_SCTP, world.slow ? NULL : at_usrsctp, NULL, 0, NULL);
    struct sctp_initmsg init = {.sinit_num_ostreams = STREAMS, .sinit_max_instreams = STREAMS};
    struct sctp_rtoinfo rto = {.srto_initial = 50, .srto_max = 1000, .srto_min = 30};
    struct sctp_setadaptation adaptation = {.ssb_adaptation_ind = 1};
    struct sockaddr_conn local = address(PEER_PORT);
    int on = 1, buffer = WINDOW;
    assert_non_null(so);
    if (world.slow) {
        usr.setsockopt(so, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
        usr.setsockopt(so, IPPROTO_SCTP, SCTP_RECVRCVINFO, &on, sizeof on);
    }
    usr.set_non_blocking(so, 1);
    usr.setsockopt(so, IPPROTO_SCTP, SCTP_INITMSG, &init, sizeof init);
    usr.setsockopt(so, IPPROTO_SCTP, SCTP_RTOINFO, &rto, sizeof rto);
    usr.setsockopt(so, IPPROTO_SCTP, SCTP_ADAPTATION_LAYER, &adaptation, sizeof adaptation);
    usr.setsockopt(so, IPPROTO_SCTP, SCTP_NODELAY, &on, sizeof on);
    assert_int_equal(usr.bind(so, (struct sockaddr *)&local, sizeof local), 0);
    return so;
}

static void associate(bool we_connect)
{
    struct socket *so = open_theirs();
    if (we_connect) {
        assert_int_equal(usr.listen(so, 1), 0);
        world.listening = so;
        assert_int_equal(sctp_connect(world.ours, 0), IW_OK);
        transmit();
    } else {
        struct sockaddr_conn peer = address(PORT);
        usr.connect(so, (struct sockaddr *)&peer, sizeof peer);
        world.theirs = so;
    }
    while (world.ms < PATIENCE && (sctp_state(world.ours) != SCTP_ESTABLISHED || !world.theirs))
        step();
    assert_int_equal(sctp_state(world.ours), SCTP_ESTABLISHED);
    assert_int_equal(sctp_streams(world.ours), STREAMS);
    uint32_t indication;
    assert_true(sctp_adaptation(world.ours, &indication) && indication == 1);
    for (int i = 0; i < 20; i++)
        step();
}

/* ---- traffic ---- */

static bool we_send(void)
{
    uint8_t octets[LEN];
    struct iw_frag frag = {octets, LEN};
    struct sctp_out out = {.ppid = htonl(16),
                           .stream = (uint16_t)(world.them.sent % STREAMS),
                           .unordered = !world.ordered,
                           .retransmits = world.reliable ? SCTP_RELIABLE : 0,
                           .frags = 1,
                           .frag = &frag};
    if (world.them.sent == MESSAGES)
        return false;
    message(octets, world.them.sent);
    bool taken = sctp_send(world.ours, world.ms * MS, &out) == IW_OK;
    world.them.sent += taken;
    return taken;
}

static bool they_send(void)
{
    uint8_t octets[LEN];
    struct sctp_sendv_spa spa = {.sendv_flags = SCTP_SEND_SNDINFO_VALID};
    if (world.us.sent == MESSAGES)
        return false;
    message(octets, world.us.sent);
    spa.sendv_sndinfo.snd_sid = (uint16_t)(world.us.sent % STREAMS);
    spa.sendv_sndinfo.snd_flags = world.ordered ? 0 : SCTP_UNORDERED;
    if (!world.reliable) {
        spa.sendv_flags |= SCTP_SEND_PRINFO_VALID;
        spa.sendv_prinfo.pr_policy = SCTP_PR_SCTP_RTX;
    }
    bool taken =
        usr.sendv(world.theirs, octets, LEN, NULL, 0, &spa, sizeof spa, SCTP_SENDV_SPA, 0) == (ssize_t)LEN;
    world.us.sent += taken;
    return taken;
}

static void expect_side(const struct side *s, const char *who)
{
    if (s->wrong || s->twice || (world.ordered && s->disordered) || (world.reliable && s->got != MESSAGES) ||
        s->got < MESSAGES / 2)
        fail_msg("%s, seed %llu: %llu of %d came, %llu wrong, %llu twice, %llu out of order", who,
                 (unsigned long long)world.seed, (unsigned long long)s->got, MESSAGES,
                 (unsigned long long)s->wrong, (unsigned long long)s->twice,
                 (unsigned long long)s->disordered);
}

static void talk(unsigned class, bool we_connect, bool impaired, bool slow)
{
    memset(&world, 0, sizeof world);
    world.seed = 1 + class * 4 + we_connect * 2 + impaired;
    world.slow = slow;
    world.ordered = class & 1;
    world.reliable = class & 2;
    usr.register_address(&world);
    open_ours();
    associate(we_connect);
    world.impaired = impaired;
    uint64_t quiet = 0, before = 0;
    while (world.ms < PATIENCE && quiet < 3000) {
        for (int i = 0; i < 4; i++) {
            we_send();
            they_send();
        }
        step();
        quiet = world.us.got + world.them.got == before ? quiet + 1 : 0;
        before = world.us.got + world.them.got;
        if (world.reliable && world.us.got >= MESSAGES && world.them.got >= MESSAGES)
            break;
    }
    assert_int_equal(world.us.sent, MESSAGES);
    assert_int_equal(world.them.sent, MESSAGES);
    expect_side(&world.us, "usrsctp to us");
    expect_side(&world.them, "us to usrsctp");
    if (!impaired)
        assert_int_equal(world.us.got + world.them.got, 2 * MESSAGES);
    world.impaired = false;
    for (int i = 0; i < 2000;
         i++) /* what is still under way or missing: usrsctp answers data after close with ABORT */
        step();
    assert_int_equal(sctp_statistics(world.ours)->outstanding, 0);
    if (slow) {
        assert_true(world.closed_theirs && world.closed_ours);
        const struct sctp_stats *stats = sctp_statistics(world.ours);
        assert_true(stats->probes > 0 && stats->refused > 0); /* ours; theirs */
        assert_true(impaired || stats->timeouts == 0);
    }
    usr.close(world.theirs); /* SHUTDOWN */
    if (world.listening)
        usr.close(world.listening);
    for (int i = 0; i < 2000 && sctp_state(world.ours); i++)
        step();
    struct sctp_event event;
    bool down = false;
    while (sctp_event(world.ours, &event))
        down |= event.kind == SCTP_EV_DOWN;
    assert_true(down);
    for (int i = 0; i < 200; i++)
        step();
    free(world.ours);
}

static void all_classes(bool we_connect, bool impaired)
{
    for (unsigned class = 0; class < 4; class ++)
        talk(class, we_connect, impaired, false);
}

TEST(we_connect_on_a_clean_path)
{
    all_classes(true, false);
}

TEST(they_connect_on_a_clean_path)
{
    all_classes(false, false);
}

TEST(we_connect_on_a_bad_path)
{
    all_classes(true, true);
}

TEST(they_connect_on_a_bad_path)
{
    all_classes(false, true);
}

/* Windows close on both sides, stay closed for 1.4 s, which is 40 smallest RTOs, and open: probed in both directions, and
 * everything arrives. */
TEST(closed_windows_open_again)
{
    for (int impaired = 0; impaired < 2; impaired++)
        talk(3, true, impaired, true);
}

int main(void)
{
    if (!load()) {
        printf("skipped: usrsctp is missing (Debian: libusrsctp-dev)\n");
        return 77;
    }
    usr.init_nothreads(0, from_usrsctp, NULL);
    return test_run();
}

#else

int main(void)
{
    printf("skipped: usrsctp.h is missing (Debian: libusrsctp-dev)\n");
    return 77;
}

#endif
