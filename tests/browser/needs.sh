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
