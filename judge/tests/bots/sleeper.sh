#!/bin/sh
while read -r line; do
  case $line in '{"hello"'*) echo '{"ready":{}}' ;; esac
done
