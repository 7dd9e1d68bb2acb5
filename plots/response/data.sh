# SPDX-License-Identifier: GPL-2.0-or-later
# data.sh IWARPSIM DIR: makes DIR/response.tsv.
set -eu; export LC_ALL=C
"$1" run scenarios/response.yaml --out "$2/run" >/dev/null 2>&1
python3 plots/response/laws.py --tsv "$2/run" >"$2/response.tsv"
