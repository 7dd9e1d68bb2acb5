/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record.h -- what live connections said, as a capture: the octets are those of the streams; the packets are made here, one
 * for each start-up frame and FPDU, for a socket does not show the kernel's. */
#ifndef HELPERS_WORLD_SOCKET_RECORD_H
#define HELPERS_WORLD_SOCKET_RECORD_H

#include <stdio.h>

#include "socket/sockets.h"

struct record; /* a capture */
/* Writes to `out`, which record_close() closes. NULL: it cannot be written, or memory is short; `out` is closed. */
struct record *record_new(FILE *out);
/* False: writing failed. */
bool record_close(struct record *r);
/* Picoseconds of the capture that `now` of sockets_now() is: time since its first frame. */
uint64_t record_time(const struct record *r, iw_time now);
/* No more is taken. */
#define RECORD_OCTETS_MAX ((uint64_t)256 << 20)

struct record_flow; /* a connection in it */
/* What is `sent` comes from `local`. NULL: out of memory. */
struct record_flow *record_begin(struct record *r, const struct socket_address *local,
                                 const struct socket_address *peer, bool initiator);
void record_octets(struct record_flow *f, bool sent, const struct iw_frag *piece, uint32_t pieces,
                   size_t octets);
/* Its FINs, or an RST; frees it. NULL is allowed. */
void record_end(struct record_flow *f, bool reset);

#endif
