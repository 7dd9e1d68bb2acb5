/* SPDX-License-Identifier: GPL-2.0-or-later */
/* peer_record.c -- a peer that is heard as it is, and all that passes is written to a capture (peer.h). */
#include <stdlib.h>

#include <netinet/in.h>

#include "helpers/judge/peer.h"
#include "helpers/world/socket/record.h"

struct peer_record {
    struct judge_peer of;
    struct record *record;
    struct record_flow *flow; /* NULL: no connection, or no memory */
    bool lost;
};

static struct socket_address end(uint16_t port)
{
    struct socket_address a = {.len = sizeof(struct sockaddr_in)};
    struct sockaddr_in *in = (struct sockaddr_in *)&a.a;
    *in = (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    return a;
}

/* The addresses are made up, as those of the judge's own reading are: what matters is who calls. */
static bool record_open(void *context, unsigned wishes)
{
    enum { JUDGE = 40000, PEER = 7174 };
    struct peer_record *p = context;
    if (!p->of.open(p->of.context, wishes))
        return false;
    const struct socket_address us = end(JUDGE), them = end(PEER);
    p->flow = record_begin(p->record, &us, &them, !(wishes & PEER_INITIATES));
    return true;
}

static void note(struct peer_record *p, bool sent, const uint8_t *octets, uint32_t len)
{
    const struct iw_frag piece = {octets, len};
    if (p->flow)
        record_octets(p->flow, sent, &piece, 1, len);
}

static void record_send(void *context, const uint8_t *octets, uint32_t len)
{
    struct peer_record *p = context;
    note(p, true, octets, len);
    p->of.send(p->of.context, octets, len);
}

static int record_hear(void *context, uint8_t *out, uint32_t room, unsigned ms)
{
    struct peer_record *p = context;
    int got = p->of.hear(p->of.context, out, room, ms);
    if (got > 0)
        note(p, false, out, (uint32_t)got);
    p->lost |= got == PEER_LOST;
    return got;
}

static void record_finish(void *context)
{
    struct peer_record *p = context;
    p->of.finish(p->of.context);
}

static void record_over(void *context)
{
    struct peer_record *p = context;
    record_end(p->flow, p->lost);
    p->flow = NULL;
    p->of.close(p->of.context);
}

struct peer_record *peer_record_new(struct judge_peer *peer, FILE *out)
{
    struct peer_record *p = calloc(1, sizeof *p);
    if (!p) {
        fclose(out);
        return NULL;
    }
    p->of = *peer;
    p->record = record_new(out);
    if (!p->record) {
        free(p);
        return NULL;
    }
    *peer = (struct judge_peer){p,           p->of.alone,   record_open, record_send,
                                record_hear, record_finish, record_over};
    return p;
}

bool peer_record_free(struct peer_record *p)
{
    bool good = record_close(p->record);
    free(p);
    return good;
}
