#!/bin/sh
# Does what it is asked for: reads its prompt and writes it. usage: works.sh RESULT
cat >"$1"
