#!/bin/sh
# Adds its attempt to a file, works until another one appears, and leaves its result.
# usage: waits-and-counts.sh GO STARTS RESULT
echo "$OKSTRA_ATTEMPT" >>"$2"
while [ ! -e "$1" ]; do sleep 0.05; done
echo done >"$3"
