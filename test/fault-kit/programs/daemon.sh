#!/bin/sh
# Becomes a daemon by the book: two forks, a session of its own, another directory, streams closed or kept.
# usage: daemon.sh PIDS closed|kept [stubborn]; the parent ends when the daemon runs
daemon='cd / && umask 0
  if [ "$2" = closed ]; then exec </dev/null >/dev/null 2>&1; fi
  if [ "${3-}" = stubborn ]; then trap "" TERM HUP; fi
  echo $$ >>"$1"
  while :; do sleep 0.05; done'
setsid sh -c 'sh -c "$0" daemon "$@" &' "$daemon" "$@" &
while [ ! -s "$1" ]; do sleep 0.01; done
