/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fault.c -- what the ULP of a tenant does wrong, on each host and connection of its workloads (RFC 5042 section 6):
 *
 *     flood_cq              posts without waiting for completions, and takes none (hosts_tell.c; 6.4.3.2)
 *     register_without_end  registers memory until it is refused (6.4.1)
 *     guess_stags           its peer writes to an STag of another tenant, as if it had guessed right (6.1.1)
 *     terminate             ends each stream as soon as messages are under way (6.4.6)
 *     never_post            does not post again a receive that a message has used (6.4.3.1)
 */
#include <string.h>

#include "scenarios/workloads/kind.h"

enum { GUESS = 16 /* octets */, UNKNOWN_STAG = 0x7ffffff7 };

void fault_prepared(struct workload *w)
{
    for (uint32_t host = 0; w->conf.fault == WORKLOAD_REGISTERS && host < w->conf.hosts; host++) {
        struct iw_region region;
        iw_stag stag;
        do
            region = (struct iw_region){.len = GUESS, .rights = IW_LOCAL_WRITE, .pd = WORKLOAD_PD};
        while (ask_memory(w, host, &region, &stag) == IW_OK);
    }
}

/* ---- guesses ---- */

/* The worst guess: a name that another tenant's peers use, on the host that this connection leads to. */
static void find_name(struct workload *w, uint32_t conn, iw_stag *stag, uint64_t *to)
{
    uint32_t host = part_host(w->as, host_at(w, conn, 1));
    *stag = UNKNOWN_STAG;
    *to = 0;
    for (uint32_t i = 0; i < w->whole->conf.parts; i++) {
        const struct workload *other = w->whole->part[i];
        if (other->conf.tenant != w->conf.tenant && lane_writable(other, host, stag, to))
            return;
    }
}

static void guess(struct workload *w, uint64_t now, uint32_t conn)
{
    uint8_t ulpdu[IW_HEAD_MAX + GUESS];
    struct ddp_head h = {.tagged = true, .last = true, .version = 1};
    const struct rdmap_ctl ctl = {.version = 1, .opcode = RDMAP_WRITE};
    struct workload_wrong wrong = {.kind = WRONG_ULPDU, .ulpdu = ulpdu};
    find_name(w, conn, &h.stag, &h.to);
    h.rsvdulp = rdmap_ctl_put(&ctl, true);
    memset(ulpdu, 0, sizeof ulpdu);
    wrong.len = ddp_head_put(ulpdu, &h) + GUESS;
    ask_inject(w, now, conn, 0, &wrong);
}

bool fault_starts(struct workload *w, uint64_t now, uint32_t conn)
{
    if (w->conf.fault != WORKLOAD_GUESSES)
        return false;
    guess(w, now, conn);
    flow_refused(w, now, conn, IW_FLUSHED); /* it carries nothing else */
    return true;
}

void fault_started(struct workload *w, uint64_t now, uint32_t conn)
{
    const struct workload_wrong wrong = {.kind = WRONG_TERMINATE, .term = IW_T_RDMA_CATASTROPHIC};
    if (w->conf.fault == WORKLOAD_TERMINATES)
        ask_inject(w, now, conn, 0, &wrong);
}

/* Whose connection guesses has no memory that it would place octets in. */
bool fault_placed(struct workload *w, const struct iw_place *place)
{
    if (w->conf.fault != WORKLOAD_GUESSES)
        return false;
    for (uint32_t i = 0; i < w->whole->conf.parts; i++) {
        struct workload *other = w->whole->part[i];
        iw_stag stag;
        uint64_t to;
        for (uint32_t host = 0; host < w->whole->conf.hosts; host++)
            if (lane_writable(other, host, &stag, &to) && stag == place->stag) {
                other->trespassed += place->len;
                return true;
            }
    }
    return true;
}
