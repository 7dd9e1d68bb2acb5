/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node/step.h"

/* ---- octets on the adapter ---- */

const char *intake_leftover(const struct rnic *r, struct node_intake sum)
{
    const struct rnic_stats *stats = rnic_statistics(r);
    if (stats->staging != sum.staged)
        return "octets are left in staging";
    return stats->held != sum.held ? "octets are left in NIC memory" : NULL;
}

/* ---- the way in ---- */

/* A header that RDMAP keeps stays on the adapter. */
static iw_time write(struct rnic *r, iw_time now, const struct iw_seg *seg, const struct iw_place *place)
{
    return r && place->stag && seg->payload_len ? rnic_place(r, now, place->stag, seg->payload_len) : now;
}

int step_place(struct iw_ep *ep, struct rnic *by, iw_time now, const struct iw_seg *seg,
               struct iw_place *place, iw_time *placed)
{
    int verdict = iw_check(ep, now, seg, place);
    if (verdict != IW_OK)
        return verdict;
    iw_time written = write(by, now, seg, place);
    if (written > *placed)
        *placed = written;
    return IW_OK;
}

int step_commit(struct iw_ep *ep, iw_time now, const struct iw_seg *seg, const struct iw_place *place)
{
    return iw_commit(ep, now, seg, place);
}

iw_time step_into_kernel(struct rnic *r, iw_time now, uint32_t octets)
{
    return rnic_place(r, now, 0, octets);
}

int step_deliver(struct iw_ep *ep, iw_time now, uint64_t edge, step_teller *tell, void *user)
{
    struct iw_message message;
    int result;
    while ((result = iw_deliver(ep, now, edge, &message)) == 1)
        tell(user, now, &message);
    return result;
}

iw_time step_way_in(struct rnic *r, iw_time now, uint32_t lane, uint32_t octets, uint32_t payload)
{
    bool copies = rnic_path_is(rnic_configuration(r)->receive, RNIC_BY_CPU);
    iw_time placed = rnic_place(r, rnic_arrive(r, now, lane, octets), 0, payload);
    LAW(placed >= now && payload <= octets);
    rnic_release(r, octets);
    return copies ? rnic_copy(r, placed, payload) : placed;
}

/* ---- the way out ---- */

/* Opcodes as bits. The answer to an Atomic is read from memory, as that to a Read is. */
enum {
    OWN = 1 << RDMAP_READ_REQ | 1 << RDMAP_ATOMIC_REQ | 1 << RDMAP_TERMINATE,
    NOT_ASKED = 1 << RDMAP_READ_RESP | 1 << RDMAP_ATOMIC_RESP | 1 << RDMAP_TERMINATE
};

struct step_kind step_kind(const struct iw_seg *seg, bool ddp_only, uint16_t *open)
{
    unsigned opcode = ddp_only ? RDMAP_SEND : rdmap_opcode_of(seg->head);
    bool last = ddp_is_last(seg->head), first = !(*open >> opcode & 1);
    *open = (uint16_t)(last ? *open & ~(1u << opcode) : *open | 1u << opcode);
    return (struct step_kind){
        .own = OWN >> opcode & 1, .asked = !(NOT_ASKED >> opcode & 1), .first = first, .last = last};
}

bool step_in_memory(const struct rnic *r, const struct step_kind *k, uint32_t payload)
{
    bool inlined = k->asked && k->first && k->last && rnic_inlined(r, payload);
    return payload && !k->own && !inlined;
}

iw_time step_read(struct rnic *r, iw_time now, bool in_memory, uint32_t payload)
{
    return in_memory ? rnic_read(r, now, payload) : now;
}

iw_time step_way_out(struct rnic *r, iw_time now, uint32_t lane, bool in_memory, uint32_t octets,
                     uint32_t payload)
{
    return rnic_send(r, step_read(r, now, in_memory, payload), lane, octets);
}

/* ---- requests ---- */

uint32_t step_octets(const struct iw_work *work)
{
    uint32_t octets = 0;
    for (uint8_t i = 0; i < work->sges && work->op != IW_READ; i++)
        octets += work->sge[i].len;
    return octets;
}
