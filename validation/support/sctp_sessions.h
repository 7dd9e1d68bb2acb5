/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sctp_sessions.h -- the sessions of an association, without the table llp_sctp above them. */
#ifndef SUPPORT_SCTP_SESSIONS_H
#define SUPPORT_SCTP_SESSIONS_H

#include <stdlib.h>

#include "llp/sctp_ddp.h"

struct sctp_sessions_memory {
    uint8_t *at;
    size_t left;
};

static inline void *sctp_sessions_more(void *user, size_t octets)
{
    struct sctp_sessions_memory *m = user;
    size_t rounded = (octets + 15) & ~(size_t)15;
    if (rounded > m->left)
        return NULL;
    void *p = m->at;
    m->at += rounded;
    m->left -= rounded;
    return p;
}

/* Above `a`; one block, to be freed, with room for all that may be kept. */
static inline struct sctp_ddp *sctp_sessions_new(const struct sctp_ddp_conf *conf,
                                                 const struct sctp_conf *association, struct sctp *a)
{
    struct carve count = {0};
    size_t room = (size_t)conf->keep * (association->mtu + 64);
    carve(&count, sizeof(struct sctp_sessions_memory));
    carve(&count, sizeof(struct sctp_ddp));
    sctp_ddp_lay_out(NULL, &count, conf, association, a);
    struct carve c = {.memory = malloc(count.used + room)};
    struct sctp_ddp *d = carve(&c, sizeof *d); /* first, for free() */
    struct sctp_sessions_memory *memory = carve(&c, sizeof *memory);
    sctp_ddp_lay_out(d, &c, conf, association, a);
    *memory = (struct sctp_sessions_memory){c.memory + c.used, room};
    d->o.conf.memory = (struct llp_memory){sctp_sessions_more, memory};
    return d;
}

#endif
