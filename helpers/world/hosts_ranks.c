/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hosts_ranks.c -- hosts that are in several processes: what each tells the others, and what it waits for (hosts.h). */
#include "helpers/world/hosts_inner.h"

const void *hosts_told(struct hosts *h, size_t *octets)
{
    struct event_log *log = &h->ahead.log[h->world.part];
    h->no_memory |= !event_log_pack(log, &h->ranks.packed) || log->no_memory;
    *octets = h->ranks.packed.size;
    return h->ranks.packed.at;
}

bool hosts_told_of(struct hosts *h, uint32_t part, const void *octets, size_t size)
{
    return event_log_unpack(&h->ahead.log[part], octets, size);
}

bool hosts_wait(const struct hosts *h, struct hosts_key *reported)
{
    const struct event_log *log = &h->ahead.log[h->world.part];
    for (size_t i = log->next; i < log->steps; i++)
        if (log->step[i].halted != HOSTS_NONE) {
            *reported = log->step[i].key;
            return true;
        }
    return false;
}

static bool end_owes(const struct hosts *h, uint32_t conn)
{
    for (int side = 0; side < 2; side++)
        if (is_here(h, end_of(h, conn, side)->host) && trial_owes(h->trial, conn, side))
            return true;
    return false;
}

/* One is enough: it is asked again until it does not. */
bool hosts_owe(struct hosts *h)
{
    if (h->set_up.state != RUNNING)
        return h->set_up.state == ABOUT_TO_START || h->set_up.up_here < h->set_up.ends_here;
    for (uint32_t i = 0; i < h->connections; i++, h->ahead.watched = (h->ahead.watched + 1) % h->connections)
        if (end_owes(h, h->ahead.watched))
            return true;
    return false;
}

bool hosts_depend(const struct hosts *h)
{
    for (uint32_t i = 0; h->set_up.state == RUNNING && i < h->connections; i++)
        if (is_here(h, end_of(h, i, 0)->host) && trial_hangs(h->trial, i))
            return true;
    return false;
}

uint64_t hosts_ready(const struct hosts *h)
{
    return hosts_ready_from(h, 0);
}

void hosts_others_ready(struct hosts *h, uint64_t at)
{
    h->ranks.others_ready = at > h->ranks.others_ready ? at : h->ranks.others_ready;
}

bool hosts_have_parted(const struct hosts *h)
{
    return h->ranks.parted;
}
