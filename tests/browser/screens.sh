#!/bin/sh
# The page on recordings of real programs, light and dark: a C++ program with threads, node, a whole
# machine. Leaves pictures in tests/browser/screens/, to be looked at.
set -eu
srcdir=${srcdir:-.}
. "$srcdir/tests/browser/needs.sh"
[ -z "${SINGE_NO_BROWSER-}" ] || skip "recorded and driven in another run"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

"${CXX:-g++}" -std=c++17 -O2 -g -pthread -o "$tmp/server" "$srcdir/tests/workloads/cpp.cc" ||
	skip "no C++ compiler"
cat >"$tmp/app.js" <<'JS'
function parse(text) { let sum = 0; for (const c of text) sum += c.charCodeAt(0) * 31 % 7; return sum; }
function render(n) { return n < 2 ? n : render(n - 1) + render(n - 2); }
function serve() { return parse("a request with a long path?".repeat(40)) + render(16); }
const end = Date.now() + 3000;
while (Date.now() < end) serve();
JS
"$SINGE" record -q -o "$tmp/server.rec" -- "$tmp/server" 3 >/dev/null
(cd "$tmp" && "$SINGE" record -q -o node.rec -- node --perf-basic-prof app.js) # it leaves a log there
if ! "$SINGE" record -q -a -o "$tmp/machine.rec" -- sh -c '"$1/server" 3 & node "$1/app.js" & wait' sh "$tmp" \
	>/dev/null 2>"$tmp/said"; then
	grep -q "CAP_PERFMON\|perf_event_paranoid" "$tmp/said" || { cat "$tmp/said"; exit 1; }
	skip "a whole machine may not be recorded here"
fi
for name in server node machine; do
	"$SINGE" report -q -f html -i "$tmp/$name.rec" -o "$tmp/$name.html"
done
mkdir -p tests/browser/screens
export SCREENS="$PWD/tests/browser/screens"
drive screens "$tmp"
