/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tun.h -- whole IP packets to and from the kernel of this machine, as if it were the host at the other end of a wire.
 *
 *      this program --tun_write--> device --> the kernel's IP, TCP, sockets
 *                   <--tun_read---        <--
 *
 * A TUN device; or, where /dev/net/tun cannot be opened, a packet socket on one end of a pair of virtual Ethernet devices
 * whose other end is the kernel's: its offloads are off, so packets have their checksums and are as large as the wire's.
 * Both need CAP_NET_ADMIN, which whoever makes a user namespace has in it. */
#ifndef IW_SOCKET_TUN_H
#define IW_SOCKET_TUN_H

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TUN_WHY_MAX = 160 };
enum tun_kind { TUN_DEVICE, TUN_VETH };

struct tun_conf {
    const char *name; /* of the device, at most 11 letters */
    uint32_t address; /* IPv4, of the kernel on it */
    uint32_t prefix;  /* bits of the network: its other addresses are on this program's side */
    uint32_t mtu;
};

struct tun {
    int fd; /* readable when there is a packet: for poll() */
    enum tun_kind kind;
    char name[IFNAMSIZ]; /* of the kernel's end */
    int port;            /* TUN_VETH: index of this end */
    uint8_t peer[6];     /* TUN_VETH: hardware address of the kernel's end */
};

/* Make the device and bring it up. False: `why` says what failed, and nothing is left open. */
bool tun_open(struct tun *t, const struct tun_conf *conf, enum tun_kind kind, char why[TUN_WHY_MAX]);
void tun_close(struct tun *t);
/* The next packet that the kernel sends, IP header and all, at most `room` octets of it; 0: none now. */
size_t tun_read(struct tun *t, uint8_t *octets, size_t room);
/* Give the kernel a packet. False: it took none, which is as if the packet were lost. */
bool tun_write(struct tun *t, const uint8_t *octets, size_t len);

#endif
