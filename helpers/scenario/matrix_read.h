/* SPDX-License-Identifier: GPL-2.0-or-later */
/* matrix_read.h -- connection matrices as text, the format of htsim and of UET's simulator.
 *
 *     Nodes 16                                             hosts, numbered from 0
 *     Connections 3                                        lines of flows that follow
 *     Triggers 1                                           lines of triggers; 0 where it is left out
 *     0->13 id 1 start 0 size 2000000 send_done_trigger 1  starts 0 us after the workload does; octets
 *     4->13 start 2.5 size 2000000 recv_done_trigger 1
 *     13->0 id 2 trigger 1 size 4096                       starts when trigger 1 says so
 *     trigger id 1 barrier count 2                         all that wait for it, when it was given twice
 *     # oneshot: all, when it is given; multishot: the next, each time
 *
 * send_done_trigger gives a trigger when the flow has completed at its sender, recv_done_trigger when it is in place at its receiver.
 * A flow has a connection of its own; lines with `id N msg` are messages of connection N. `start` counts microseconds, as
 * UET's simulator reads it (decimals are ours; htsim's own programs mean picoseconds).
 *
 * The text is read once, a line at a time, and not kept.
 */
#ifndef HELPERS_SCENARIO_MATRIX_READ_H
#define HELPERS_SCENARIO_MATRIX_READ_H

#include <stdio.h>

#include "scenarios/workloads/matrix.h"

enum { MATRIX_ERROR_MAX = 512, MATRIX_HOSTS_MAX = 1 << 17, MATRIX_MESSAGES_MAX = 1 << 22 };

/* NULL: `error` (MATRIX_ERROR_MAX octets) says what is wrong in which line of `name`. Every flow begins at some time, as long as
 * none fails. */
struct matrix *matrix_read(FILE *in, const char *name, char *error);
void matrix_free(struct matrix *m);

#endif
