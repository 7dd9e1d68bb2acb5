/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* sockets.h -- sessions on the kernel's TCP: many connections, one thread, epoll. Linux.
 *
 * The host is a table of functions. One turn waits until something can happen, feeds the sessions that it concerns, and
 * tells the host of each: there it polls completions and events, and posts. What it posts between turns leaves at once
 * with link_kick(), else with the next turn.
 */
#ifndef IW_SOCKET_SOCKETS_H
#define IW_SOCKET_SOCKETS_H

#include <sys/socket.h>

#include "socket/session.h"

enum { SOCKETS_WHY_MAX = 256 };

/* "127.0.0.1:7174", "[::1]:7174", "host:7174"; its first address. False: `why` (SOCKETS_WHY_MAX octets) is one sentence. */
struct socket_address {
    struct sockaddr_storage a;
    socklen_t len;
};
bool address_read(const char *text, struct socket_address *out, char *why);
/* The same from an address or a name, IPv6 without brackets or with them, and a port. */
bool address_at(const char *host, uint16_t port, struct socket_address *out, char *why);
enum { ADDRESS_TEXT_MAX = 64 };
const char *address_text(const struct socket_address *a, char out[ADDRESS_TEXT_MAX]);

struct link; /* one connection */

struct sockets_host {
    void *context;
    /* In every conf, emss is an upper bound of TCP's own, 0: none. A connection has come: fill `conf`. False: it is reset. */
    bool (*accepted)(void *context, struct link *link, struct session_conf *conf);
    /* Something happened; the session's state, events and completions tell. */
    void (*turned)(void *context, struct link *link);
    /* The last call about this one. `error`: the errno of the socket, 0: none. */
    void (*gone)(void *context, struct link *link, int error);
    /* Octets that TCP took or brought, or NULL. */
    void (*octets)(void *context, struct link *link, bool sent, const struct iw_frag *piece, uint32_t pieces,
                   size_t octets);
};

struct sockets;
/* At most `links_max` connections at a time: more are reset as they come. NULL: out of memory or descriptors. */
struct sockets *sockets_new(const struct sockets_host *host, uint32_t links_max);
/* Resets what is left; gone() is called for each. */
void sockets_free(struct sockets *s);

/* Accept connections at an address; port 0: the kernel chooses, `address` tells. 0, or an errno. */
int sockets_listen(struct sockets *s, struct socket_address *address);
/* Begin a connection. NULL: `*error` is an errno. One that is refused is told by gone(). */
struct link *sockets_connect(struct sockets *s, const struct socket_address *to,
                             const struct session_conf *conf, void *user, int *error);

/* Wait at most until `until` (of sockets_now()) and do what is to be done; the connections there are now; below zero: an errno
 * of epoll. */
int sockets_turn(struct sockets *s, iw_time until);
/* The clock of all of it: picoseconds, monotonic. */
iw_time sockets_now(void);

struct session *link_session(struct link *link); /* NULL while TCP opens */
void **link_user(struct link *link);
const struct socket_address *link_peer(const struct link *link);
const struct socket_address *link_local(const struct link *link);
/* Send what the ULP posted, now. */
void link_kick(struct link *link);
/* In turned(): call it again within a millisecond, though nothing may happen. */
void link_again(struct link *link);
/* Octets that TCP took and the peer has not acknowledged. */
uint64_t link_unacked(const struct link *link);
/* Octets of memory that one connection takes, with its session. */
size_t link_octets(const struct link *link);

#endif
