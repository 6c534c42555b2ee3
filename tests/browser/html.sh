#!/bin/sh
# Drives the page in a browser. Runs beside others.
set -eu
srcdir=${srcdir:-.}
. "$srcdir/tests/browser/needs.sh"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

for scene in busy deep wide threads hosts one none names lines; do
	tests/support/html-scene $scene "$tmp/$scene.rec"
	"$SINGE" report -q -i "$tmp/$scene.rec" -o "$tmp/$scene.html"
done
tests/support/html-scene diff "$tmp/diff.html"
tests/support/html-scene code "$tmp/code.html"
"$SINGE" report -q -i "$tmp/lines.rec" -f html --callees parse -o "$tmp/callees.html"
"$SINGE" report -q -i "$tmp/hosts.rec" -f html --by origin -o "$tmp/by-origin.html"
"$SINGE" report -q -i "$tmp/lines.rec" -f html --by tid -o "$tmp/by-tid.html"
"$SINGE" report -q -i "$tmp/lines.rec" -f html --reverse --title 'A "title" & <b>' -o "$tmp/reverse.html"
# What the page must agree with.
text() {
	name=$1
	shift
	"$SINGE" report -q -i "$tmp/busy.rec" -f text --limit 12 "$@" | grep '^ *[0-9.]* ± [0-9.]*%  *[0-9.]* ± ' >"$tmp/$name.txt"
}
text all
text range --time 10,20
text short --time 31.25,31.5
text thread --tid 1003
text both --tid 1003 --time 10,20
drive time "$tmp"
drive pictures "$tmp"
drive html "$tmp"
