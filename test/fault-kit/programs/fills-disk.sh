#!/bin/sh
# Writes until the disk is full: into a file, or into its output.
# usage: fills-disk.sh FILE|output [RESULT]
if [ "$1" = output ]; then yes 'more and more' 2>/dev/null; else yes 'more and more' >"$1" 2>/dev/null; fi
# What was asked for finds no place any more.
if [ -n "${2-}" ]; then
  echo 'the whole result' >"$2" 2>/dev/null
  exit 0
fi
exit 1
