#!/bin/sh
# Runs a command with a small disk at DISK, that only it sees, and keeps in LEFT what it leaves there.
# usage: on-small-disk.sh DISK LEFT COMMAND…
disk=$1 left=$2
shift 2
mount -t tmpfs -o size=2m tmpfs "$disk" || exit 99
cd "$disk" || exit 99
echo 'Work.' >prompt.md
"$@"
status=$?
cp prompt.md.status.json "$left/"
head -c 1000 prompt.md.log >"$left/log"
ls -A >"$left/names"
exit $status
