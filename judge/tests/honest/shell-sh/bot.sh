#!/bin/sh
while read -r line; do
  echo "reading $line" >/dev/stderr
  case $line in
    '{"turn"'*) legal=${line#*'"legal":['} && echo "{\"move\":${legal%%[],]*}}" ;;
    '{"end"'*) ;;
    *) echo '{"ready":{"legal_moves":true}}' ;;
  esac
done
