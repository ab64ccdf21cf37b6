#!/bin/sh
# A convergence from the four examples alone: every kind goes through the command that it feeds, in one pipeline.
set -eu
OKSTRA_RUN="$(echo 'Look at the record files.' | okstra-manifest-io prepare --task-key example/group/task --task-type discussion \
  --brief - --backend cli-wrapper --worker claude --worker codex | okstra-manifest-io get --raw - /runManifestPath)"
export OKSTRA_RUN
example() { okstra-convergence example --kind "$1"; }
repeat() { # every step may be repeated, and says the same the second time
  if test "$2" = -; then
    example "$3" >input.json
    "$1" <input.json >first.json && "$1" <input.json >second.json
  else
    "$1" >first.json && "$1" >second.json
  fi
  cat first.json
}
seed() { okstra-convergence seed --groups -; }
plan() { okstra-convergence plan-round; }
apply() { okstra-convergence apply-round --results -; }
cover() { okstra-convergence apply-critic-gaps --results -; }
finalize() { okstra-convergence finalize; }

repeat seed - groups
repeat plan .
repeat apply - round-results
if example critic-results | okstra-convergence apply-critic-gaps --results - 2>critic.txt; then exit 1; fi
repeat cover - coverage-batch
repeat finalize .
okstra-convergence validate
okstra-convergence replay
for format in json text markdown html; do okstra-convergence report --format "$format" >"report.$format"; done
okstra-convergence status
