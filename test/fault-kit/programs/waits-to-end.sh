#!/bin/sh
# Works until a file appears, and ends with a status and no result. usage: waits-to-end.sh FILE STATUS
while [ ! -e "$1" ]; do sleep 0.05; done
exit "$2"
