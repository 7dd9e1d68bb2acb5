#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs a figure's scenario and draws it: plots/make.sh [--check] NAME...     (all of them without a NAME)
#   plots/NAME/NAME.tsv   the data the figure is drawn from
#   plots/NAME/NAME.gp    the script; `cd plots/NAME && gnuplot NAME.gp` draws again
#   plots/NAME/NAME.svg   the figure
#   plots/NAME/NAME.note  at how many points what binds is a guess: the script writes it above the figure, where that was written by hand
#   plots/NAME/data.sh    where the figure has more than one panel: makes the data; its script was written by hand
# --check changes nothing and says whether data and note are those that are kept, and whether text touches text at one of three sizes.
set -eu
cd "$(dirname "$0")/.."
program=$(realpath "${IWARPSIM:-build/iwarpsim}")
check=no
if [ "${1:-}" = --check ]; then check=yes; shift; fi
if [ $# = 0 ]; then set -- $(ls plots/*/*.gp | xargs -n 1 dirname | xargs -n 1 basename); fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
status=0

# The program, whose runs do not end because the machine is busy.
iwarpsim=$out/iwarpsim
cat >"$iwarpsim" <<END
#!/bin/sh
[ "\$1" != run ] || set -- "\$@" --set limit.wall=1000000s
exec "$program" "\$@"
END
chmod +x "$iwarpsim"

# make_data NAME: $out/NAME/NAME.tsv, and unless checking the figure beside it
make_data() {
    if [ -f "plots/$1/data.sh" ]; then
        mkdir -p "$out/$1"
        cp plots/style.gp "$out/"
        sh "plots/$1/data.sh" "$iwarpsim" "$out/$1"
        python3 plots/note.py "$out/$1" >"$out/$1/$1.note"
        cp "plots/$1/$1.gp" "$out/$1/"
        [ $check = yes ] || (cd "$out/$1" && gnuplot "$1.gp")
    else
        "$iwarpsim" run "scenarios/$1.yaml" --out "$out/$1" >/dev/null
        (cd "$out" && "$iwarpsim" plot "$1" >/dev/null)
    fi
}

# check_text NAME: the figure at the sizes for a column, a page and a slide
check_text() {
    for size in column page slide; do
        if [ -f "plots/$1/data.sh" ]; then
            (cd "$out/$1" && gnuplot -d -e "kinds = 'svg'; size = '$size'" "$1.gp" && mv "$1.svg" "$size.svg") || return 1
        else
            (cd "$out" && "$iwarpsim" plot "$1" --size $size --name $size >/dev/null) || return 1
        fi
    done
    code=0
    python3 plots/boxes.py "$out/$1/column.svg" "$out/$1/page.svg" "$out/$1/slide.svg" || code=$?
    [ $code = 0 ] || [ $code = 77 ]
}

for name; do
    make_data "$name"
    if [ $check = yes ]; then
        check_text "$name" || status=1
        if cmp -s "$out/$name/$name.tsv" "plots/$name/$name.tsv"; then echo "$name: the same"; else
            echo "$name: other data than plots/$name/$name.tsv:"
            diff "plots/$name/$name.tsv" "$out/$name/$name.tsv" | head -10
            status=1
        fi
        if [ -f "$out/$name/$name.note" ] && ! cmp -s "$out/$name/$name.note" "plots/$name/$name.note"; then
            echo "$name: another note than plots/$name/$name.note: $(tail -n 1 "$out/$name/$name.note")"
            status=1
        fi
    else
        mkdir -p "plots/$name"
        for kind in tsv gp svg; do cp "$out/$name/$name.$kind" "plots/$name/"; done
        if [ -f "$out/$name/$name.note" ]; then cp "$out/$name/$name.note" "plots/$name/"; fi
        echo "plots/$name/"
    fi
done
exit $status
