#!/bin/sh
while read -r line; do
  case $line in
    '{"hello"'* | '{"start"'*) echo '{"ready":{"legal_moves":true}}' ;;
    '{"turn"'*) legal=${line#*'"legal":['} && echo "{\"move\":${legal%%]*}]}" ;;
  esac
done
