/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kernel_end.h -- a socket of the kernel as one end of a transfer both ways. */
#ifndef IW_INTEROP_KERNEL_END_H
#define IW_INTEROP_KERNEL_END_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kernel_end {
    int fd; /* -1: not here yet */
    const uint8_t *out;
    size_t out_len, sent;
    uint8_t *in;
    size_t in_len, received;
    size_t reads; /* octets it reads in one go; 0: all there are */
    bool shut, eof;
    int error; /* errno */
};

/* A socket that listens on `address`:`port`; negative: errno. `buffer`: octets of SO_RCVBUF, 0: the kernel's own. */
int kernel_listen(uint32_t address, uint16_t port);
/* Take a connection, and say the port of whoever connects; negative: none now. */
int kernel_accept(int listening, uint16_t *peer_port);
/* Connect to `address`:`port`; negative: errno. */
int kernel_connect(uint32_t address, uint16_t port, int buffer, const char *congestion);
/* Send what it takes, receive what is there, shut down behind the last octet. */
void kernel_end_turn(struct kernel_end *e);
/* What poll() should wait for. */
short kernel_end_events(const struct kernel_end *e);
bool kernel_end_is_done(const struct kernel_end *e);

#endif
