#!/bin/sh
# Changes a document as a host's own script would, and prints a line for each change: FILE NAME COUNT
set -eu
n=0
while [ "$n" -lt "$3" ]; do
  n=$((n + 1))
  flock -x "$1.lock" sh -c '
    jq --arg mark "$2" ".revision += 1 | .peerMarks += [\$mark]" "$1" >"$1.$$.tmp" &&
      sync "$1.$$.tmp" && mv "$1.$$.tmp" "$1"' sh "$1" "$2 $n"
  echo "$2 $n"
done
