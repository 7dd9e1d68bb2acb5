# SPDX-License-Identifier: GPL-2.0-or-later
# data.sh IWARPSIM DIR: makes DIR/tracking.tsv.
# Rows: what (a layout; poisson: a bitmap, and messages that come at 80 % of the line; nak, probe, timeout: how that is sent again for which a
# pool has no bits), connections, skew x rate in packets of 4134 octets on the wire, bits (of a pool: those that it has), Gb/s.
set -eu; export LC_ALL=C
program=$1 out=$2
# rows WHAT BITS [--set ...]: BITS is the column that has them
rows() {
    what=$1 bits=$2 folder=$(mktemp -d "$out/XXXXXX")
    shift 2
    "$program" run scenarios/tracking.yaml "$@" --out "$folder" >/dev/null 2>&1
    python3 plots/columns.py "$folder" workload.connections topology.rate channel.reorder.delay "$bits" goodput_gbps | tail -n +2 |
        awk -v OFS='\t' -v what="$what" -v each="$([ "$bits" = ooo_state_peak_bytes ] && echo 8 || echo 1)" '{ print what, $1, $2 * $3 * 125 / 4134, $4 * each, $5 }'
}
worst='--set topology.rate=[3200Gbps] --set channel.reorder.delay=[100us]'
pool='--set workload.connections=[100] --set workload.depth=4 --set llp.flight=256 --set measure.from=2ms --set measure.for=2ms --set rnic.track.pool=[605,1210,2419,4838,7258,9676]'
{
    printf 'what\tconnections\tpackets\tbits\tgoodput_gbps\n'
    rows bitmap track_pool_peak_bits
    rows poisson track_pool_peak_bits $worst --set workload.depth=1 --set workload.arrival=poisson --set workload.load=0.8
    for layout in ranges list; do
        bits=$([ $layout = list ] && echo ooo_state_peak_bytes || echo track_pool_peak_bits)
        rows $layout $bits --set llp.tracking=$layout --set 'workload.connections=[1]' --set workload.depth=64
        rows $layout $bits --set llp.tracking=$layout --set 'workload.connections=[10, 100, 1000, 10000]' $worst --set workload.depth=8
    done
    rows nak rnic.track.pool $worst $pool --set rnic.track.full=nak
    rows probe rnic.track.pool $worst $pool --set llp.probe=200us
    rows timeout rnic.track.pool $worst $pool
} >"$out/tracking.tsv"
