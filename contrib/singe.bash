# bash completion for singe. Commands and options are what `singe help` says, so that this file knows
# none by heart; values are completed where there are few.
# shellcheck shell=bash

_singe_commands() {
	"$1" help 2>/dev/null | sed -n 's/^  \([a-z][a-z-]*\)  *.*/\1/p'
}

# Option words of a command's --help: what stands left of the explanations.
_singe_options() {
	"$1" "$2" --help 2>/dev/null | sed -n 's/^ *\(-.*\)/\1/p' | sed 's/   *.*//' |
		grep -oE '(^|[ ,])--?[A-Za-z][A-Za-z-]*' | tr -d ' ,'
}

_singe_values() {
	case $1 in
	-p | --pid) for pid in /proc/[0-9]*; do echo "${pid##*/}"; done ;;
	-g | --call-graph) echo fp dwarf auto none ;;
	-e | --event) echo cycles cpu-clock task-clock page-faults ;;
	--attach) echo auto threads system ;;
	--unwinder) echo rows libunwind ;;
	-f | --format)
		if [ "$2" = diff ]; then
			echo text svg html difffolded json
		else
			echo folded svg html text tree pprof firefox speedscope callgrind perf-script json
		fi
		;;
	--normalize) echo samples time ;;
	--by) echo comm pid tid cpu origin none ;;
	--compress) echo none zlib zstd ;;
	--dump) echo records samples maps stacks frames ;;
	--weight) echo samples period ;;
	--templates) echo short full ;;
	*) return 1 ;;
	esac
}

_singe() {
	local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
	local singe=${COMP_WORDS[0]} command=${COMP_WORDS[1]} words=

	COMPREPLY=()
	if [ "$COMP_CWORD" -eq 1 ] || { [ "$COMP_CWORD" -eq 2 ] && [ "$command" = help ]; }; then
		words="$(_singe_commands "$singe") help --version"
	elif words=$(_singe_values "$previous" "$command"); then
		:
	elif [ "${word:0:1}" = - ]; then
		words=$(_singe_options "$singe" "$command")
		[ "$command" != flame ] || words+=" $(_singe_options "$singe" record)"
	else
		return # a file: bash's own completion
	fi
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}

complete -o default -F _singe singe
