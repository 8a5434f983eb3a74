#!/bin/sh
# A bot for @TITLE@ that plays a random legal move. PROTOCOL.md explains the messages.
# A bot may start no processes: this does with what the shell itself can do.
set -f

# Sets move. Begin here: after "view": in $message is what you see.
choose() {
  elements "${message##*'"legal":['}"
  random=$((((seed + ply * 7919) * 1103515245 + 12345) & 2147483647))
  random=$(((random * 1103515245 + 12345) & 2147483647))
  eval "move=\$element_$(((random >> 16) % count))"
}

# Sets number to the digits after a key of the message, nine of them at most.
digits_after() {
  number=${message#*"\"$1\":"}
  number=${number%%[!0-9]*}
  number=${number%"${number#?????????}"}
}

# Cuts the text of a list into element_0, element_1, ... and sets count.
elements() {
  text=$1 count=0 depth=0 element=
  while :; do
    # Up to the next character that matters.
    plain=${text%%[][{\},]*}
    text=${text#"$plain"}
    rest=${text#?}
    mark=${text%"$rest"}
    text=$rest element=$element$plain
    case $depth$mark in
      0, | 0]) eval "element_$count=\$element" && count=$((count + 1)) element= ;;
      *['[{']) depth=$((depth + 1)) element=$element$mark ;;
      *['}]']) depth=$((depth - 1)) element=$element$mark ;;
      *) element=$element$mark ;;
    esac
    [ "$depth$mark" = '0]' ] && [ -z "$element" ] && return
  done
}

# Standard output is the judge's: for anything else use echo ... >&2.
while read -r message; do
  case $message in
    '{"turn"'*)
      digits_after ply
      ply=$number
      choose
      # A line for you, in the replay: add ,"note":"..." behind the move.
      echo "{\"move\":$move}"
      ;;
    '{"end"'*) ;;
    *)
      digits_after seed
      seed=$number
      echo '{"ready":{"legal_moves":true}}'
      ;;
  esac
done
