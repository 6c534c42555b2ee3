# Sourced by quickstart and test: Debian packages that are missing, and only those.
# shellcheck shell=sh

# What a build needs; libdeflate, zstd, iberty (demangling) and capstone
# (disassembly) are optional to configure.
BUILD_PACKAGES="gcc libc6-dev make autoconf automake pkgconf libunwind-dev libelf-dev libdw-dev
	zlib1g-dev libdeflate-dev libzstd-dev libiberty-dev libcapstone-dev"

# Empty for root; else sudo, if there is one.
as_root() {
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	elif command -v sudo >/dev/null 2>&1; then
		sudo "$@"
	else
		echo "this needs root, and there is no sudo: $*" >&2
		return 1
	fi
}

# install_missing PACKAGE…: says what it installs; nothing to do is silent.
install_missing() {
	missing=
	for package in "$@"; do
		dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q ' installed$' ||
			missing="$missing $package"
	done
	[ -n "$missing" ] || return 0
	if ! command -v apt-get >/dev/null 2>&1; then
		echo "please install what Debian calls:$missing" >&2
		return 1
	fi
	echo "installing:$missing"
	as_root apt-get -qq -o DPkg::Lock::Timeout=300 update </dev/null || return
	# shellcheck disable=SC2086 # a list of package names
	as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y \
		-o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 \
		install --no-install-recommends $missing </dev/null >/dev/null
}
