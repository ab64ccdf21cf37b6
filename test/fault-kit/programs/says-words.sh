#!/bin/sh
# Writes its words, each ended by NUL, and then its whole standard input.
# usage: says-words.sh RESULT WORD…
result=$1
shift
{
  [ $# -eq 0 ] || printf '%s\0' "$@"
  printf '%s\0' "$PWD"
  cat
} >"$result"
