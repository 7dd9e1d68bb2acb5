/* SPDX-License-Identifier: GPL-2.0-or-later */
/* done.h -- completions of one host, oldest first, on their way from the engine to the ULP:
 *
 *     put -> write | see -> look | show | get
 *            the adapter writes the entry; it can be seen in memory; the host looks, polling or woken; the ULP may take it
 *
 * What each step costs is the adapter's (rnic.h); when it is time for it whoever drives it knows: a node has an agenda
 * (complete.c), the replay of SimGrid asks completions_due(). Each step answers when the next one may be.
 */
#ifndef IW_NODE_DONE_H
#define IW_NODE_DONE_H

#include "engine/iw.h"
#include "rnic/rnic.h"

#ifdef __cplusplus
extern "C" {
#endif

struct node_completion {
    struct iw_done done;
    iw_time at; /* put: made; written: seen in memory; looked at: taken */
};

/* A ring in the caller's memory. Law: get <= shown <= taking <= visible <= written <= put <= get + room. */
struct node_completions {
    struct node_completion *ring;
    uint32_t room;
    uint64_t get, shown, taking, visible, written, put;
    iw_time look; /* when the host looks; IW_NEVER */
    struct iw_cq *cq; /* where they come from: the host arms it, and again each time it looks */
    enum iw_arm arm;
};

/* `ring`: room for `room` completions of `cq`, whose events are deferred. With interrupts it is armed as the adapter's
 * configuration says, polled never. */
void completions_init(struct node_completions *c, struct node_completion *ring, uint32_t room,
                      const struct rnic_conf *conf, struct iw_cq *cq);
/* What the queue is armed for from now on (IW_ARM_NONE: nothing). */
void completions_arm(struct node_completions *c, enum iw_arm arm);
/* A larger ring; the old one is the caller's again. */
void completions_move(struct node_completions *c, struct node_completion *ring, uint32_t room);
bool completions_full(const struct node_completions *c);

/* The engine has made `done` at `at`. There is room. */
void completions_put(struct node_completions *c, iw_time at, const struct iw_done *done);
/* The adapter writes the oldest that is not written, made by now: when it can be seen. */
iw_time completions_write(struct node_completions *c, struct rnic *nic);
/* The oldest that is not visible is in memory: when the host looks; IW_NEVER: this one does not wake it. */
iw_time completions_see(struct node_completions *c, struct rnic *nic, iw_time now);
/* The host looks, and takes what it sees: when the ULP has it. IW_NEVER: nothing woke it. */
iw_time completions_look(struct node_completions *c, struct rnic *nic, iw_time now);
/* The next one that the ULP has by `now`; NULL: none. */
const struct iw_done *completions_show(struct node_completions *c, iw_time now);
/* The ULP takes one that was shown. */
bool completions_get(struct node_completions *c, struct iw_done *done);
/* The oldest that waits to be written, to be seen; NULL: none. */
const struct node_completion *completions_unwritten(const struct node_completions *c);
const struct node_completion *completions_unseen(const struct node_completions *c);
/* When the next of these steps is; IW_NEVER. */
iw_time completions_due(const struct node_completions *c);

#ifdef __cplusplus
}
#endif
#endif
