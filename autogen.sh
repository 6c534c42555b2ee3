#!/bin/sh
# Makes ./configure; needs autoconf, automake and pkg-config.
set -e
cd "$(dirname "$0")"
exec autoreconf --install --force --warnings=all
