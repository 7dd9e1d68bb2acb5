/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ulp.h -- two ULPs that carry out a plan in a world, and watch.
 *
 * Each side has one block of memory: its regions with unregistered gaps between them, all filled with noise.
 * Beside it stand a shadow, into which the watcher places every octet by its own reckoning, and the final
 * state that the plan alone foretells. The memory must equal the shadow at all times, and the final state
 * when all went well. */
#ifndef IW_LAWS_ULP_H
#define IW_LAWS_ULP_H

#include "plan.h"
#include "wire_laws.h"
#include "world.h"

enum region_state { REGION_OPEN, REGION_DRAINING, REGION_SHUT };

struct ulp_side {
    uint8_t *memory, *shadow, *final; /* plan_side.memory octets; NULL: length-only */
    iw_stag stag[REGIONS];
    struct plan_region region[REGIONS]; /* as they are now */
    uint8_t state[REGIONS];             /* enum region_state */
    struct iw_work work[JOBS_MAX];      /* as posted */
    uint32_t posted;                    /* jobs */
    uint32_t delivered;                 /* jobs, at the peer; of a Read: its Request */
    uint32_t answered;                  /* Reads: jobs below it that are Reads have their Response */
    uint32_t completed;                 /* jobs below it are complete */
    uint32_t recv_posted, recv_completed;
    bool recv_done[RECVS_MAX];
    uint64_t next_delivered; /* no key below it is delivered any more */
    bool flushed;            /* a completion said so: with `status` */
    bool sends_flushed;      /* one of a send queue */
    int status;
    unsigned events;                        /* 1 << enum iw_event_kind */
    int fatal, terminate_in, terminate_out; /* what the events said; 0: none */
    bool fatal_first;                       /* FATAL came before TERMINATE_RECEIVED */
    bool terminate_valid;
    bool closing;
    bool stuck;      /* a request was refused: no more can follow */
    int heard_fault; /* the first verdict above zero */
};

struct ulp {
    const struct plan *plan;
    struct world *world;
    struct draw d;
    struct ulp_side side[2];
    struct wire_laws wire[2];
    uint64_t trace;                       /* hash of all that was heard and completed */
    void (*meddle)(struct ulp *, void *); /* called before every step, when not NULL, with `meddler` */
    void *meddler;
    /* how it ends */
    bool may_fail; /* faults are expected */
    bool may_lose; /* completions may be lost: the queue is too small */
    bool loose;    /* memory is taken away: requests may be refused, octets be overwritten */
    bool hurried;  /* a side closes when its peer does, whatever it still had to say */
};

/* Take up a plan in a world: registers and fills the memory. */
void ulp_start(struct ulp *u, const struct plan *plan, struct world *world);
/* What the world tells; world->hear points here. */
void ulp_hear(void *ulp, const struct heard *heard);
/* One thing that a ULP may do now, chosen by lot; false when there was none. */
bool ulp_act(struct ulp *u);
/* Take completions and events. */
void ulp_poll(struct ulp *u);
/* Both until nothing happens any more. `chance`: percent of steps before which the ULP acts. */
void ulp_run(struct ulp *u, uint32_t chance);

/* What must be true at the end: of memory and completions, whatever happened; when everything went well; when
 * the plan's wrong request ended it. */
void ulp_end(struct ulp *u);
void ulp_end_well(struct ulp *u);
void ulp_end_wrong(struct ulp *u);

/* The region with this STag; NONE when there is none. */
uint8_t ulp_region_of(const struct ulp *u, int side, iw_stag stag);
/* A region as it is registered now. */
struct iw_region ulp_region(const struct ulp *u, int side, uint8_t region);
/* Compare memory and shadow as a whole. */
void ulp_check_memory(const struct ulp *u, int side);
/* Which of the plan's receives of `side` has this number on its queue; NONE: not there. */
uint8_t ulp_recv_of(const struct ulp *u, int side, uint32_t qn, uint32_t msn);

#endif
