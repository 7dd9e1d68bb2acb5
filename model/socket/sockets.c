/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#define _GNU_SOURCE /* accept4(); NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
#include "socket/sockets.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "engine/law.h"
#include "engine/least.h"
#include "socket/deadlines.h"

#define MS ((iw_time)1000000000)

/* ROUNDS: sends in a row before others have their turn. */
enum { IN = 256 << 10, EVENTS = 64, ROUNDS = 16, LISTENING = 16, BACKLOG = 128, EMSS_LEAST = 536 };
enum { USER_TIMEOUT_MS = 30000, KEEPALIVE_S = 30 };

struct link {
    struct deadline due; /* first: the link is where it is */
    struct sockets *home;
    struct link *next, **self; /* in the list of all */
    struct link *then;         /* in that of those that are due in this turn, or gone */
    struct session *session;
    struct session_conf conf; /* until there is a session */
    struct socket_address peer, local;
    void *user;
    size_t octets;
    int fd, error;
    uint32_t watched; /* EPOLL* */
    bool opening, fin_in, on_ack, again, gone;
};

struct sockets {
    struct sockets_host host;
    struct link *links, *ended; /* all; those of them that are gone */
    struct deadlines due;
    uint32_t count, links_max;
    int epoll, listening, spare; /* spare: a descriptor to accept and refuse with when there are no others */
    struct session_batch batch;
    uint8_t in[IN];
};

iw_time sockets_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (iw_time)t.tv_sec * 1000 * MS + (iw_time)t.tv_nsec * 1000;
}

/* ---- life ---- */

struct sockets *sockets_new(const struct sockets_host *host, uint32_t links_max)
{
    struct sockets *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->host = *host;
    s->links_max = links_max;
    s->listening = -1;
    s->epoll = epoll_create1(EPOLL_CLOEXEC);
    s->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (s->epoll >= 0)
        return s;
    free(s);
    return NULL;
}

static void watch(struct link *l, bool out)
{
    uint32_t wanted = (l->fin_in ? 0 : (uint32_t)EPOLLIN) | (out ? (uint32_t)EPOLLOUT : 0);
    struct epoll_event e = {.events = wanted, .data.ptr = l};
    if (wanted != l->watched)
        epoll_ctl(l->home->epoll, EPOLL_CTL_MOD, l->fd, &e);
    l->watched = wanted;
}

static void close_fd(struct link *l, bool reset)
{
    const struct linger now = {.l_onoff = 1};
    if (l->fd < 0)
        return;
    if (reset)
        setsockopt(l->fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    close(l->fd);
    l->fd = -1;
}

/* It stays until the turn is over: events of this turn may still name it. */
static void link_end(struct link *l)
{
    if (l->gone)
        return;
    close_fd(l, false);
    deadline_set(&l->home->due, &l->due, IW_NEVER);
    l->gone = true;
    l->then = l->home->ended;
    l->home->ended = l;
    l->home->host.gone(l->home->host.context, l, l->error);
}

static void link_free(struct link *l)
{
    LAW(l->gone && l->fd < 0 && !l->due.place); /* no event, no deadline names it */
    LAW(*l->self == l && l->home->count);
    *l->self = l->next;
    if (l->next)
        l->next->self = l->self;
    l->home->count--;
    free(l->session);
    free(l);
}

static void sweep(struct sockets *s)
{
    for (struct link *l; (l = s->ended);) {
        s->ended = l->then;
        link_free(l);
    }
}

void sockets_free(struct sockets *s)
{
    for (struct link *l = s->links; l; l = l->next) {
        close_fd(l, true);
        link_end(l);
    }
    sweep(s);
    LAW(!s->count && !s->links && !s->due.count);
    if (s->listening >= 0)
        close(s->listening);
    if (s->spare >= 0)
        close(s->spare);
    close(s->epoll);
    deadlines_free(&s->due);
    free(s);
}

/* ---- when it is due ---- */

static iw_time deadline_of(const struct link *l)
{
    if (l->error)
        return 0; /* to be told */
    iw_time at = l->session ? session_deadline(l->session) : IW_NEVER;
    iw_time soon = l->again ? sockets_now() + MS : IW_NEVER;
    return least(soon, at);
}

/* Behind everything that may have moved it. */
static void set_deadline(struct link *l)
{
    if (!l->gone)
        deadline_set(&l->home->due, &l->due, deadline_of(l));
    LAW(!l->gone || !l->due.place);
}

void link_again(struct link *l)
{
    l->again = true;
}

/* ---- connections ---- */

static void set(int fd, int level, int name, int value)
{
    setsockopt(fd, level, name, &value, sizeof value);
}

/* A peer that is gone without a word is missed after half a minute. */
static void set_options(int fd)
{
    set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    set(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, USER_TIMEOUT_MS);
    set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
    set(fd, IPPROTO_TCP, TCP_KEEPIDLE, KEEPALIVE_S);
    set(fd, IPPROTO_TCP, TCP_KEEPINTVL, KEEPALIVE_S / 6);
}

static uint32_t emss_of(int fd)
{
    int mss = 0;
    socklen_t len = sizeof mss;
    getsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &mss, &len);
    return mss > EMSS_LEAST ? (uint32_t)mss : EMSS_LEAST;
}

static struct link *link_new(struct sockets *s, int fd)
{
    struct link *l = calloc(1, sizeof *l);
    struct epoll_event e = {.events = EPOLLIN, .data.ptr = l};
    if (!l || !deadlines_make_room(&s->due, s->count + 1) || epoll_ctl(s->epoll, EPOLL_CTL_ADD, fd, &e)) {
        free(l);
        return NULL;
    }
    l->home = s;
    l->fd = fd;
    l->watched = e.events;
    l->next = s->links;
    l->self = &s->links;
    if (l->next)
        l->next->self = &l->next;
    s->links = l;
    s->count++;
    LAW(s->count <= s->due.room && *l->self == l);
    set_options(fd);
    return l;
}

/* TCP is open. */
static bool link_begin(struct link *l)
{
    uint32_t emss = emss_of(l->fd);
    l->conf.emss = l->conf.emss && l->conf.emss < emss ? l->conf.emss : emss;
    l->local.len = sizeof l->local.a;
    getsockname(l->fd, (struct sockaddr *)&l->local.a, &l->local.len);
    l->octets = session_size(&l->conf);
    void *memory = l->octets ? malloc(l->octets) : NULL;
    l->session = memory ? session_init(memory, sockets_now(), &l->conf) : NULL;
    l->on_ack = l->conf.ep.complete_on == IW_ON_ACK;
    if (!l->session)
        free(memory);
    return l->session != NULL;
}

int sockets_listen(struct sockets *s, struct socket_address *address)
{
    struct epoll_event e = {.events = EPOLLIN, .data.ptr = NULL};
    int fd = socket(address->a.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return errno;
    set(fd, SOL_SOCKET, SO_REUSEADDR, 1);
    if (bind(fd, (const struct sockaddr *)&address->a, address->len) || listen(fd, BACKLOG) ||
        getsockname(fd, (struct sockaddr *)&address->a, &address->len) ||
        epoll_ctl(s->epoll, EPOLL_CTL_ADD, fd, &e)) {
        int error = errno;
        close(fd);
        return error;
    }
    s->listening = fd;
    return 0;
}

static void accept_one(struct sockets *s, int fd, const struct socket_address *peer)
{
    struct link *l = s->count < s->links_max ? link_new(s, fd) : NULL;
    if (!l) {
        struct link refused = {.fd = fd};
        close_fd(&refused, true);
        return;
    }
    l->peer = *peer;
    l->local.len = sizeof l->local.a;
    getsockname(fd, (struct sockaddr *)&l->local.a, &l->local.len);
    if (s->host.accepted(s->host.context, l, &l->conf) && link_begin(l)) {
        s->host.turned(s->host.context, l); /* receives may be posted before start-up */
        set_deadline(l);
        return;
    }
    close_fd(l, true);
    link_end(l);
}

/* With no descriptor left a connection would wait, and epoll wake, for ever: it is taken with the spare one and reset. */
static void refuse_one(struct sockets *s)
{
    close(s->spare);
    struct link refused = {.fd = accept4(s->listening, NULL, NULL, SOCK_CLOEXEC)};
    close_fd(&refused, true);
    s->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static void accept_all(struct sockets *s)
{
    for (int i = 0; i < LISTENING; i++) {
        struct socket_address peer = {.len = sizeof peer.a};
        int fd = accept4(s->listening, (struct sockaddr *)&peer.a, &peer.len, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0)
            accept_one(s, fd, &peer);
        else if ((errno == EMFILE || errno == ENFILE) && s->spare >= 0)
            refuse_one(s);
        else
            return;
    }
}

struct link *sockets_connect(struct sockets *s, const struct socket_address *to,
                             const struct session_conf *conf, void *user, int *error)
{
    int fd =
        s->count < s->links_max ? socket(to->a.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0) : -1;
    struct link *l = fd >= 0 ? link_new(s, fd) : NULL;
    *error = l ? 0 : fd >= 0 ? ENOMEM : errno;
    if (!l) {
        if (fd >= 0)
            close(fd);
        return NULL;
    }
    l->conf = *conf;
    l->user = user;
    l->peer = *to;
    l->opening = true;
    if (connect(fd, (const struct sockaddr *)&to->a, to->len) && errno != EINPROGRESS)
        l->error = errno; /* told in the next turn */
    watch(l, true);
    set_deadline(l);
    return l;
}

/* ---- one connection's turn ---- */

static void failed(struct link *l, int error)
{
    l->error = error;
    if (l->session)
        session_lost(l->session, sockets_now());
}

static void opened(struct link *l)
{
    int error = l->error;
    socklen_t len = sizeof error;
    if (!error)
        getsockopt(l->fd, SOL_SOCKET, SO_ERROR, &error, &len);
    l->opening = false;
    if (!error && !link_begin(l))
        error = ENOMEM;
    if (!error)
        return;
    l->error = error;
    link_end(l);
}

static void input(struct link *l)
{
    struct sockets *s = l->home;
    ssize_t n = recv(l->fd, s->in, IN, 0);
    if (n > 0) {
        const struct iw_frag piece = {s->in, (uint32_t)n};
        if (s->host.octets)
            s->host.octets(s->host.context, l, false, &piece, 1, (size_t)n);
        session_receive(l->session, sockets_now(), s->in, (size_t)n);
    } else if (n == 0 && !l->fin_in) {
        l->fin_in = true; /* and readable for ever: watched no more */
        session_fin(l->session, sockets_now());
    } else if (n == 0) {
        failed(l, EPIPE); /* woken though nothing is watched: TCP is gone in both directions */
    } else if (errno != EAGAIN && errno != EINTR) {
        failed(l, errno);
    }
}

static ssize_t put_batch(struct link *l, const struct session_batch *b)
{
    struct iovec iov[SESSION_PIECES];
    struct msghdr m = {.msg_iov = iov, .msg_iovlen = b->pieces};
    for (uint32_t i = 0; i < b->pieces; i++)
        iov[i] = (struct iovec){(void *)(uintptr_t)b->piece[i].octets, b->piece[i].len};
    ssize_t n = sendmsg(l->fd, &m, MSG_NOSIGNAL);
    if (n > 0 && l->home->host.octets)
        l->home->host.octets(l->home->host.context, l, true, b->piece, b->pieces, (size_t)n);
    return n;
}

/* One batch. False: TCP takes no more for now, or there was nothing. */
static bool output(struct link *l, bool *behind)
{
    struct session_batch *b = &l->home->batch;
    if (!session_transmit(l->session, sockets_now(), b))
        return false;
    ssize_t n = put_batch(l, b);
    LAW(n <= (ssize_t)b->octets);
    int error = n < 0 ? errno : 0;
    session_sent(l->session, sockets_now(), b, n > 0 ? (size_t)n : 0);
    *behind = n < (ssize_t)b->octets;
    if (error && error != EAGAIN && error != EINTR)
        failed(l, error);
    return !*behind;
}

/* What there is to say, and what the ULP says to its completions. True: there is more when TCP, or others, had their turn. */
static bool talk(struct link *l)
{
    bool behind = false;
    for (int round = 0; round < ROUNDS; round++) {
        if (!output(l, &behind))
            return behind && session_waiting(l->session);
        l->home->host.turned(l->home->host.context, l);
    }
    return true;
}

static void do_as_asked(struct link *l)
{
    enum session_want want;
    while (l->fd >= 0 && (want = session_request(l->session, sockets_now())) != SESSION_NOTHING) {
        if (want == SESSION_SEND_FIN)
            shutdown(l->fd, SHUT_WR);
        else
            close_fd(l, true);
    }
}

uint64_t link_unacked(const struct link *l)
{
    int queued = 0;
    return l->fd >= 0 && ioctl(l->fd, SIOCOUTQ, &queued) == 0 ? (uint64_t)queued : 0;
}

/* Everything that follows from what is known, the ULP's answers included. */
static void settle_link(struct link *l)
{
    if (l->gone || !l->session)
        return;
    l->again = false;
    session_expire(l->session, sockets_now());
    if (l->on_ack)
        session_note_acked(l->session, sockets_now(), link_unacked(l));
    l->home->host.turned(l->home->host.context, l);
    bool more = l->fd >= 0 && talk(l);
    l->again |= l->on_ack && link_unacked(l); /* IW_ON_ACK: a kernel socket has no event for it */
    do_as_asked(l);
    if (session_state(l->session) == SESSION_OVER) {
        l->home->host.turned(l->home->host.context, l); /* its last events */
        link_end(l);
    } else if (l->fd >= 0) {
        watch(l, more);
    }
    set_deadline(l);
}

void link_kick(struct link *l)
{
    if (l->gone || !l->session || l->fd < 0 || l->watched & EPOLLOUT)
        return;
    bool more = talk(l);
    do_as_asked(l);
    if (l->fd >= 0)
        watch(l, more);
    l->again |= l->on_ack;
    set_deadline(l);
}

static void serve_link(struct link *l, uint32_t ready)
{
    if (l->gone)
        return;
    if (l->opening && ready)
        opened(l);
    else if (l->session && ready & (EPOLLIN | EPOLLERR | EPOLLHUP))
        input(l);
    settle_link(l);
}

/* ---- turns ---- */

static int wait_ms(const struct sockets *s, iw_time until)
{
    const struct deadline *first = deadlines_first(&s->due);
    iw_time now = sockets_now(), at = first && first->at < until ? first->at : until;
    iw_time ms = at > now ? (at - now + MS - 1) / MS : 0;
    return ms > 1000000 ? 1000000 : (int)ms;
}

/* Each once, though it were due again. */
static void turn_due(struct sockets *s)
{
    iw_time now = sockets_now();
    struct link *due = NULL, **end = &due;
    for (struct deadline *d; (d = deadlines_first(&s->due)) && d->at <= now; end = &(*end)->then) {
        deadline_set(&s->due, d, IW_NEVER);
        *end = (struct link *)d;
        (*end)->then = NULL;
    }
    for (struct link *l = due, *next; l; l = next) {
        next = l->then;
        serve_link(l, l->opening ? EPOLLOUT : 0);
    }
}

int sockets_turn(struct sockets *s, iw_time until)
{
    struct epoll_event event[EVENTS];
    int n = epoll_wait(s->epoll, event, EVENTS, wait_ms(s, until));
    if (n < 0 && errno != EINTR)
        return -errno;
    for (int i = 0; i < n; i++) {
        if (event[i].data.ptr)
            serve_link(event[i].data.ptr, event[i].events);
        else
            accept_all(s);
    }
    turn_due(s);
    sweep(s);
    LAW(s->due.count <= s->count && s->count <= s->links_max);
    return (int)s->count;
}

/* ---- looking on ---- */

struct session *link_session(struct link *l)
{
    return l->session;
}

void **link_user(struct link *l)
{
    return &l->user;
}

const struct socket_address *link_peer(const struct link *l)
{
    return &l->peer;
}

const struct socket_address *link_local(const struct link *l)
{
    return &l->local;
}

size_t link_octets(const struct link *l)
{
    return l->octets + sizeof *l;
}
