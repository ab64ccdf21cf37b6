#!/bin/sh
# Adds a little to a file, or to its output (-), every 0.4 s for five seconds, and then leaves its result.
# usage: grows.sh FILE|- RESULT
i=0
while [ $i -lt 12 ]; do
  if [ "$1" = - ]; then echo more; else echo more >>"$1"; fi
  sleep 0.4
  i=$((i + 1))
done
echo done >"$2"
