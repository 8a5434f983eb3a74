#!/bin/sh
while read -r line; do
  case $line in
    '{"hello"'* | '{"start"'*) echo '{"ready":{"legal_moves":true}}' ;;
    '{"turn"'*) last=${line##*'['} && echo "{\"move\":[${last%%]*}]}" ;;
  esac
done
