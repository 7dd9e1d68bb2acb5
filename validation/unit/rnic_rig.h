/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rnic_rig.h -- a link with a sender that always has something to send and a receiver that is an adapter with a window
 * policy: the smallest world in which staging fills and windows open. No TCP: one segment is one FPDU, lost segments
 * are sent again one round trip later, congestion does not exist.
 */
#ifndef IW_UNIT_RNIC_RIG_H
#define IW_UNIT_RNIC_RIG_H

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "rnic/rnic.h"
#include "rnic/window.h"
#include "validation/support/test.h"

#define NS   ((iw_time)1000)
#define US   (1000 * NS)
#define MS   (1000 * US)
#define GBPS ((uint64_t)1000000000)
#define KIB  ((uint64_t)1024)
#define MIB  (1024 * KIB)

struct link_conf {
    struct rnic_conf rnic;
    uint64_t rate;          /* bits per second */
    iw_time delay;          /* one way */
    uint32_t fpdu, framing; /* octets of a segment; on the wire beside them */
    uint32_t ack;           /* octets of an acknowledgement on the wire */
    uint32_t connections;
    uint32_t segments;     /* per connection; 0 wraps never */
    uint64_t consume_rate; /* bits per second; RNIC_UNLIMITED */
};

struct link_result {
    iw_time end;
    double steady_gbps; /* of FPDU octets placed, second half */
    bool edge_fell;     /* an advertised edge was below the one before: the law is broken */
    bool field_passed;  /* a field above 65535 */
    uint64_t acks, updates;
    uint64_t window; /* W at the end, connection 0 */
    uint64_t excess; /* most octets promised beyond R*, any connection */
    struct rnic_stats stats;
    uint64_t staging_p999;
    uint64_t hash; /* of every event: equal runs have equal ones */
};

/* The conf of a preset, by its name. */
struct rnic_conf preset(const char *name);
/* The parameter with this name; fails the test when there is none. */
const struct parameter *parameter(const char *name);
/* An adapter in memory of its own; free() it. */
struct rnic *adapter(const struct rnic_conf *conf, uint32_t connections);
/* 100 Gb/s, ideal adapter, 9000-octet packets with Ethernet framing, one connection. */
struct link_conf link_of(iw_time delay, enum rnic_policy policy, uint64_t bytes);
struct link_result link_run(const struct link_conf *conf);
/* Octets at a rate, exactly, in picoseconds; not rounded. */
double takes(double octets, double bits_per_second);

#endif
