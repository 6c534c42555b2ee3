#!/bin/sh
# Drives the page in a browser. Needs node, chromium and the npm package playwright-core, in
# $SINGE_NODE_MODULES, $NODE_PATH or ./node_modules.
set -eu
srcdir=${srcdir:-.}

skip() {
	echo "$1"
	exit 77
}

command -v node >/dev/null 2>&1 || skip "no node"
CHROMIUM=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || true)}
[ -n "$CHROMIUM" ] || skip "no chromium"
NODE_PATH=${SINGE_NODE_MODULES-}:$PWD/node_modules:${NODE_PATH-}
export CHROMIUM NODE_PATH
node -e 'require("playwright-core")' 2>/dev/null || skip "no playwright-core"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

for scene in busy deep wide threads one none names lines; do
	tests/support/html-scene $scene "$tmp/$scene.rec"
	"$SINGE" report -q -i "$tmp/$scene.rec" -o "$tmp/$scene.html"
done
tests/support/html-scene diff "$tmp/diff.html"
"$SINGE" report -q -i "$tmp/lines.rec" -f html --callees parse -o "$tmp/callees.html"
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
node "$srcdir/tests/browser/html.test.mjs" "$tmp"
