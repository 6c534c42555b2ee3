#!/bin/sh
# Turns text files into one C file of string constants.
# Usage: embed.sh [-fs] [-i HEADER] NAME=FILE[,FILE...]...
#   -> stdout: const char NAME[] = "..."; with -s also NAME_sha256[], in base64; with -f a script is
#   one function, called at once, where it cannot be a module.
# Indentation and lines that hold only a // or /* */ comment are left out, to keep pictures small.
# Several files become one script: their import lines and the word export are left out as well.
set -eu

header=output/svg/assets.h
function=
sums=
while getopts fsi: option; do
	case $option in
	f) function=yes ;;
	s) sums=yes ;;
	i) header=$OPTARG ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
plain=$(mktemp)
trap 'rm -f "$plain"' EXIT

# 64 digits of hexadecimal -> base64 (RFC 4648): three digits are two characters, the last one is one.
base64_of_hex() {
	awk '{
		alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
		for (i = 1; i <= 64; i += 3) {
			bits = 0
			for (k = 0; k < 3; k++)
				bits = bits * 16 + (i + k > 64 ? 0 : index("0123456789abcdef", substr($1, i + k, 1)) - 1)
			out = out substr(alphabet, int(bits / 64) + 1, 1)
			if (i < 64)
				out = out substr(alphabet, bits % 64 + 1, 1)
		}
		print out "="
	}'
}

echo "/* Made by tools/embed.sh: edit the files it was made from. */"
echo "#include \"$header\""
for pair in "$@"; do
	name=${pair%%=*}
	files=$(echo "${pair#*=}" | tr ',' ' ')
	# shellcheck disable=SC2086 # a list of files
	if grep -Hn -e ']]>' -e '</script' -e '</style' $files | grep -v '\.html:' >&2; then
		echo "this would end the section it goes into" >&2
		exit 1
	fi
	# shellcheck disable=SC2086
	sed -e 's/^[	 ]*//' -e '/^$/d' -e '/^\/\//d' -e '/^\/\*.*\*\/$/d' \
		-e '/^import .*;$/d' -e '/^import /,/;$/d' -e 's/^export //' $files >"$plain"
	case $function$files in
	yes*.js) sed -i -e '1i (() => {\n"use strict";' -e '$a })();' "$plain" ;;
	esac
	echo
	echo "const char ${name}[] ="
	sed -e 's/[\\"?]/\\&/g' -e 's/^/	"/' -e 's/$/\\n"/' "$plain"
	echo "	;"
	if [ "$sums" ]; then
		echo "const char ${name}_sha256[] = \"$(sha256sum "$plain" | base64_of_hex)\";"
	fi
done
