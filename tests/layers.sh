#!/bin/sh
# The tree keeps the house rules, and the check that says so can fail: each rule is broken once in a
# small tree of its own. Runs beside others.
set -eu
top=${srcdir:-.}
layers=$top/tools/layers
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0

"$layers" "$top" || failed=1

# expect STATUS PATH CONTENT: a tree with one file more, and what the check says to it
expect() {
	rm -rf "$tmp/tree"
	mkdir -p "$tmp/tree/src/base" "$tmp/tree/src/model" "$tmp/tree/src/cmd" "$tmp/tree/src/capture"
	cat >"$tmp/tree/HACKING.md" <<-'END'
		| folder | holds | may include |
		|---|---|---|
		| `src/base/` | x | |
		| `src/model/` | x | base |
		| `src/capture/` | x | base model |
		| `src/cmd/` | x | all |
	END
	mkdir -p "$(dirname "$tmp/tree/$2")"
	printf '%s\n' "$3" >"$tmp/tree/$2"
	status=0
	"$layers" "$tmp/tree" >"$tmp/out" 2>&1 || status=$?
	if [ "$status" -ne "$1" ]; then
		echo "layers said $status, not $1, to $2: $3"
		cat "$tmp/out"
		failed=1
	fi
}

expect 0 src/base/a.c 'int a(void);'
expect 0 src/model/a.c '#include "base/a.h"'
expect 0 src/cmd/a.c '#include "capture/a.h"'
expect 1 src/base/a.c '#include "model/a.h"'
expect 1 src/model/a.c '#include "cmd/a.h"'
expect 1 src/model/a.c '#include "b.h"'
expect 1 src/attic/a.c 'int a(void);'
expect 1 src/model/a.c '	int fd = open(path, 0);'
expect 1 src/capture/a.c '	syscall(SYS_perf_event_open, &attr);'
expect 0 src/capture/opener.c '	int fd = open(path, 0);'
expect 0 src/model/a.c '	reopen(path); /* open(path) */ say("open(path)");'
expect 1 src/base/a.c '	printf("x");'
expect 1 src/base/a.c '	fputs("x", stderr);'
expect 1 src/base/a.c '	exit(1);'
expect 0 src/cmd/a.c '	exit(1);'
expect 0 src/base/a.c '	fprintf(out, "stdout %s", "exit(1)");'
expect 1 src/base/a.c "$(yes 'int a;' | head -501)"
expect 0 src/base/a.c "$(yes 'int a;' | head -500)"
expect 1 src/base/a.c "$(echo '{'; yes '	a();' | head -79; echo '}')"
expect 0 src/base/a.c "$(echo '{'; yes '	a();' | head -78; echo '}')"
expect 1 src/base/a.js "$(yes 'a();' | head -501)"
expect 1 tests/a.py "$(yes 'a()' | head -501)"
expect 0 tests/a.py "$(yes 'a()' | head -500)"
exit "$failed"
