/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan.h -- what two ULPs will do, drawn from a seed before anything happens.
 *
 * A plan knows no time: the requests of each side, in order; the receive buffers, in order; the registered
 * memory; the settings of the endpoints. Worlds and channels decide when things happen, never what. Each
 * octet that may be written is the target of one request only, so the memory at the end follows from the plan
 * alone.
 *
 *   side 0  jobs: 0 1 2 3 ...   recvs: 0 1 2 ...   the n-th untagged message to a QN finds its n-th receive
 *   side 1  jobs: 0 1 2 3 ...   recvs: 0 1 2 ... */
#ifndef IW_LAWS_PLAN_H
#define IW_LAWS_PLAN_H

#include "engine/iw.h"
#include "law.h"

enum { JOBS_MAX = 32, RECVS_MAX = 40, REGIONS = 14, WINDOWS = 4, NONE = 255 };

/* What each region of a side is for. Windows may be invalidated by the peer; the last three are for errors. */
enum region_use {
    REGION_LOCAL,        /* sources, receives, Read sinks */
    REGION_LOCAL_STREAM, /* the same, bound to the stream and not to the PD */
    REGION_WRITTEN,      /* the peer writes */
    REGION_WRITTEN_STREAM,
    REGION_READ, /* the peer reads */
    REGION_READ_STREAM,
    REGION_BOTH, /* the peer writes and reads */
    REGION_WINDOW,
    REGION_SHARED = REGION_WINDOW + WINDOWS, /* of two streams: may not be invalidated */
    REGION_FOREIGN,                          /* of another PD */
    REGION_SPARE                             /* nobody uses it */
};

struct plan_region {
    unsigned rights;
    bool by_stream;
    uint64_t to;    /* TO of its first octet */
    uint32_t start; /* of the memory of its side, octets */
    uint32_t len;
};

/* Octets [at, at + len) of a region. */
struct area {
    uint8_t region;
    uint32_t at, len;
};

/* What octets say: pattern `key` from `offset` on. */
struct content {
    uint64_t key;
    uint32_t offset;
};
uint8_t content_octet(struct content c, uint32_t i);
void content_fill(struct content c, uint8_t *out, uint32_t len);
/* True when the `len` octets are those of the content. */
bool content_is(struct content c, const uint8_t *octets, uint32_t len);

/* One request for a send queue. */
struct job {
    enum iw_op op;
    uint8_t flags; /* IW_FENCE | IW_UNSIGNALLED */
    uint8_t sges;
    struct area local[IW_SGE_MAX];
    struct area remote; /* WRITE, READ, DDP_TAGGED: memory of the peer */
    uint32_t len;
    struct content content; /* what arrives */
    bool derived;   /* its source is what an earlier request wrote or read: nobody fills it beforehand */
    uint8_t window; /* SEND_INV: the peer's region to invalidate, else NONE */
    uint8_t recv;   /* untagged: the receive of the peer that it consumes, else NONE */
    uint32_t qn;
    uint64_t rsvdulp;
    /* A request with an error in it: the peer must end the stream with one of these. 0: none. */
    int term[2];
    bool wild;         /* `wild_stag` and `wild_to` instead of `remote` */
    iw_stag wild_stag; /* 0: that of remote.region */
    uint64_t wild_to;
};

struct recv {
    uint32_t qn;
    bool empty; /* no memory at all */
    struct area area;
};

struct plan_side {
    struct plan_region region[REGIONS];
    uint32_t memory; /* octets, gaps between regions included */
    struct job job[JOBS_MAX];
    struct recv recv[RECVS_MAX];
    uint32_t jobs, recvs;
    struct iw_conf conf; /* stags, queues, llp and mulpdu are the world's */
};

struct plan {
    uint64_t seed;
    uint32_t mulpdu; /* that sizes were drawn for */
    struct plan_side side[2];
};

/* What a plan may hold. */
struct plan_conf {
    bool ddp_only;
    uint32_t jobs;        /* at most, per side */
    uint32_t mulpdu;      /* sizes are drawn around its multiples */
    uint32_t octets;      /* of all messages of a side, about */
    bool error;           /* one request of one side is wrong */
    unsigned profile;     /* added to both sides */
    uint16_t reorder_max; /* at least; 0: any */
};
void plan_draw(struct plan *plan, uint64_t seed, const struct plan_conf *conf);
/* The side with the wrong request and its index there; false when there is none. */
bool plan_error(const struct plan *plan, int *side, uint32_t *job);

const char *op_name(enum iw_op op);
bool op_untagged(enum iw_op op);

#endif
