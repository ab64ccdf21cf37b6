#!/bin/sh
# Writes how many bytes its standard input has, once that has ended. usage: counts-input.sh RESULT
wc -c >"$1"
