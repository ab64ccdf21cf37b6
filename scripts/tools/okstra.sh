#!/bin/sh
# okstra TOOL … runs okstra-TOOL …, from the folder of this script or else from PATH.
usage='Usage: okstra TOOL [ARGUMENT…]   (manifest-io, team-state, wrapper-status, dispatch, convergence, discussion)'
self=$0
while [ -L "$self" ]; do # the tools are beside the script, not beside a link to it
  target=$(readlink -- "$self")
  case $target in
  /*) self=$target ;;
  *) self=$(dirname -- "$self")/$target ;;
  esac
done
# As an absolute path: the workers get it, too, and work elsewhere. A colon at its end would be the current directory.
PATH="$(CDPATH='' cd -- "$(dirname -- "$self")" && pwd)${PATH:+:$PATH}"
case ${1-} in
'')
  echo "$usage" >&2
  exit 2
  ;;
-h | --help)
  echo "$usage"
  exit 0
  ;;
--version)
  version=$(okstra-manifest-io --version) && echo "okstra ${version#* }"
  exit
  ;;
esac
tool=okstra-$1
shift
if ! command -v "$tool" >/dev/null; then
  printf 'okstra: error: Cannot run "%s": there is no such tool\nokstra: hint: okstra --help\n' "$tool" >&2
  exit 2
fi
exec "$tool" "$@"
