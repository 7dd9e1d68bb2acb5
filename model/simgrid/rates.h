/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rates.h -- how fast a flow may go: what its window, its losses and the adapters at its ends allow.
 *
 * Rates are bits per second on the wire, framing included; 0 is no bound. Links and who shares them are the flow
 * simulator's; here is what no link knows.
 */
#ifndef IW_SIMGRID_RATES_H
#define IW_SIMGRID_RATES_H

#include "llp/tcp_kinds.h"
#include "rnic/conf.h"
#include "rnic/rnic.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How the receiver acknowledges: once for so many packets, or when the timer runs out. */
struct grid_acks {
    uint32_t every;
    iw_time timeout;
};
/* Only whole FPDUs fly: floor(window / fpdu) packets of `wire` octets in `rtt`; two of them at least. Those that do not
 * fill an acknowledgement wait for the next round; fewer than one needs wait for its timer each time. */
double grid_window_rate(uint64_t window, uint32_t fpdu, uint32_t wire, struct grid_acks acks, iw_time rtt);

/* One row of what was measured in the packet world: with `load` = B x B x p the goodput was `share` of that without loss. B: packets
 * that a path holds, rate x rtt; p: probability of a loss (validation/cross has the commands). */
struct grid_loss_row {
    double load, share;
};
extern const struct grid_loss_row grid_loss_table[][16];
/* Its share, 0 .. 1, between rows by the logarithm of the load; beyond the last row, as 1 / sqrt(load). */
double grid_loss_share(enum tcp_response response, double packets, double loss);

/* How long one full segment keeps an adapter busy, by sending, or receiving, many of them through its stages; the
 * pauses of retirement are counted by their share. `memory`: grid_busy_size() octets, scratch. 0: it takes no time. */
size_t grid_busy_size(const struct rnic_conf *conf);
iw_time grid_busy_sending(void *memory, const struct rnic_conf *conf, uint32_t fpdu, uint32_t payload);
iw_time grid_busy_receiving(void *memory, const struct rnic_conf *conf, uint32_t fpdu, uint32_t payload);

#ifdef __cplusplus
}
#endif
#endif
