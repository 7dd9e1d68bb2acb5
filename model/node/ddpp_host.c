/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node/ddpp_host.h"

#include <string.h>

#include "engine/carve.h"

struct ddpp_host {
    struct ddpp_host_conf conf;
    struct ddpp_host_user ulp;
    struct sctp *sctp;
    struct iw_stags *stags;
    struct ddpp *receiver;
    struct ddpp_split split;
    struct ddpp_piece piece; /* the next one, made and not yet taken by SCTP */
    bool has_piece, up;
    const uint8_t *octets;
    uint64_t key; /* of the last ordered message that came, and one */
    uint32_t packets;
    uint8_t *packet;
};

static uint32_t message_max(const struct ddpp_host_conf *c)
{
    return c->sctp.mtu - SCTP_OVERHEAD;
}

static struct ddpp_conf ddpp_conf_of(const struct ddpp_host_conf *conf)
{
    struct ddpp_conf c = conf->ddpp;
    c.message_max = message_max(conf);
    return c;
}

const char *ddpp_host_conf_error(const struct ddpp_host_conf *conf)
{
    const char *error = sctp_conf_error(&conf->sctp);
    if (error)
        return error;
    struct ddpp_conf c = ddpp_conf_of(conf);
    if (!conf->ddpp.reliable && !conf->sctp.partial)
        return "unreliable classes need partial at both ends";
    return iw_stags_size(conf->regions_max) ? ddpp_conf_error(&c) : "regions_max out of range";
}

/* One walk serves both to size the block and to fill it. */
static void carve_host(struct ddpp_host *h, struct carve *c)
{
    const struct ddpp_host_conf *conf = &h->conf;
    struct ddpp_conf ddpp = ddpp_conf_of(conf);
    void *sctp = carve(c, sctp_size(&conf->sctp));
    void *stags = carve(c, iw_stags_size(conf->regions_max));
    void *receiver = carve(c, ddpp_size(&ddpp));
    void *packet = carve(c, conf->sctp.mtu);
    if (!c->memory)
        return;
    h->sctp = sctp_init(sctp, &conf->sctp);
    h->stags = ddpp.stags = iw_stags_init(stags, conf->regions_max, conf->stag_key);
    h->receiver = ddpp_init(receiver, &ddpp);
    h->packet = packet;
}

size_t ddpp_host_size(const struct ddpp_host_conf *conf)
{
    struct ddpp_host h = {.conf = *conf};
    struct carve c = {0};
    if (ddpp_host_conf_error(conf))
        return 0;
    carve(&c, sizeof h);
    carve_host(&h, &c);
    return c.used;
}

struct ddpp_host *ddpp_host_init(void *memory, const struct ddpp_host_conf *conf,
                                 const struct ddpp_host_user *user)
{
    struct ddpp_host *h = memory;
    struct carve c = {.memory = memory};
    if (ddpp_host_conf_error(conf))
        return NULL;
    carve(&c, sizeof *h);
    *h = (struct ddpp_host){.conf = *conf, .ulp = *user};
    carve_host(h, &c);
    return h;
}

/* ---- out ---- */

uint32_t ddpp_host_message_max(const struct ddpp_host *h)
{
    return message_max(&h->conf);
}

static int put_chunk(struct ddpp_host *h, iw_time now, uint32_t ppid, struct iw_frag *frag, uint8_t frags)
{
    struct sctp_out out = {.ppid = ppid,
                           .unordered = !h->conf.ddpp.ordered,
                           .retransmits = h->conf.ddpp.reliable ? SCTP_RELIABLE : 0,
                           .frags = frags,
                           .frag = frag};
    return sctp_send(h->sctp, now, &out);
}

static bool put_piece(struct ddpp_host *h, iw_time now)
{
    const struct ddpp_piece *x = &h->piece;
    struct iw_frag frag[2] = {{x->head, DDPP_HEAD}};
    if (!h->has_piece)
        h->has_piece = ddpp_split_take(&h->split, &h->piece);
    if (!h->has_piece)
        return false;
    frag[1] = (struct iw_frag){h->octets ? h->octets + x->from : NULL, x->len};
    bool taken = put_chunk(h, now, DDPP_PPID_DECORATED, frag, x->len ? 2 : 1) == IW_OK;
    h->has_piece = !taken;
    return taken;
}

bool ddpp_host_is_idle(const struct ddpp_host *h)
{
    return !h->has_piece && h->split.next == h->split.pieces;
}

int ddpp_host_send(struct ddpp_host *h, const struct ddpp_send *what, const uint8_t *octets)
{
    if (!ddpp_host_is_idle(h))
        return IW_EFULL;
    h->octets = octets;
    int result = ddpp_split_start(&h->split, what, ddpp_host_message_max(h));
    if (result != IW_OK)
        h->split.next = h->split.pieces;
    return result;
}

int ddpp_host_send_undecorated(struct ddpp_host *h, iw_time now, const uint8_t *octets, uint32_t len)
{
    struct iw_frag frag = {octets, len};
    return ddpp_host_is_idle(h) ? put_chunk(h, now, DDPP_PPID_UNDECORATED, &frag, 1) : IW_EFULL;
}

/* Keeps a packet's worth in SCTP. */
static void pull(struct ddpp_host *h, iw_time now)
{
    while (h->up && sctp_has_room(h->sctp) && sctp_unsent(h->sctp) < h->conf.sctp.mtu) {
        if (ddpp_host_is_idle(h) && h->ulp.more)
            h->ulp.more(h->ulp.user, now);
        if (!put_piece(h, now))
            return;
    }
}

bool ddpp_host_transmit(struct ddpp_host *h, iw_time now, struct ip_packet *packet)
{
    uint32_t wire = 0;
    if (h->conf.client)
        pull(h, now);
    uint32_t len = sctp_transmit(h->sctp, now, h->packet, &wire);
    if (!len)
        return false;
    *packet = (struct ip_packet){.size = IP_HEAD + wire,
                                 .connection = h->conf.connection,
                                 .direction = !h->conf.client,
                                 .protocol = IP_PROTOCOL_SCTP,
                                 .head = (uint16_t)len,
                                 .number = h->packets++,
                                 .octets = h->packet};
    return true;
}

/* ---- in ---- */

static uint64_t key_of_segment(struct ddpp_host *h, const struct sctp_in *in)
{
    if (!h->conf.ddpp.ordered)
        return in->tsn - sctp_first_tsn(h->sctp);
    uint64_t key = h->key + (uint16_t)(in->ssn - (uint16_t)h->key);
    h->key = key + 1;
    ddpp_give_up(h->receiver, key); /* SCTP has skipped what is before it, or given it already */
    return key;
}

static enum ddpp_verdict decorated(struct ddpp_host *h, iw_time now, uint64_t key, const struct sctp_in *in)
{
    struct ddpp_place place;
    bool whole = in->kept == in->len;
    if (in->kept < DDPP_HEAD)
        return DDPP_DROPPED;
    enum ddpp_verdict v =
        ddpp_check_decorated(h->receiver, now, key, in->octets, whole ? in->octets + DDPP_HEAD : NULL,
                             in->len - DDPP_HEAD, &place);
    if (v == DDPP_PLACE && ddpp_commit(h->receiver, &place) == IW_OK && h->ulp.placed)
        h->ulp.placed(h->ulp.user, now, &place);
    return v;
}

static bool take_message(struct ddpp_host *h, iw_time now, const struct sctp_in *in)
{
    struct ddpp_event event;
    enum ddpp_verdict v = DDPP_DROPPED;
    if (h->conf.client)
        return true;
    uint64_t key = key_of_segment(h, in);
    if (in->ppid == DDPP_PPID_DECORATED)
        v = decorated(h, now, key, in);
    else if (in->ppid == DDPP_PPID_UNDECORATED)
        v = ddpp_check_undecorated(h->receiver, key, in->kept == in->len ? in->octets : NULL, in->len);
    while (ddpp_take(h->receiver, &event))
        if (h->ulp.told)
            h->ulp.told(h->ulp.user, now, &event);
    return v != DDPP_LATER;
}

static void hear_events(struct ddpp_host *h)
{
    struct sctp_event event;
    while (sctp_event(h->sctp, &event))
        h->up |= event.kind == SCTP_EV_UP;
}

void ddpp_host_arrive(struct ddpp_host *h, iw_time now, const struct ip_packet *packet)
{
    struct sctp_in in;
    if (packet->altered || sctp_receive(h->sctp, now, packet->octets, packet->head) != IW_OK)
        return;
    while (sctp_take(h->sctp, &in))
        if (!take_message(h, now, &in))
            sctp_refuse(h->sctp);
    hear_events(h);
}

/* ---- life ---- */

void ddpp_host_open(struct ddpp_host *h, iw_time now)
{
    if (h->conf.client)
        sctp_connect(h->sctp, now);
}

bool ddpp_host_is_up(const struct ddpp_host *h)
{
    return h->up;
}

iw_time ddpp_host_deadline(const struct ddpp_host *h)
{
    return sctp_deadline(h->sctp);
}

void ddpp_host_expire(struct ddpp_host *h, iw_time now)
{
    sctp_expire(h->sctp, now);
    hear_events(h);
}

struct sctp *ddpp_host_sctp(struct ddpp_host *h)
{
    return h->sctp;
}

struct iw_stags *ddpp_host_stags(struct ddpp_host *h)
{
    return h->stags;
}

struct ddpp *ddpp_host_receiver(struct ddpp_host *h)
{
    return h->receiver;
}
