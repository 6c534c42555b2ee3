#!/bin/bash
# The front door and `singe flame`, with two stand-ins beside it that write down how they were called.
# Runs beside others.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cp "$BUILD/src/singe" "$tmp/singe"
export TMPDIR=$tmp/scratch
mkdir "$TMPDIR"
failed=0

cat >"$tmp/singe-record" <<'END'
#!/bin/bash
echo "$@" >>"$(dirname "$0")/calls"
trap 'exit 9' TERM
while [ $# -gt 0 ] && [ "$1" != -o ]; do shift; done
[ -e "$(dirname "$0")/empty" ] || echo recording >"$2"
[ ! -e "$(dirname "$0")/slow" ] || { echo up >"$(dirname "$0")/slow"; sleep 20 & wait; }
exit "$(cat "$(dirname "$0")/status" 2>/dev/null || echo 0)"
END
cat >"$tmp/singe-report" <<'END'
#!/bin/bash
echo "$@" >>"$(dirname "$0")/calls"
while [ $# -gt 0 ] && [ "$1" != -i ]; do shift; done
[ $# -eq 0 ] || [ "$(cat "$2")" = recording ]
END
chmod +x "$tmp/singe-record" "$tmp/singe-report"

# expect STATUS CALLS ARGUMENTS…: the exit status, and the calls with the temporary's name as REC
expect() {
	local status=0 want_status=$1 want=$2 got
	shift 2
	rm -f "$tmp/calls"
	(cd "$tmp" && ./singe "$@" >out 2>err) || status=$?
	got=$(sed "s,$TMPDIR/singe-[^/]*/singe.rec,REC," "$tmp/calls" 2>/dev/null || :)
	if [ "$status" != "$want_status" ] || [ "$got" != "$want" ]; then
		printf 'FAILED: singe %s\nstatus %s, wanted %s\ncalls:\n%s\nwanted:\n%s\n' "$*" \
			"$status" "$want_status" "$got" "$want"
		cat "$tmp/err"
		failed=1
	fi
	if [ -n "$(ls "$TMPDIR")" ]; then
		echo "FAILED: singe $* left $(ls "$TMPDIR")"
		failed=1
	fi
}

draw='report -i REC -f svg -o flame.svg'
expect 0 'record -p 1' record -p 1
expect 0 'report -f svg' report -f svg
expect 0 'info x.rec' info x.rec
expect 2 '' attic
expect 2 ''
expect 0 "record -o REC -p 1 -d 5
$draw" flame -p 1 -d 5
grep -qx flame.svg "$tmp/out"
expect 0 "record -o REC -a
report -i REC -f svg -o x.svg" flame -a -o x.svg
expect 0 "record -o REC -a
report -i REC -f svg -o x.svg" flame -aox.svg
expect 0 "record -o REC
report -i REC -f svg -o x" flame --output=x
expect 0 "record -o REC
report -i REC -f html -o x.html" flame -o x.html
# -o after `--`, or after the command's first word, is the command's own; so is a value called -o
expect 0 "record -o REC -F 99 -ag -- cc -o x
$draw" flame -F 99 -ag -- cc -o x
expect 0 "record -o REC -F 99 cc -o x
$draw" flame -F 99 cc -o x
expect 0 "record -o REC -g dwarf,8192 cc -o x
$draw" flame -g dwarf,8192 cc -o x
expect 0 "record -o REC -g cc -o x
$draw" flame -g cc -o x
expect 0 "record -o REC --name -o
$draw" flame --name -o
expect 2 '' flame -p 1 -o

# Every option that takes a value, by the recorder's own --help: a value called -o is not flame's.
if [ -x "$BUILD/src/singe-record" ]; then
	words=$("$BUILD/src/singe-record" record --help | sed -n 's/^ *\(-.*\)/\1/p' | sed 's/   *.*//' |
		grep -E -- '--?[A-Za-z][a-z-]* [A-Z]' | grep -oE -- '--?[A-Za-z][A-Za-z-]*')
	[ "$(echo "$words" | wc -l)" -gt 10 ]
	for word in $words; do
		case $word in
		-o | --output) continue ;;
		esac
		expect 0 "record -o REC $word -o
$draw" flame "$word" -o
	done
fi

# The recorded command's status comes out, and the picture is drawn all the same.
echo 7 >"$tmp/status"
expect 7 "record -o REC -- false
$draw" flame -- false
# No recording, no picture.
touch "$tmp/empty"
expect 7 "record -o REC -a" flame -a
rm "$tmp/empty" "$tmp/status"

# A signal to the front door ends the recording, not the drawing.
touch "$tmp/slow"
(cd "$tmp" && exec ./singe flame -a >out 2>err) &
pid=$!
until [ -s "$tmp/slow" ]; do sleep 0.05; done
rm "$tmp/calls"
kill -TERM "$pid"
status=0
wait "$pid" || status=$?
[ "$status" -eq 9 ]
grep -q '^report' "$tmp/calls"
[ -z "$(ls "$TMPDIR")" ]
exit "$failed"
