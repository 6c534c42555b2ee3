#!/bin/bash
# What a command says of itself, its manual page and the completion name the same options.
# Runs beside others.
set -eu
failed=0

# Left of the explanations in --help: "-o FILE, --output FILE".
help_options() {
	"$SINGE" "$1" --help | sed -n 's/^ *\(-.*\)/\1/p' | sed 's/   *.*//' |
		grep -oE '(^|[ ,])--?[A-Za-z][A-Za-z-]*' | tr -d ' ,' | LC_ALL=C sort -u
}

# ".It Fl o Ar file , Fl -output Ar file"
page_options() {
	sed -n 's/^\.It //p' "$1" | grep -oE '(^| )Fl [A-Za-z-]+' | sed 's/.*Fl /-/' | LC_ALL=C sort -u
}

completed() {
	COMP_WORDS=(singe "$@")
	COMP_CWORD=$#
	_singe
	[ "${#COMPREPLY[@]}" -eq 0 ] || printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort -u
}

same() {
	if ! diff "$2" "$3"; then
		echo "FAILED: $1 differ"
		failed=1
	fi
}

singe() {
	"$SINGE" "$@"
}
. "$TOP/contrib/singe.bash"

commands=$("$SINGE" help | sed -n 's/^  \([a-z]*\)  .*/\1/p')
[ -n "$commands" ]
for command in $commands; do
	page=$TOP/doc/man/singe-$command.1
	if [ ! -f "$page" ]; then
		echo "FAILED: $command has no manual page"
		failed=1
		continue
	fi
	[ "$(help_options "$command" | wc -l)" -ge 2 ]
	same "$command: --help (<) and manual page (>)" <(help_options "$command") <(page_options "$page")
	grep -q "^\.It Cm $command\$" "$TOP/doc/man/singe.1" || {
		echo "FAILED: singe.1 does not name $command"
		failed=1
	}
	[ "$command" = flame ] ||
		same "$command: --help (<) and completion (>)" <(help_options "$command") \
			<(completed "$command" -)
done
same "commands (<) and completion (>)" <(printf '%s\n' $commands help | LC_ALL=C sort) \
	<(completed "" | grep -v '^--')

# A completed value must be one that the command takes.
for format in $(completed report -f ""); do
	"$SINGE" report --help | grep -qw -- "$format" || {
		echo "FAILED: report -f $format is completed, but not in --help"
		failed=1
	}
done

# The front door: an unknown word is a usage error with a hint.
status=0
said=$("$SINGE" recrod 2>&1) || status=$?
[ "$status" -eq 2 ] && echo "$said" | grep -q "did you mean 'record'"
status=0
"$SINGE" >/dev/null 2>&1 || status=$?
[ "$status" -eq 2 ]
"$SINGE" --version | grep -qx "singe [0-9.]*"
exit "$failed"
