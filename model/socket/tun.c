/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "socket/tun.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/if_tun.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static bool failed(char why[TUN_WHY_MAX], const char *what)
{
    snprintf(why, TUN_WHY_MAX, "%s: %s", what, strerror(errno));
    return false;
}

/* ---- settings of a network device ---- */

static struct ifreq request(const char *name)
{
    struct ifreq r = {0};
    snprintf(r.ifr_name, sizeof r.ifr_name, "%s", name);
    return r;
}

static bool set_address(int s, const char *name, unsigned long what, uint32_t address)
{
    struct ifreq r = request(name);
    struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(address)};
    memcpy(&r.ifr_addr, &in, sizeof in);
    return ioctl(s, what, &r) == 0;
}

static bool set_mtu(int s, const char *name, uint32_t mtu)
{
    struct ifreq r = request(name);
    r.ifr_mtu = (int)mtu;
    return ioctl(s, SIOCSIFMTU, &r) == 0;
}

static bool set_up(int s, const char *name, short more_flags)
{
    struct ifreq r = request(name);
    if (ioctl(s, SIOCGIFFLAGS, &r))
        return false;
    r.ifr_flags = (short)(r.ifr_flags | IFF_UP | more_flags);
    return ioctl(s, SIOCSIFFLAGS, &r) == 0;
}

static bool configure(const struct tun *t, const struct tun_conf *conf, char why[TUN_WHY_MAX])
{
    int s = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    uint32_t mask = conf->prefix ? ~(uint32_t)0 << (32 - conf->prefix) : 0;
    short no_arp = t->kind == TUN_VETH ? IFF_NOARP : 0;
    bool good = s >= 0 && set_mtu(s, t->name, conf->mtu) &&
                set_address(s, t->name, SIOCSIFADDR, conf->address) &&
                set_address(s, t->name, SIOCSIFNETMASK, mask) && set_up(s, t->name, no_arp);
    if (!good)
        failed(why, t->name);
    if (s >= 0)
        close(s);
    return good;
}

/* ---- a TUN device ---- */

static bool open_device(struct tun *t, char why[TUN_WHY_MAX])
{
    struct ifreq r = request(t->name);
    t->fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (t->fd < 0)
        return failed(why, "/dev/net/tun");
    r.ifr_flags = IFF_TUN | IFF_NO_PI;
    return ioctl(t->fd, TUNSETIFF, &r) == 0 || failed(why, "a TUN device");
}

/* ---- a pair of virtual Ethernet devices ---- */

static bool run_program(char *const argv[])
{
    pid_t child;
    int status;
    posix_spawn_file_actions_t quiet;
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    errno = posix_spawnp(&child, argv[0], &quiet, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&quiet);
    if (errno)
        return false;
    errno = EPERM;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Checksums are written and packets cut by the kernel itself. */
static bool offloads_off(int s, const char *name)
{
    static const uint32_t offloads[] = {ETHTOOL_STSO, ETHTOOL_SGSO, ETHTOOL_STXCSUM};
    for (size_t i = 0; i < sizeof offloads / sizeof *offloads; i++) {
        struct ethtool_value off = {.cmd = offloads[i]};
        struct ifreq r = request(name);
        r.ifr_data = (char *)&off;
        if (ioctl(s, SIOCETHTOOL, &r))
            return false;
    }
    return true;
}

static bool find_ends(struct tun *t, const char *mine)
{
    struct ifreq r = request(mine), peer = request(t->name);
    if (ioctl(t->fd, SIOCGIFINDEX, &r) || ioctl(t->fd, SIOCGIFHWADDR, &peer))
        return false;
    t->port = r.ifr_ifindex;
    memcpy(t->peer, peer.ifr_hwaddr.sa_data, sizeof t->peer);
    return true;
}

static bool open_veth(struct tun *t, const struct tun_conf *conf, char why[TUN_WHY_MAX])
{
    char mine[IFNAMSIZ];
    snprintf(mine, sizeof mine, "%.11s-us", t->name);
    char *const add[] = {"ip", "link", "add", t->name, "type", "veth", "peer", "name", mine, NULL};
    struct sockaddr_ll at = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_IP)};
    t->fd = socket(AF_PACKET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (t->fd < 0)
        return failed(why, "a packet socket");
    if (!run_program(add))
        return failed(why, "ip link add type veth");
    if (!find_ends(t, mine) || !offloads_off(t->fd, t->name) || !set_mtu(t->fd, mine, conf->mtu) ||
        !set_up(t->fd, mine, IFF_NOARP))
        return failed(why, mine);
    at.sll_ifindex = t->port;
    return bind(t->fd, (const struct sockaddr *)&at, sizeof at) == 0 || failed(why, mine);
}

/* ---- both ---- */

bool tun_open(struct tun *t, const struct tun_conf *conf, enum tun_kind kind, char why[TUN_WHY_MAX])
{
    *t = (struct tun){.fd = -1, .kind = kind};
    snprintf(t->name, sizeof t->name, "%.11s", conf->name);
    if ((kind == TUN_DEVICE ? open_device(t, why) : open_veth(t, conf, why)) && configure(t, conf, why))
        return true;
    tun_close(t);
    return false;
}

void tun_close(struct tun *t)
{
    if (t->fd >= 0)
        close(t->fd);
    t->fd = -1;
}

size_t tun_read(struct tun *t, uint8_t *octets, size_t room)
{
    struct sockaddr_ll from = {0};
    socklen_t size = sizeof from;
    ssize_t n;
    do
        n = t->kind == TUN_DEVICE ? read(t->fd, octets, room)
                                  : recvfrom(t->fd, octets, room, 0, (struct sockaddr *)&from, &size);
    while (n > 0 && from.sll_pkttype == PACKET_OUTGOING); /* our own */
    return n > 0 ? (size_t)n : 0;
}

bool tun_write(struct tun *t, const uint8_t *octets, size_t len)
{
    struct sockaddr_ll to = {.sll_family = AF_PACKET,
                             .sll_protocol = htons(ETH_P_IP),
                             .sll_ifindex = t->port,
                             .sll_halen = sizeof t->peer};
    memcpy(to.sll_addr, t->peer, sizeof t->peer);
    ssize_t n = t->kind == TUN_DEVICE
                    ? write(t->fd, octets, len)
                    : sendto(t->fd, octets, len, 0, (const struct sockaddr *)&to, sizeof to);
    return n == (ssize_t)len;
}
