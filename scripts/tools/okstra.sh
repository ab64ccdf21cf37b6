#!/bin/sh
# okstra TOOL … runs okstra-TOOL …, from the folder of this script, or else from PATH or the folder of a link to it.
usage='Usage: okstra TOOL [ARGUMENT…]   (manifest-io, team-state, wrapper-status, dispatch, convergence, discussion)'
folder() { CDPATH='' cd -- "$(dirname -- "$1")" && pwd; }
self=$0 links=
while [ -L "$self" ]; do # the tools are beside the script; npm puts links to them beside that to the script
  links=$links:$(folder "$self")
  target=$(readlink -- "$self")
  case $target in
  /*) self=$target ;;
  *) self=$(dirname -- "$self")/$target ;;
  esac
done
# As an absolute path: the workers get it, too, and work elsewhere. A colon at its end would be the current directory.
PATH="$(folder "$self")${PATH:+:$PATH}$links"
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
