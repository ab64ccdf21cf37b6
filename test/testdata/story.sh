#!/bin/sh
# One whole discussion run, as the command reference tells it. One worker at a time, so that two runs of
# it write the same bytes.
set -eu
OKSTRA_RUN="$(okstra-manifest-io prepare --task-key demo/review/src --task-type discussion --brief brief.md --backend cli-wrapper \
  --provider-file providers.json --worker alpha,provider=lint-a --worker beta,provider=lint-b | okstra-manifest-io get --raw - /runManifestPath)"
export OKSTRA_RUN
okstra-discussion confirm-subject --subject src --question 'Which faults does src hold?' >&2
okstra-discussion cycle-open >open.json
test "$(okstra-manifest-io get --raw open.json /action)" = dispatch
okstra-dispatch run --parallel 1 --batch "$(okstra-manifest-io get --raw open.json /batchPath)" >&2 || :
okstra-discussion settle >&2
okstra-convergence collect-findings >&2 && okstra-convergence seed >&2
for mode in adversarial collaborative; do
  okstra-convergence plan-round >plan.json
  test "$(okstra-manifest-io get --raw plan.json /action)" = planned || break
  okstra-convergence prompts --mode "$mode" >prompts.json
  okstra-dispatch run --parallel 1 --batch "$(okstra-manifest-io get --raw prompts.json /batchPath)" >await.json || :
  okstra-convergence collect-results --mode "$mode" --await await.json >&2
  okstra-convergence apply-round >&2
done
okstra-convergence finalize >&2
okstra-discussion cycle-close >&2
okstra-discussion complete --draft-version "$(okstra-discussion status | okstra-manifest-io get --raw - /draftVersion)"
