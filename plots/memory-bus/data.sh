# SPDX-License-Identifier: GPL-2.0-or-later
# data.sh IWARPSIM DIR: makes DIR/memory-bus.tsv. Rows `bus`: goodput against the background load of a bus of 614 Gb/s; rows `path`:
# crossings and CPU time of each path, the bus idle.
set -eu; export LC_ALL=C
iwarpsim=$1 out=$2
run() {
    what=$1 name=$2 to=$out/$3
    shift 3
    "$iwarpsim" run scenarios/memory-bus.yaml "$@" --out "$to" >/dev/null 2>&1
    python3 plots/columns.py "$to" what="$what" path="$name" background=0 steady_gbps bus_bytes_per_byte \
        model_cpu_ns_per_byte | tail -n +2
}
bus() {
    "$iwarpsim" run scenarios/memory-bus.yaml "$@" >/dev/null 2>&1
}
{
    printf 'what\tpath\tbackground_gbps\tsteady_gbps\tcrossings\tcpu_ns_per_octet\n'
    bus --out "$out/bus"
    python3 plots/columns.py "$out/bus" what=bus rnic.receive rnic.bus.background steady_gbps bus_bytes_per_byte model_cpu_ns_per_byte | tail -n +2
    bus --out "$out/free" --set rnic.receive=copy --set rnic.cpu.segment=0ps --set rnic.cpu.copy_rate=unlimited
    python3 plots/columns.py "$out/free" what=bus path='copy, CPU costs nothing' rnic.bus.background steady_gbps bus_bytes_per_byte \
        model_cpu_ns_per_byte | tail -n +2
    for path in place hold discard copy; do
        run path "$path, t6" $path --set rnic.receive=$path --set rnic.bus.background=0Gbps
    done
    run path 'copy, siw' siw --set rnic.preset=siw --set rnic.receive=copy --set rnic.bus.background=0Gbps
} >"$out/memory-bus.tsv"
