#!/bin/sh
# Says nothing and does nothing, from the beginning or after a first word. usage: hangs.sh [WORD]
[ -z "${1-}" ] || echo "$1"
exec sleep 600
