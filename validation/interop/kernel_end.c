/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "kernel_end.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BACKLOG = 256 };

static struct sockaddr_in at(uint32_t address, uint16_t port)
{
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(address)};
}

static int stream_socket(void)
{
    return socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

int kernel_listen(uint32_t address, uint16_t port)
{
    struct sockaddr_in here = at(address, port);
    int one = 1, fd = stream_socket();
    if (fd < 0)
        return -errno;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(fd, (const struct sockaddr *)&here, sizeof here) || listen(fd, BACKLOG))
        return -errno;
    return fd;
}

int kernel_accept(int listening, uint16_t *peer_port)
{
    struct sockaddr_in peer;
    socklen_t size = sizeof peer;
    int fd = accept4(listening, (struct sockaddr *)&peer, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0)
        return -errno;
    *peer_port = ntohs(peer.sin_port);
    return fd;
}

int kernel_connect(uint32_t address, uint16_t port, int buffer, const char *congestion)
{
    struct sockaddr_in there = at(address, port);
    int fd = stream_socket();
    if (fd < 0)
        return -errno;
    if (buffer)
        setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
    setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, congestion, (socklen_t)strlen(congestion));
    if (connect(fd, (const struct sockaddr *)&there, sizeof there) && errno != EINPROGRESS)
        return -errno;
    return fd;
}

static bool again(struct kernel_end *e)
{
    if (errno != EAGAIN && errno != EINTR && errno != ENOTCONN && errno != EINPROGRESS)
        e->error = errno;
    return false;
}

static bool send_some(struct kernel_end *e)
{
    ssize_t n = send(e->fd, e->out + e->sent, e->out_len - e->sent, MSG_NOSIGNAL);
    if (n < 0)
        return again(e);
    e->sent += (size_t)n;
    return n > 0;
}

/* One octet more than expected is room enough to see that there are too many. */
static bool receive_some(struct kernel_end *e)
{
    size_t room = e->in_len + 1 - e->received;
    ssize_t n = recv(e->fd, e->in + e->received, e->reads && e->reads < room ? e->reads : room, 0);
    if (n < 0)
        return again(e);
    e->received += (size_t)n;
    e->eof |= n == 0;
    return n > 0 && e->received <= e->in_len && !e->reads;
}

static bool is_open(const struct kernel_end *e)
{
    struct pollfd p = {.fd = e->fd, .events = POLLOUT};
    return poll(&p, 1, 0) == 1;
}

void kernel_end_turn(struct kernel_end *e)
{
    if (e->fd < 0 || e->error || kernel_end_is_done(e))
        return;
    while (e->sent < e->out_len && send_some(e))
        ;
    if (e->sent == e->out_len && !e->shut && is_open(e))
        e->shut = shutdown(e->fd, SHUT_WR) == 0;
    while (!e->eof && !e->error && e->received <= e->in_len && receive_some(e))
        ;
}

short kernel_end_events(const struct kernel_end *e)
{
    if (e->error || kernel_end_is_done(e))
        return 0;
    return (short)((e->eof ? 0 : POLLIN) | (e->shut ? 0 : POLLOUT));
}

bool kernel_end_is_done(const struct kernel_end *e)
{
    return e->eof && e->shut;
}
