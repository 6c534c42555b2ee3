#!/bin/sh
# Holds reports on recordings of known stacks (tests/support/scene.c) against tests/golden/NAME:
# standard output, then standard error, then the exit status. `REGENERATE=1 tests/golden.sh`, run
# in the build directory, writes the files anew: look at what git says of them. Runs beside others.
set -u
src=${TOP:-$(cd "$(dirname "$0")/.." && pwd)}
report=${BUILD:-$PWD}/src/singe-report
scene=${BUILD:-$PWD}/tests/support/scene
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
failed=0

[ -x "$report" ] && [ -x "$scene" ] || {
	echo "golden: run me in the build directory, after make check"
	exit 99
}
for name in mixed lines empty events twins; do
	"$scene" "$name" "$dir/$name.rec" || exit 99
done

printf 'app;main;hot 70\napp;main;cold 30\n' >"$dir/before.folded"
printf 'app;main;hot 20\napp;main;cold 80\n' >"$dir/after.folded"

# golden NAME RECORDING OPTIONS…
golden() {
	name=$1
	shift
	compare "$name" '' report -i "$@"
}

# compare NAME SED COMMAND OPTIONS…; SED leaves out what depends on the build: sizes
compare() {
	name=$1
	sed=$2
	shift 2
	(
		cd "$dir" || exit 99
		"$report" "$@" >out 2>err
		status=$?
		sed -e "$sed" out
		sed 's/^/stderr: /' err
		echo "exit $status"
	) >"$dir/got"
	if [ -n "${REGENERATE-}" ]; then
		cp "$dir/got" "$src/tests/golden/$name"
	elif ! diff -u "$src/tests/golden/$name" "$dir/got"; then
		echo "golden: $name differs"
		failed=1
	fi
}

golden folded mixed.rec -f folded
golden folded-marks mixed.rec -f folded --mark k,j,i --by none -q
golden folded-reverse mixed.rec -f folded --reverse --by tid -q
golden folded-hide mixed.rec -f folded --symbol parse --hide '^_start$|main' -q
golden folded-library mixed.rec -f folded --binary libx.so.1 --by pid -q
golden folded-addrs mixed.rec -f folded --addrs --tid 101 -q
golden text mixed.rec -f text
golden text-self mixed.rec -f text --no-children --limit 3 -q
golden text-callers mixed.rec -f text --callers parse -q
golden text-callees mixed.rec -f text --callees 'LFoo,' -q
golden source lines.rec --source parse -q
golden source-all lines.rec --source '.' -q
golden bad-source lines.rec --source parse --lines
golden tree mixed.rec -f tree --by none -q
golden tree-pruned mixed.rec -f tree --min-percent 12 -q
golden tree-time mixed.rec -f tree --time 0.02,0.03 -q
golden twins-text twins.rec -f text -q
golden twins-tree twins.rec -f tree --by none -q
golden text-names-only before.folded -f text -q
compare diff-names-only '' diff -q before.folded after.folded
compare diff-binaries '' diff -q mixed.rec twins.rec
compare dump-stacks '' report -i mixed.rec --dump=stacks
compare dump-frames '' report -i mixed.rec --dump=frames
compare dump-samples 's/^[0-9]* //' report -i events.rec --dump=samples
compare dump-unknown '' report -i mixed.rec --dump=nothing
compare info 's/, [0-9]* bytes//' info mixed.rec
compare info-lines '/^Binaries/,/^$/!d' info lines.rec
compare info-json '/"size": [1-9]/d; /_ns"/d' info --json events.rec
compare info-event '1d' info --event cycles:u events.rec
compare info-unknown '1d' info --event nothing events.rec
golden empty-folded empty.rec -f folded
golden empty-text empty.rec -f text
golden empty-tree empty.rec -f tree -q
golden empty-filtered mixed.rec -f folded --pid 1
golden events-first events.rec -f folded
golden events-cycles events.rec -f text --event cycles:u
golden events-samples events.rec -f folded --event cycles:u --weight samples -q
golden events-unknown events.rec --event nosuch
golden bad-option mixed.rec --limit 3 -f folded
golden bad-number mixed.rec -f folded --pid 1-x
golden bad-regex mixed.rec -f folded --symbol '('
golden bad-focus mixed.rec -f text --callers nosuch
golden bad-input no-such.rec
exit $failed
