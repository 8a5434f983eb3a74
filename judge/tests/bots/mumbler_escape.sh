#!/bin/sh
while read -r line; do
  case $line in
    '{"turn"'*) printf '<\033&\n' ;;
    *) echo '{"ready":{}}' ;;
  esac
done
