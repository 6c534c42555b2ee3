#!/bin/sh
# Turns text files into one C file of string constants.
# Usage: embed.sh NAME=FILE...  -> stdout: const char NAME[] = "...";
# Indentation and lines that hold only a // or /* */ comment are left out, to keep pictures small.
set -eu

echo "/* Made by tools/embed.sh: edit the files it was made from. */"
echo "#include \"output/svg/assets.h\""
for pair in "$@"; do
	name=${pair%%=*}
	file=${pair#*=}
	if grep -q ']]>' "$file"; then
		echo "$file: ']]>' would end the CDATA section it goes into" >&2
		exit 1
	fi
	echo
	echo "const char ${name}[] ="
	sed -e 's/^[	 ]*//' -e '/^$/d' -e '/^\/\//d' -e '/^\/\*.*\*\/$/d' \
		-e 's/[\\"?]/\\&/g' -e 's/^/	"/' -e 's/$/\\n"/' "$file"
	echo "	;"
done
