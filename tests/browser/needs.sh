# What the browser tests need, to be sourced: node, chromium and the npm package playwright-core, in
# $SINGE_NODE_MODULES, $NODE_PATH or ./node_modules. Sets CHROMIUM and NODE_PATH; a test without
# them is skipped.
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

# drive TEST [ARGUMENT…]: in the browser; not where SINGE_NO_BROWSER says that making the pages is
# what is tested.
drive() {
	[ -z "${SINGE_NO_BROWSER-}" ] || {
		echo "the pages were made; they are driven in another run"
		exit 0
	}
	test=$1
	shift
	node "$srcdir/tests/browser/$test.test.mjs" "$@"
}
