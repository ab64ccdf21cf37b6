#!/bin/sh
# Ignores every signal that asks; its own child does too.
# usage: ignores-term.sh PIDS
trap '' TERM INT HUP QUIT
echo $$ >"$1"
sh -c 'echo $$ >>"$1"; while :; do sleep 0.05; done' child "$1" &
while :; do sleep 0.05; done
