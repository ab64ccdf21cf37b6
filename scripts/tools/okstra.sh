#!/bin/sh
# okstra TOOL … runs okstra-TOOL …, from the folder of this script or else from PATH.
if [ $# -eq 0 ]; then
  echo 'Usage: okstra TOOL [ARGUMENT…]   (manifest-io, team-state, wrapper-status, dispatch, convergence, discussion)' >&2
  exit 2
fi
PATH="$(dirname -- "$0"):$PATH"
tool=okstra-$1
shift
if ! command -v "$tool" >/dev/null; then
  printf 'okstra: error: Cannot run "%s": there is no such tool\nokstra: hint: okstra manifest-io --help\n' "$tool" >&2
  exit 2
fi
exec "$tool" "$@"
