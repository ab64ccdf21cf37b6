#!/bin/sh
# Leaves a result in its first attempt and fails; leaves nothing in its second one and ends with 0.
# usage: second-is-empty.sh RESULT
[ "$OKSTRA_ATTEMPT" = 1 ] || exit 0
echo "of attempt $OKSTRA_ATTEMPT" >"$1"
exit 3
