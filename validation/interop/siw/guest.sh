#!/usr/bin/busybox sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The guest's first and only program: a network, siw on it, and a shell for each connection to port 99. build.sh puts it in place.
export PATH=/usr/sbin:/usr/bin HOME=/root TERM=dumb
busybox mount -t proc proc /proc
busybox --install -s /usr/bin
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mkdir -p /dev/pts /dev/shm /root /sys/kernel/debug
mount -t tmpfs tmpfs /dev/shm
mount -t tmpfs tmpfs /tmp
mount -t tmpfs tmpfs /run
ulimit -l unlimited
ip link set lo up
modprobe virtio_pci
modprobe virtio_net
n=0
while [ ! -e /sys/class/net/eth0 ] && [ $n -lt 100 ]; do
    sleep 0.1
    n=$((n + 1))
done
ip addr add 10.77.0.2/24 dev eth0
echo 0 >/proc/sys/net/ipv6/conf/eth0/accept_dad
ip -6 addr add fd77::2/64 dev eth0
ip link set eth0 up
modprobe rdma_ucm
modprobe ib_uverbs
modprobe siw || echo "siw was not loaded"
rdma link add siw0 type siw netdev eth0 || echo "siw has no link"
rdma link
echo "kernel $(uname -r) serves"
socat TCP-LISTEN:99,fork,reuseaddr EXEC:'/usr/bin/busybox sh -s',stderr
echo o >/proc/sysrq-trigger
