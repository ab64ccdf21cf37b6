#!/bin/sh
# Adds its attempt to a file, and ends with 0; with a result only where that is named.
# usage: counts-starts.sh FILE [RESULT]
echo "$OKSTRA_ATTEMPT" >>"$1"
[ -z "${2-}" ] || echo done >"$2"
