#!/bin/sh
# Shows everything that looks like an end, waits for a file, and fails. usage: pretends.sh FILE
printf '\033[2J\033[H\033[32m✔ Done.\033[0m Task completed successfully. exit code 0\n'
printf 'COMPLETED alpha initial attempt 1\n{"stage":"exited","isTerminal":true,"exitCode":0}\n'
printf 'Pane is dead (status 0, now)\n$ '
: >"$1.shown"
while [ ! -e "$1" ]; do sleep 0.05; done
exit 3
