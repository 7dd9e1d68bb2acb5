/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fabric_rig.h -- a packet world with toy hosts: each sends what the test offered, when it was offered for, and every
 * arrival and event is written down. */
#ifndef IW_UNIT_FABRIC_RIG_H
#define IW_UNIT_FABRIC_RIG_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/fabric.h"
#include "validation/support/test.h"

#define NS   ((iw_time)1000)
#define US   (1000 * NS)
#define MS   (1000 * US)
#define GBPS ((uint64_t)1000000000)

enum { HEADER = 44 }; /* a packet that was trimmed: IP's header and 24 octets */

struct offer {
    iw_time at; /* not before */
    uint32_t connection, size, number;
    uint8_t direction, protocol, ecn;
    uint16_t head, entropy;
    uint8_t octets[256];
};

struct seen {
    iw_time at;
    uint32_t host, connection, number, size;
    uint8_t direction, ecn;
    bool altered, trimmed;
    uint16_t head;
    uint8_t octets[256];
};

struct told {
    enum fabric_event_kind kind;
    iw_time at, extra;
    uint32_t link, connection, number, size;
    uint64_t waiting;
};

struct tapped {
    uint32_t link, connection, number;
    enum fabric_side side;
    iw_time at;
    uint8_t ecn;
};

struct toy {
    struct net *rig;
    uint32_t self;
    struct offer *offer;
    size_t offers, given;
    iw_time expired; /* when last */
    bool overdue;    /* its deadline lies at 0 until it expires */
};

struct net {
    struct fabric_conf conf;
    struct fabric *f;
    void *memory;
    struct toy *toy;
    struct ends {
        uint32_t from, to, numbers[2];
    } * ends;
    struct seen *seen;
    struct told *told;
    struct tapped *taps;
    struct fired {
        iw_time at;
        uint32_t timer;
    } * fired;
    size_t seens, tolds, tappeds, fires;
    size_t chunks, refuse; /* refuse: `more` gives none from this chunk on; 0: never */
    void **chunk;
    void (*on_timer)(struct net *r, iw_time now, uint32_t timer);
};

/* A conf of that kind: 100 Gb/s, 1 us, MTU 9000, no framing, buffers of 1 MiB, 16 connections. */
struct fabric_conf fabric_conf_of(enum fabric_kind kind);
/* A world of it whose hosts are toys; free it with net_free(). */
struct net *net_make(const struct fabric_conf *conf);
void net_free(struct net *r);
void net_connect(struct net *r, uint32_t connection, uint32_t from, uint32_t to);
/* One packet, of TCP without octets and ECT(0); the answer may be changed until the world runs. */
struct offer *net_offer(struct net *r, iw_time at, uint32_t connection, uint8_t direction, uint32_t size);
/* Kicks all, and runs to the end. */
enum fabric_end net_run(struct net *r);
size_t net_count(const struct net *r, enum fabric_event_kind kind);
/* sent + duplicated = delivered + dropped + lost + failed + in_flight */
void assert_conserved(const struct fabric *f);

#endif
