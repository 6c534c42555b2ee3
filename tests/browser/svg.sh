#!/bin/sh
# Drives the flame graph in a browser. Needs node, chromium and the npm package playwright-core, in
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
for scene in small nasty deep city empty; do
	tests/support/svg-scene $scene >"$tmp/$scene.svg"
done
node "$srcdir/tests/browser/svg.test.mjs" "$tmp"
