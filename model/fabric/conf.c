/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conf.c -- what cannot be built, and why. */
#include "fabric/fabric_inner.h"

enum { SWITCHES_MAX = 4096, LINES_MAX = 1 << 24, HOSTS_MAX = 1 << 20, MTU_MAX = 65535 };
static const uint64_t BUFFER_MAX = UINT64_C(1) << 31, RATE_MAX = UINT64_C(100000000000000);
static const iw_time DELAY_MAX = UINT64_C(100000000000000); /* 100 s */

static const char *line_error(uint64_t rate, iw_time delay)
{
    if (!rate || rate > RATE_MAX)
        return "a rate must be 1 bit per second to 100 Tbps";
    return delay > DELAY_MAX ? "a delay must be at most 100 s" : NULL;
}

/* ---- topologies ---- */

static const char *fat_tree_error(const struct fabric_conf *c)
{
    uint32_t k = c->fat_tree.k;
    if (k < 2 || k > 64 || k % 2)
        return "fat_tree.k must be an even number from 2 to 64";
    if (!(c->fat_tree.oversubscription >= 1 && c->fat_tree.oversubscription <= 1000))
        return "fat_tree.oversubscription is 1 to 1000";
    return c->rate / 1000 ? NULL : "a fat tree's rate must be at least 1 kbps";
}

static const char *dragonfly_error(const struct fabric_conf *c)
{
    uint64_t groups = c->dragonfly.groups, routers = c->dragonfly.routers, globals = c->dragonfly.globals;
    if (!groups || !routers || !c->dragonfly.hosts)
        return "a dragonfly needs groups, routers and hosts";
    if (groups > HOSTS_MAX || routers > 4096 || c->dragonfly.hosts > 4096 || globals > 4096 ||
        groups * routers * c->dragonfly.hosts > HOSTS_MAX ||
        groups * routers * (routers + globals) > LINES_MAX)
        return "a dragonfly may have at most 2^20 hosts and 2^24 links";
    if (groups > 1 && (!globals || routers * globals % (groups - 1)))
        return "a dragonfly's routers x globals must be a multiple of groups - 1";
    return groups * routers * c->dragonfly.hosts < 2 ? "a dragonfly needs two or more hosts" : NULL;
}

static const char *file_line_error(const struct fabric_conf *c, const struct fabric_line *l)
{
    uint32_t hosts = c->file.hosts, nodes = hosts + c->file.switches;
    if (l->a >= nodes || l->b >= nodes || l->a == l->b)
        return "a link must join two existing nodes";
    if (l->a < hosts && l->b < hosts && nodes > 2)
        return "a link joins two hosts, but there are more nodes";
    return line_error(l->rate, l->delay);
}

/* That no host has two is seen when they are joined. */
static bool hosts_have_lines(const struct fabric_conf *c)
{
    uint64_t ends = 0;
    for (uint32_t i = 0; i < c->file.lines; i++)
        ends += (uint64_t)(c->file.line[i].a < c->file.hosts) + (c->file.line[i].b < c->file.hosts);
    return ends == c->file.hosts;
}

static const char *file_error(const struct fabric_conf *c)
{
    const char *wrong = NULL;
    if (c->file.hosts < 2 || c->file.hosts > HOSTS_MAX || c->file.switches > SWITCHES_MAX || !c->file.lines ||
        c->file.lines > LINES_MAX || !c->file.line)
        return "a described topology needs 2 to 2^20 hosts, at most 4096 switches, and links";
    for (uint32_t i = 0; i < c->file.lines && !wrong; i++)
        wrong = file_line_error(c, &c->file.line[i]);
    return wrong || hosts_have_lines(c) ? wrong : "each host must have exactly one link";
}

static const char *topology_error(const struct fabric_conf *c)
{
    if (c->kind == FABRIC_FILE)
        return file_error(c);
    const char *wrong = line_error(c->rate, c->delay);
    switch (wrong ? FABRIC_FILE : c->kind) {
    case FABRIC_LINK: return NULL;
    case FABRIC_STAR: return c->hosts < 2 || c->hosts > HOSTS_MAX ? "a star must have 2 to 2^20 hosts" : NULL;
    case FABRIC_FAT_TREE: return fat_tree_error(c);
    case FABRIC_DRAGONFLY: return dragonfly_error(c);
    default: return wrong ? wrong : "no such topology exists";
    }
}

/* ---- queues ---- */

static uint64_t headroom_of(const struct fabric_conf *c)
{
    uint64_t most = 0;
    if (c->kind != FABRIC_FILE)
        return fabric_headroom(c->rate, c->delay, c->mtu, c->framing);
    for (uint32_t i = 0; i < c->file.lines; i++) {
        const struct fabric_line *l = &c->file.line[i];
        uint64_t needed = fabric_headroom(l->rate, l->delay, c->mtu, c->framing);
        most = needed > most ? needed : most;
    }
    return most;
}

static const char *pfc_error(const struct fabric_conf *c)
{
    if (!c->pfc.xoff)
        return NULL;
    if (c->pfc.xon >= c->pfc.xoff)
        return "pfc.xon must be below pfc.xoff";
    if (c->shared || c->trim)
        return "pfc reserves a switch's memory per input port: it cannot be shared, and packets are not "
               "trimmed";
    if (c->pfc.headroom > BUFFER_MAX || c->pfc.headroom < headroom_of(c))
        return "pfc.headroom does not hold the octets in flight when a pause takes effect";
    return c->pfc.xoff + c->pfc.headroom > c->buffer ? "pfc.xoff plus pfc.headroom exceeds the buffer" : NULL;
}

static const char *red_error(const struct fabric_conf *c)
{
    if (!c->red.kmax)
        return NULL;
    if (c->ecn_threshold)
        return "red and ecn_threshold are two ways to mark packets: give one of them";
    if (c->red.kmin > c->red.kmax || c->red.kmax > BUFFER_MAX)
        return "red.kmin must be at most red.kmax, and red.kmax at most 2^31";
    return c->red.pmax >= 0 && c->red.pmax <= 1 ? NULL : "red.pmax must be 0 .. 1";
}

static const char *queue_error(const struct fabric_conf *c)
{
    if (c->buffer > BUFFER_MAX || c->pfc.xoff > BUFFER_MAX)
        return "a buffer must be at most 2^31 octets";
    if (c->trim && (c->trim < IP_HEAD + c->packet_head || c->trim > c->mtu))
        return "trim must leave IP's header and packet_head, and no more than the MTU";
    if (c->shared && !(c->alpha > 0 && c->alpha <= 64))
        return "alpha must be above 0 and at most 64";
    const char *wrong = red_error(c);
    return wrong ? wrong : pfc_error(c);
}

const char *fabric_conf_error(const struct fabric_conf *c)
{
    if (c->mtu <= IP_HEAD || c->mtu > MTU_MAX || c->framing > MTU_MAX || c->packet_head > MTU_MAX - IP_HEAD)
        return "an MTU must be 21 to 65535 octets, and framing and packet_head below it";
    if (c->connections > UINT32_C(1) << 31 || c->timers >= EVENT_PLACES)
        return "at most 2^31 connections and 2^30 - 1 timers are allowed";
    if (!c->more || (c->timers && !c->timer))
        return "a call is missing: more, or timer (with timers)";
    const char *wrong = topology_error(c);
    wrong = wrong ? wrong : queue_error(c);
    return wrong ? wrong : channel_conf_error(&c->channel);
}
