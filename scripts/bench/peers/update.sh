#!/bin/sh
# One change of a document as a careful shell script makes it: FILE KEY VALUE
exec flock -x "$1.lock" sh -c '
  jq --arg key "$2" --arg value "$3" ".revision += 1 | .[\$key] = \$value" "$1" >"$1.$$.tmp" &&
    sync "$1.$$.tmp" && mv "$1.$$.tmp" "$1" && sync "${1%/*}"' sh "$@"
