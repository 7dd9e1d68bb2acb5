/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "socket/sockets.h"

enum { HOST_MAX = 256, PORT_MAX = 65535 };

/* HOST and PORT of "HOST:PORT" or "[HOST]:PORT". */
static bool split_address(const char *text, char host[HOST_MAX], const char **port)
{
    const char *colon = strrchr(text, ':');
    size_t len = colon ? (size_t)(colon - text) : 0;
    bool bracketed = len > 1 && text[0] == '[' && text[len - 1] == ']';
    if (!len || (!bracketed && memchr(text, ':', len)) || len >= HOST_MAX)
        return false;
    snprintf(host, HOST_MAX, "%.*s", (int)(bracketed ? len - 2 : len), text + bracketed);
    *port = colon + 1;
    return *host != 0;
}

static bool is_port(const char *text)
{
    return *text && strlen(text) <= 5 && strspn(text, "0123456789") == strlen(text) && atoi(text) <= PORT_MAX;
}

bool address_read(const char *text, struct socket_address *out, char *why)
{
    char host[HOST_MAX];
    const char *port;
    struct addrinfo *found,
        hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    if (!split_address(text, host, &port) || !is_port(port)) {
        snprintf(why, SOCKETS_WHY_MAX,
                 "an address must be HOST:PORT, such as 127.0.0.1:7174 or [::1]:7174, not '%.100s'", text);
        return false;
    }
    int result = getaddrinfo(host, port, &hints, &found);
    if (result) {
        snprintf(why, SOCKETS_WHY_MAX, "%.100s cannot be resolved: %s", host, gai_strerror(result));
        return false;
    }
    memcpy(&out->a, found->ai_addr, found->ai_addrlen);
    out->len = found->ai_addrlen;
    freeaddrinfo(found);
    return true;
}

bool address_at(const char *host, uint16_t port, struct socket_address *out, char *why)
{
    char text[HOST_MAX + sizeof "[]:65535"];
    bool bare = strchr(host, ':') && *host != '[';
    snprintf(text, sizeof text, bare ? "[%.*s]:%u" : "%.*s:%u", HOST_MAX, host, port);
    return address_read(text, out, why);
}

const char *address_text(const struct socket_address *a, char out[ADDRESS_TEXT_MAX])
{
    char host[48] = "?", port[8] = "?";
    getnameinfo((const struct sockaddr *)&a->a, a->len, host, sizeof host, port, sizeof port,
                NI_NUMERICHOST | NI_NUMERICSERV);
    snprintf(out, ADDRESS_TEXT_MAX, a->a.ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host, port);
    return out;
}
