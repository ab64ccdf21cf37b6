#!/bin/sh
# Waits for what comes out of a named pipe, as one process that starts no other, and makes it the result.
# usage: reads-pipe.sh PIPE RESULT
exec cat "$1" >"$2"
