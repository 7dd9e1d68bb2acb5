#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The project on another release of Debian: makes a small system of that release in a folder, copies the project there and runs
# ./waf in it. As root, with debootstrap; takes a GB or two of packages and the time of a whole check.
#   debian.sh RELEASE FOLDER [WAF_ARGUMENT]...        debian.sh trixie build/trixie check
# A folder that has a system already is gone on with. The mirror is this machine's own.
set -eu
[ $# -ge 2 ] || { sed -n 's/^#   //p' "$0" >&2; exit 2; }
project=$(cd "$(dirname "$0")/../.." && pwd)
release=$1
mkdir -p "$2"
root=$(cd "$2" && pwd)
shift 2
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | head -n 1)
[ -e "$root/etc/debian_version" ] || debootstrap --variant=minbase --include=ca-certificates "$release" "$root" "$mirror"
mkdir -p "$root/src/iwarpsim"
find "$root/src/iwarpsim" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} + # files that are no more
(cd "$project" && tar -cf - --exclude=./build --exclude=./results --exclude=./.git .) | tar -xf - -C "$root/src/iwarpsim"
# Mounts of its own: nothing is left behind, whatever ends this.
exec unshare --mount --propagation private sh -eu -c '
    root=$1; shift
    mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev"
    exec chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
        sh -c "grep PRETTY_NAME= /etc/os-release && cd /src/iwarpsim && exec ./waf --yes \"\$@\"" waf "$@"' inside "$root" "${@:-check}"
