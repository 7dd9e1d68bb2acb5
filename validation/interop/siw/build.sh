#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A Linux guest with soft-iWARP (siw), from Debian's packages alone: kernel and first root for siw_test.py. Needs no root; installs nothing.
#   build.sh FOLDER [6.1|6.12]        build.sh build/siw 6.1
# Needs apt, dpkg, gcc-12, make, tar, gzip and some 400 MB to fetch for a kernel. A folder that has its packages already fetches nothing twice.
# Debian's kernels come without siw: it is compiled from Debian's source of the same kernel.
set -eu
[ $# -ge 1 ] || { sed -n 's/^#   //p' "$0" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
series=${2:-6.1}
mkdir -p "$1/apt/lists/partial" "$1/apt/cache/archives/partial" "$1/apt/etc/apt.conf.d" "$1/apt/etc/preferences.d"
top=$(cd "$1" && pwd)

# ---- an apt of our own: Debian 12 and its security archive, and nothing installed ----
keys=/usr/share/keyrings/debian-archive-keyring.gpg
cat >"$top/apt/etc/sources.list" <<END
deb [signed-by=$keys] http://deb.debian.org/debian bookworm main
deb [signed-by=$keys] http://deb.debian.org/debian-security bookworm-security main
END
: >"$top/apt/status"
cat >"$top/apt/apt.conf" <<END
Dir "$top/apt";
Dir::State "$top/apt";
Dir::State::status "$top/apt/status";
Dir::Cache "$top/apt/cache";
Dir::Etc "$top/apt/etc";
Dir::Log "$top/apt";
APT::Sandbox::User "";
APT::Install-Recommends "false";
Acquire::Languages "none";
END
export APT_CONFIG="$top/apt/apt.conf"
[ -n "$(find "$top/apt/lists" -name '*Packages*' | head -n 1)" ] || apt-get -q update
kernel=$(apt-cache pkgnames linux-image-"$series". | sed -n 's/^linux-image-\([0-9.]*\(-[0-9]*\|+deb12\)-amd64\)$/\1/p' | sort -V | tail -n 1)
[ -n "$kernel" ] || { echo "no kernel $series in Debian's archive" >&2; exit 3; }
echo "kernel $kernel"

fetch() # FOLDER PACKAGE...: the packages, unpacked in FOLDER
{
    to=$1
    shift
    mkdir -p "$top/deb" "$to"
    for package; do
        [ -e "$top/deb/$package.deb" ] || (
            cd "$top/deb"
            mkdir -p "get-$package" && cd "get-$package"
            apt-get -q download "$package" >&2
            mv ./*.deb "../$package.deb" && rmdir "../get-$package")
        dpkg-deb -x "$top/deb/$package.deb" "$to"
    done
}

# ---- siw for this kernel ----
tree=$top/$series
if [ ! -e "$tree/siw.ko" ]; then
    rm -rf "$tree" && mkdir -p "$tree/headers"
    common=linux-headers-${kernel%-amd64}-common
    kbuild=$(apt-cache depends "linux-headers-$kernel" | sed -n 's/ *|\{0,1\}Depends: \(linux-kbuild-.*\)/\1/p')
    fetch "$tree/image" "linux-image-$kernel"
    fetch "$tree/headers" "linux-headers-$kernel" "$common" "$kbuild"
    fetch "$tree/source" "linux-source-$series"
    tar -xf "$tree/source/usr/src/linux-source-$series.tar.xz" -C "$tree" "linux-source-$series/drivers/infiniband/sw/siw"
    mv "$tree/linux-source-$series/drivers/infiniband/sw/siw" "$tree/siw" && rm -rf "$tree/source" "$tree/linux-source-$series"
    # What siw keeps as constants, as parameters of the module: revision, peer-to-peer, CRC.
    sed -i -E 's/^(const )?bool (zcopy_tx|try_gso|loopback_enabled|mpa_crc_required|mpa_crc_strict|siw_tcp_nagle|peer_to_peer)( = [a-z]+)?;/bool \2\3; module_param(\2, bool, 0644);/
        s/^(const )?u_char mpa_version = MPA_REVISION_2;/u8 mpa_version = MPA_REVISION_2; module_param(mpa_version, byte, 0644);/' "$tree/siw/siw_main.c"
    sed -i -E 's/extern const bool/extern bool/; s/extern (const )?u_char mpa_version;/extern u8 mpa_version;/' "$tree"/siw/*.h
    src=$tree/headers/usr/src
    grep -rlE '(include|:=|=) */usr/' "$src/linux-headers-$kernel/Makefile" "$src/$common/Makefile" 2>/dev/null |
        xargs -r sed -i "s#/usr/src/#$src/#g; s#/usr/lib/#$tree/headers/usr/lib/#g"
    ln -sfn "$(find "$tree/headers/usr/lib" -maxdepth 1 -name 'linux-kbuild-*')/scripts" "$src/linux-headers-$kernel/scripts"
    make -C "$src/linux-headers-$kernel" M="$tree/siw" CONFIG_RDMA_SIW=m CONFIG_DEBUG_INFO_BTF_MODULES= CC="${CC:-gcc}" modules >"$tree/make.log" 2>&1 ||
        { tail -n 5 "$tree/make.log" >&2; exit 3; }
    cp "$tree/siw/siw.ko" "$tree/siw.ko" && rm -rf "$tree/headers"
    cp "$tree/image/boot/vmlinuz-$kernel" "$tree/vmlinuz"
fi

# ---- the first root, which is the only one: programs, modules, siw, siwtest ----
if [ ! -e "$top/root/usr/bin/rping" ]; then
    mkdir -p "$top/new/usr/bin" "$top/new/usr/sbin" "$top/new/usr/lib" "$top/new/usr/lib64"
    for d in bin sbin lib lib64; do ln -sfn usr/$d "$top/new/$d"; done
    apt-get -q -y --download-only install busybox-static bash kmod iproute2 socat rdmacm-utils ibverbs-utils ibverbs-providers perftest libibverbs-dev librdmacm-dev >&2
    for deb in "$top"/apt/cache/archives/*.deb; do dpkg-deb --fsys-tarfile "$deb" | tar -x --keep-directory-symlink -C "$top/new"; done
    rm -rf "$top/root" && mv "$top/new" "$top/root"
fi
root=$top/root
gcc -O2 -Wall -Wno-unused-result -o "$root/usr/bin/siwtest" "$here/siwtest.c" -isystem "$root/usr/include" -L"$root/usr/lib/x86_64-linux-gnu" -lrdmacm -libverbs -lpthread
first=$tree/first
rm -rf "$first" && mkdir -p "$first"
cp -a "$root/." "$first/"
rm -rf "$first/usr/share" "$first/usr/include" "$first/usr/lib/x86_64-linux-gnu/perl-base" "$first"/usr/lib/x86_64-linux-gnu/*.a
modules=$first/lib/modules/$kernel
mkdir -p "$modules" "$first/proc" "$first/sys" "$first/dev" "$first/tmp" "$first/run" "$first/etc"
for m in drivers/net drivers/virtio drivers/infiniband net lib crypto arch fs/configfs; do
    mkdir -p "$modules/kernel/$m"
    cp -a "$tree/image/lib/modules/$kernel/kernel/$m/." "$modules/kernel/$m/" 2>/dev/null || :
done
rm -rf "$modules/kernel/drivers/net/ethernet" "$modules/kernel/drivers/net/wireless" "$modules/kernel/drivers/infiniband/hw"
cp "$tree"/image/lib/modules/"$kernel"/modules.builtin* "$tree"/image/lib/modules/"$kernel"/modules.order "$modules/"
mkdir -p "$modules/updates" && cp "$tree/siw.ko" "$modules/updates/"
ln -sfn "$root/usr/bin/kmod" "$top/depmod" # calls itself by the name it has
"$top/depmod" -b "$first" "$kernel"
cp "$here/guest.sh" "$first/init" && chmod 755 "$first/init"
(cd "$first" && find . | "$root/usr/bin/busybox" cpio -R 0:0 -o -H newc 2>/dev/null | gzip -1) >"$tree/first.new"
mv "$tree/first.new" "$tree/first.gz" && rm -rf "$first"
ls -l "$tree/vmlinuz" "$tree/first.gz"
