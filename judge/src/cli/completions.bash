# What clap prints takes words as they stand in the line, and inserts names as they are. A name may
# be a stranger's, with blanks and signs that bash obeys: so words lose their quotes before they are
# completed, and what is inserted gets its own.
_judge_unquoted() {
    IFS= read -d '' REPLY <<<"$1" || REPLY=${REPLY%$'\n'}
}
_judge_quoted() {
    local open= index word sign REPLY globs=1
    local line=${COMP_WORDS[COMP_CWORD]-}
    [[ $line == [\"\']* ]] && open=${line:0:1}
    local -a COMP_WORDS=("${COMP_WORDS[@]}")
    for index in "${!COMP_WORDS[@]}"; do
        word=${COMP_WORDS[index]}
        case $word in
            \'*) word=${word#\'} word=${word%\'} ;;
            \"*) word=${word#\"} word=${word%\"} ;;
            *\\*) _judge_unquoted "$word" && word=$REPLY ;;
        esac
        COMP_WORDS[index]=$word
    done
    word=$2
    [[ -z $open && $word == *\\* ]] && _judge_unquoted "$word" && word=$REPLY
    # A star in a name is no pattern.
    [[ $- == *f* ]] && globs=
    set -f
    _clap_complete_judge "$1" "$word" "$3"
    [[ $globs ]] && set +f
    for index in "${!COMPREPLY[@]}"; do
        word=${COMPREPLY[index]}
        case $open in
            "'") word=${word//"'"/"'\\''"} ;;
            '"')
                line=$word word=
                while [[ $line ]]; do
                    sign=${line:0:1} line=${line:1}
                    [[ $sign == [\"\$\`\\!] ]] && sign="\"\\$sign\""
                    word+=$sign
                done
                ;;
            *) [[ $word ]] && printf -v word %q "$word" ;;
        esac
        COMPREPLY[index]=$word
    done
}
complete -o nospace -o bashdefault -o nosort -F _judge_quoted judge
