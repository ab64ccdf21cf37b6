#!/bin/sh
# Starts COUNT processes, some in sessions of their own, and ends at once.
# usage: forks.sh COUNT PIDS
i=0
while [ $i -lt "$1" ]; do
  case $((i % 3)) in
    0) sleep 600 & ;;
    1) setsid sleep 600 & ;;
    2) (sleep 600 &) ;;
  esac
  i=$((i + 1))
done
