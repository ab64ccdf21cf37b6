#!/bin/sh
# Starts a process that ends, and never collects it: a shell that becomes sleep waits for nobody. The child ends only
# after that, since a shell may collect it.
# usage: leaves-zombie.sh PID-FILE
sh -c 'until [ "$(cat "/proc/$PPID/comm")" = sleep ]; do :; done' &
echo $! >"$1.new"
mv "$1.new" "$1"
exec sleep 600
