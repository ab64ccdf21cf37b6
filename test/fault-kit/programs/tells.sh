#!/bin/sh
# Says one line, leaves a file, and ends with 0. usage: tells.sh LINE RESULT [STATUS]
echo "$1"
echo 'API Error: 401' >"$2"
exit "${3-0}"
