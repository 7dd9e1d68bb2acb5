#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Puts this module into an ns-3 tree (3.36 or newer) as contrib/iwarp: the C++ of this folder, the C model beside it, the
# test suite. What an earlier call put there goes.   to-contrib.sh NS3_TREE
set -e
here=$(cd "$(dirname "$0")" && pwd)
[ -d "$1/contrib" ] || { echo "usage: to-contrib.sh NS3_TREE   (a folder that has contrib/)" >&2; exit 2; }
to=$1/contrib/iwarp
rm -rf "$to/iwarp" "$to/test" "$to/examples" "$to/doc" "$to"/*.cc "$to"/*.h
mkdir -p "$to/iwarp" "$to/test"
cp -r "$here"/*.cc "$here"/*.h "$here/CMakeLists.txt" "$here/NS3-VERSION" "$here/examples" "$here/doc" "$to/"
cp "$here/../parameter.c" "$here/../"parameter*.h "$to/iwarp/"
for room in engine llp rnic channel node fabric; do
    mkdir "$to/iwarp/$room"
    cp "$here/../$room"/*.c "$here/../$room"/*.h "$to/iwarp/$room/"
done
cp "$here/examples-to-run.py" "$to/test/"
for test in "$here/../../validation/ns3"/*.cc "$here/../../validation/ns3"/*.h; do
    case $test in */main.cc) ;; *) cp "$test" "$to/test/" ;; esac
done
cat <<'END'
contrib/iwarp is in place. In the tree, then:
  ./ns3 configure --enable-modules=iwarp --filter-module-examples-and-tests=iwarp --enable-examples --enable-tests
  ./ns3 build
  ./test.py --no-build --suite='iwarp*'
  ./ns3 run iwarp-write
END
