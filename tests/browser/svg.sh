#!/bin/sh
# Drives the flame graph in a browser. Runs beside others.
set -eu
srcdir=${srcdir:-.}
. "$srcdir/tests/browser/needs.sh"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
for scene in small nasty deep city empty; do
	tests/support/svg-scene $scene >"$tmp/$scene.svg"
done
drive svg "$tmp"
