# SPDX-License-Identifier: Apache-2.0
# Completion of popc, pva and tremula for bash.  Options and sub-commands are those that --help prints, so that no list here can be out of date.
_tremula_complete()
{
    local word=${COMP_WORDS[COMP_CWORD]} help=
    help=$("$1" --help 2>&1)
    if [ "${word#-}" != "$word" ]; then
        mapfile -t COMPREPLY < <(compgen -W "$(printf '%s' "$help" | grep -oE -- '-{1,2}[a-zA-Z][a-zA-Z0-9-]*' | sort -u)" -- "$word")
    elif [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "$(printf '%s' "$help" | sed -nE "s/^ +$1 ([a-z]+).*/\1/p")" -- "$word")
    fi
    [ ${#COMPREPLY[@]} -gt 0 ] || compopt -o default
}
complete -F _tremula_complete popc pva tremula
