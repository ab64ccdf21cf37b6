#!/bin/sh
# Starts COUNT processes, some in sessions of their own, and ends at once.
# usage: forks.sh COUNT PIDS
i=0
while [ $i -lt "$1" ]; do
  case $((i % 3)) in
    0) sleep 60 & ;;
    1) setsid sleep 60 & ;;
    2) (sleep 60 &) ;;
  esac
  i=$((i + 1))
done
