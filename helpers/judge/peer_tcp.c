/* SPDX-License-Identifier: GPL-2.0-or-later */
/* peer_tcp.c -- whoever answers at a TCP port, or connects to ours (peer.h). The judge makes its octets itself and wants them to leave as it
 * cuts them: a plain socket, without the engine behind it. */
#define _GNU_SOURCE /* accept4(); NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <netinet/in.h>
#include <netinet/tcp.h>

#include "helpers/judge/peer.h"
#include "socket/sockets.h"

enum { CONNECT_MS = 5000, RETURN_MS = 2000, AGAIN_MS = 100 };

struct peer_tcp {
    struct socket_address to; /* or where it listens */
    char text[ADDRESS_TEXT_MAX];
    int fd, listening; /* -1: none */
    unsigned patience_ms;
    bool ended, reached; /* reached: it has answered before */
};

static void tcp_close(void *context)
{
    struct peer_tcp *p = context;
    if (p->fd >= 0)
        close(p->fd);
    p->fd = -1;
}

static bool wait_for_socket(int fd, short events, int ms)
{
    struct pollfd p = {.fd = fd, .events = events};
    int got;
    while ((got = poll(&p, 1, ms)) < 0 && errno == EINTR) {
    }
    return got > 0;
}

static bool is_connected(int fd)
{
    int error = 0;
    socklen_t size = sizeof error;
    return wait_for_socket(fd, POLLOUT, CONNECT_MS) &&
           getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && !error;
}

static bool call_once(struct peer_tcp *p)
{
    tcp_close(p);
    p->fd = socket(p->to.a.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (p->fd < 0)
        return false;
    bool begun = connect(p->fd, (const struct sockaddr *)&p->to.a, p->to.len) == 0 || errno == EINPROGRESS;
    return begun && is_connected(p->fd);
}

/* A peer that serves one connection, and is started again, is waited for. */
static bool call(struct peer_tcp *p)
{
    for (int ms = 0; ms <= RETURN_MS; ms += AGAIN_MS) {
        if (call_once(p))
            return p->reached = true;
        if (!p->reached)
            return false;
        poll(NULL, 0, AGAIN_MS);
    }
    return false;
}

static bool be_called(struct peer_tcp *p)
{
    if (wait_for_socket(p->listening, POLLIN, (int)p->patience_ms))
        p->fd = accept4(p->listening, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    return p->fd >= 0;
}

static bool tcp_open(void *context, unsigned wishes)
{
    struct peer_tcp *p = context;
    const int on = 1;
    (void)wishes; /* it cannot be told */
    tcp_close(p);
    p->ended = false;
    if (p->listening >= 0 ? be_called(p) : call(p)) {
        setsockopt(p->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        return true;
    }
    tcp_close(p);
    return false;
}

static void tcp_send(void *context, const uint8_t *octets, uint32_t len)
{
    struct peer_tcp *p = context;
    while (len && wait_for_socket(p->fd, POLLOUT, CONNECT_MS)) {
        ssize_t n = send(p->fd, octets, len, MSG_NOSIGNAL);
        if (n < 0 && errno != EINTR && errno != EAGAIN)
            return; /* it has closed: tcp_hear() tells */
        octets += n > 0 ? n : 0;
        len -= n > 0 ? (uint32_t)n : 0;
    }
}

static int tcp_hear(void *context, uint8_t *out, uint32_t room, unsigned ms)
{
    struct peer_tcp *p = context;
    if (p->ended || !wait_for_socket(p->fd, POLLIN, (int)ms))
        return PEER_NOTHING;
    ssize_t n = recv(p->fd, out, room, 0);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return PEER_NOTHING;
    p->ended = n <= 0;
    return n > 0 ? (int)n : n == 0 ? PEER_FIN : PEER_LOST;
}

static void tcp_finish(void *context)
{
    struct peer_tcp *p = context;
    shutdown(p->fd, SHUT_WR);
}

static struct peer_tcp *tcp_new(struct judge_peer *peer, char *why)
{
    _Static_assert((int)PEER_WHY_MAX >= (int)SOCKETS_WHY_MAX, "address_read() fills it");
    struct peer_tcp *p = calloc(1, sizeof *p);
    if (!p) {
        snprintf(why, PEER_WHY_MAX, "out of memory");
        return NULL;
    }
    p->fd = p->listening = -1;
    *peer = (struct judge_peer){p, false, tcp_open, tcp_send, tcp_hear, tcp_finish, tcp_close};
    return p;
}

struct peer_tcp *peer_tcp_new(struct judge_peer *peer, const char *address, char *why)
{
    struct peer_tcp *p = tcp_new(peer, why);
    if (p && address_read(address, &p->to, why))
        return p;
    peer_tcp_free(p);
    return NULL;
}

static bool listens(struct peer_tcp *p)
{
    const int on = 1;
    p->listening = socket(p->to.a.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (p->listening < 0)
        return false;
    setsockopt(p->listening, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    return bind(p->listening, (const struct sockaddr *)&p->to.a, p->to.len) == 0 &&
           listen(p->listening, 1) == 0 &&
           getsockname(p->listening, (struct sockaddr *)&p->to.a, &p->to.len) == 0;
}

struct peer_tcp *peer_tcp_listen(struct judge_peer *peer, const char *host, uint16_t port,
                                 unsigned patience_ms, char *why)
{
    struct peer_tcp *p = tcp_new(peer, why);
    bool good = p && address_at(host, port, &p->to, why);
    if (good && !listens(p)) {
        snprintf(why, PEER_WHY_MAX, "cannot listen on %.100s, port %u: %s", host, port, strerror(errno));
        good = false;
    }
    if (good) {
        p->patience_ms = patience_ms;
        address_text(&p->to, p->text);
        return p;
    }
    peer_tcp_free(p);
    return NULL;
}

const char *peer_tcp_address(const struct peer_tcp *p)
{
    return p->text;
}

void peer_tcp_free(struct peer_tcp *p)
{
    if (!p)
        return;
    tcp_close(p);
    if (p->listening >= 0)
        close(p->listening);
    free(p);
}
