#!/bin/sh
# Adds its attempt to a file, works for two seconds, and leaves its result. usage: works-slowly.sh STARTS RESULT
echo "$OKSTRA_ATTEMPT" >>"$1"
sleep 2
echo done >"$2"
