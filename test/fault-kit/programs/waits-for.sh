#!/bin/sh
# Works until a file appears, without a word, and then leaves its result. usage: waits-for.sh FILE RESULT
while [ ! -e "$1" ]; do sleep 0.05; done
[ -z "${2-}" ] || echo done >"$2"
