#!/bin/sh
# An XML parser accepts the flame graph of whatever names; the script and style are well wrapped.
# Runs beside others.
set -eu
if ! command -v xmllint >/dev/null 2>&1; then
	echo "no xmllint"
	exit 77
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
for scene in small nasty deep big empty city; do
	for colors in origin safe hot mono; do
		tests/support/svg-scene $scene $colors >"$tmp/$scene.svg"
		xmllint --noout --nonet --huge "$tmp/$scene.svg"
	done
done

# Names are text and nothing else: no element but those the writer makes.
elements=$(xmllint --xpath 'count(//*[local-name()="img" or local-name()="script"])' "$tmp/nasty.svg")
if [ "$elements" -ne 1 ]; then
	echo "expected the one script, found $elements"
	exit 1
fi
total=$(xmllint --xpath 'string(//*[@id="frames"]/*[1]/@data-v)' "$tmp/small.svg")
if [ "$total" != "100 0" ]; then
	echo "the root of a tree of 100 samples says $total"
	exit 1
fi
