#!/bin/sh
while read -r line; do
  case $line in
    '{"turn"'*) echo 'I think' ;;
    *) echo '{"ready":{"name":"Mumbler"}}' ;;
  esac
done
