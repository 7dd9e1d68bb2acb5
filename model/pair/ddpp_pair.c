/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pair/ddpp_pair.h"

#include <string.h>

#include "engine/carve.h"

struct ddpp_pair {
    struct ddpp_pair_conf conf;
    struct ddpp_pair_user ulp;
    struct sctp_link *link;
    struct iw_stags *stags;
    struct ddpp *receiver;
    struct ddpp_split split;
    struct ddpp_piece piece; /* the next one, made and not yet taken by SCTP */
    bool has_piece;
    const uint8_t *octets;
    uint64_t key; /* of the last ordered message that came, and one */
};

static uint32_t message_max(const struct sctp_link_conf *c)
{
    return c->end[0].mtu - SCTP_OVERHEAD;
}

static struct ddpp_conf ddpp_conf_of(const struct ddpp_pair_conf *conf)
{
    struct ddpp_conf c = conf->ddpp;
    c.message_max = message_max(&conf->link);
    return c;
}

const char *ddpp_pair_conf_error(const struct ddpp_pair_conf *conf)
{
    const char *error = sctp_link_conf_error(&conf->link);
    if (error)
        return error;
    struct ddpp_conf c = ddpp_conf_of(conf);
    if (!conf->ddpp.reliable && !(conf->link.end[0].partial && conf->link.end[1].partial))
        return "unreliable classes need partial at both ends";
    return iw_stags_size(conf->regions_max) ? ddpp_conf_error(&c) : "regions_max out of range";
}

size_t ddpp_pair_size(const struct ddpp_pair_conf *conf)
{
    struct carve c = {0};
    if (ddpp_pair_conf_error(conf))
        return 0;
    struct ddpp_conf ddpp = ddpp_conf_of(conf);
    carve(&c, sizeof(struct ddpp_pair));
    carve(&c, sctp_link_size(&conf->link));
    carve(&c, iw_stags_size(conf->regions_max));
    carve(&c, ddpp_size(&ddpp));
    return c.used;
}

/* ---- out ---- */

uint32_t ddpp_pair_message_max(const struct ddpp_pair *p)
{
    return message_max(&p->conf.link);
}

static int put(struct ddpp_pair *p, uint32_t ppid, struct iw_frag *frag, uint8_t frags)
{
    struct sctp_out out = {.ppid = ppid,
                           .unordered = !p->conf.ddpp.ordered,
                           .retransmits = p->conf.ddpp.reliable ? SCTP_RELIABLE : 0,
                           .frags = frags,
                           .frag = frag};
    return sctp_send(sctp_link_end(p->link, 0), sctp_link_now(p->link), &out);
}

static bool put_piece(struct ddpp_pair *p)
{
    const struct ddpp_piece *x = &p->piece;
    struct iw_frag frag[2] = {{x->head, DDPP_HEAD}};
    if (!p->has_piece)
        p->has_piece = ddpp_split_next(&p->split, &p->piece);
    if (!p->has_piece)
        return false;
    frag[1] = (struct iw_frag){p->octets ? p->octets + x->from : NULL, x->len};
    bool taken = put(p, DDPP_PPID_DECORATED, frag, x->len ? 2 : 1) == IW_OK;
    p->has_piece = !taken;
    return taken;
}

bool ddpp_pair_is_idle(const struct ddpp_pair *p)
{
    return !p->has_piece && p->split.next == p->split.pieces;
}

int ddpp_pair_send(struct ddpp_pair *p, const struct ddpp_send *what, const uint8_t *octets)
{
    if (!ddpp_pair_is_idle(p))
        return IW_EFULL;
    p->octets = octets;
    int result = ddpp_split_start(&p->split, what, ddpp_pair_message_max(p));
    if (result != IW_OK)
        p->split.next = p->split.pieces;
    return result;
}

int ddpp_pair_send_undecorated(struct ddpp_pair *p, const uint8_t *octets, uint32_t len)
{
    struct iw_frag frag = {octets, len};
    return ddpp_pair_is_idle(p) ? put(p, DDPP_PPID_UNDECORATED, &frag, 1) : IW_EFULL;
}

/* Keeps a packet's worth in SCTP. */
static void pull(void *user, int side, iw_time now)
{
    struct ddpp_pair *p = user;
    const struct sctp *a = sctp_link_end(p->link, 0);
    while (side == 0 && sctp_has_room(a) && sctp_unsent(a) < p->conf.link.end[0].mtu) {
        if (ddpp_pair_is_idle(p) && p->ulp.more)
            p->ulp.more(p->ulp.user, now);
        if (!put_piece(p))
            return;
    }
}

/* ---- in ---- */

static uint64_t key_of(struct ddpp_pair *p, const struct sctp_in *in)
{
    if (!p->conf.ddpp.ordered)
        return in->tsn - sctp_first_tsn(sctp_link_end(p->link, 1));
    uint64_t key = p->key + (uint16_t)(in->ssn - (uint16_t)p->key);
    p->key = key + 1;
    ddpp_give_up(p->receiver, key); /* SCTP has skipped what is before it, or given it already */
    return key;
}

static enum ddpp_verdict decorated(struct ddpp_pair *p, iw_time now, uint64_t key, const struct sctp_in *in)
{
    struct ddpp_place place;
    bool whole = in->kept == in->len;
    if (in->kept < DDPP_HEAD)
        return DDPP_DROPPED;
    enum ddpp_verdict v =
        ddpp_check_decorated(p->receiver, now, key, in->octets, whole ? in->octets + DDPP_HEAD : NULL,
                             in->len - DDPP_HEAD, &place);
    if (v == DDPP_PLACE && ddpp_commit(p->receiver, &place) == IW_OK && p->ulp.placed)
        p->ulp.placed(p->ulp.user, now, &place);
    return v;
}

static bool take(void *user, int side, iw_time now, const struct sctp_in *in)
{
    struct ddpp_pair *p = user;
    struct ddpp_event event;
    enum ddpp_verdict v = DDPP_DROPPED;
    if (side == 0)
        return true;
    uint64_t key = key_of(p, in);
    if (in->ppid == DDPP_PPID_DECORATED)
        v = decorated(p, now, key, in);
    else if (in->ppid == DDPP_PPID_UNDECORATED)
        v = ddpp_check_undecorated(p->receiver, key, in->kept == in->len ? in->octets : NULL, in->len);
    while (ddpp_next(p->receiver, &event))
        if (p->ulp.told)
            p->ulp.told(p->ulp.user, now, &event);
    return v != DDPP_LATER;
}

/* ---- life ---- */

struct ddpp_pair *ddpp_pair_init(void *memory, const struct ddpp_pair_conf *conf,
                                 const struct ddpp_pair_user *user)
{
    struct ddpp_pair *p = memory;
    struct carve c = {.memory = memory};
    struct sctp_link_user ulp = {.user = p, .take = take, .pull = pull};
    if (ddpp_pair_conf_error(conf))
        return NULL;
    carve(&c, sizeof *p);
    memset(p, 0, sizeof *p);
    memcpy(&p->conf, conf, sizeof *conf);
    memcpy(&p->ulp, user, sizeof *user);
    p->link = sctp_link_init(carve(&c, sctp_link_size(&conf->link)), &conf->link, &ulp);
    p->stags = iw_stags_init(carve(&c, iw_stags_size(conf->regions_max)), conf->regions_max, conf->link.seed);
    struct ddpp_conf ddpp = ddpp_conf_of(conf);
    ddpp.stags = p->stags;
    p->receiver = ddpp_init(carve(&c, ddpp_size(&ddpp)), &ddpp);
    return p;
}

struct sctp_link *ddpp_pair_link(struct ddpp_pair *p)
{
    return p->link;
}

struct iw_stags *ddpp_pair_stags(struct ddpp_pair *p)
{
    return p->stags;
}

struct ddpp *ddpp_pair_receiver(struct ddpp_pair *p)
{
    return p->receiver;
}
