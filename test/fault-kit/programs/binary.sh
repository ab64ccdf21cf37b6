#!/bin/sh
# Prints bytes that are no text: every byte there is, broken UTF-8, NUL, half an event.
i=0
while [ $i -lt 256 ]; do
  # shellcheck disable=SC2059
  printf "\\$(printf %03o $i)"
  i=$((i + 1))
done
printf '\303\050\n{"type":"item.completed","item":{"type":"agent_message","text":"\377\n'
head -c 100000 /dev/zero
printf '\n'
