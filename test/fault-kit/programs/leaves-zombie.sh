#!/bin/sh
# Starts a process that ends at once, and never collects it: a shell that becomes sleep waits for nobody.
# usage: leaves-zombie.sh PID-FILE
true &
echo $! >"$1"
exec sleep 60
