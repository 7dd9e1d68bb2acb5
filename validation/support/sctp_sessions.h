/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sctp_sessions.h -- the sessions of an association, without the table llp_sctp above them. */
#ifndef SUPPORT_SCTP_SESSIONS_H
#define SUPPORT_SCTP_SESSIONS_H

#include <stdlib.h>

#include "llp/sctp_ddp.h"

/* Above `a`; one block, to be freed. */
static inline struct sctp_ddp *sctp_sessions_new(const struct sctp_ddp_conf *conf,
                                                 const struct sctp_conf *association, struct sctp *a)
{
    struct carve count = {0};
    carve(&count, sizeof(struct sctp_ddp));
    sctp_ddp_lay_out(NULL, &count, conf, association, a);
    struct carve c = {.memory = malloc(count.used)};
    struct sctp_ddp *d = carve(&c, sizeof *d);
    sctp_ddp_lay_out(d, &c, conf, association, a);
    return d;
}

#endif
