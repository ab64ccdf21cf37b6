#!/bin/sh
# discussion-story.sh cli|native OUT: a whole discussion, with nothing but the six tools and small workers. What each
# step answers goes to OUT, which lies outside of the project, since the project is watched while workers run.
#
# cli: workers are started by okstra-dispatch. native: they are sessions of the host, which this script plays.
# With REPEAT set every command that changes the record is given twice.
set -eu
host=$1 out=$2
task=demo/review/reader
start="--task-key $task --task-type discussion"

get() { okstra-manifest-io get --raw "$@"; }
of() { printf '%s\n' "$1" | get - "$2"; } # DOCUMENT POINTER

# Gives a command of okstra-discussion and keeps its answer as STEP.json.
discuss() { # STEP COMMAND...
  step=$1
  shift
  okstra-discussion "$@" >"$out/$step.json"
  test -z "${REPEAT-}" || okstra-discussion "$@" >"$out/$step-again.json"
}

# Prepares a run with two workers and makes it the one that all commands are about.
prepare() { # WORKER WORKER
  # shellcheck disable=SC2086 # options and their values
  OKSTRA_RUN=$(okstra-manifest-io prepare $start --brief brief.md --backend cli-wrapper \
    --provider-file providers.json --worker "$1" --worker "$2" | get - /runManifestPath)
  export OKSTRA_RUN
  start="--discussion-start $task"
  test "$host" = cli || okstra-manifest-io update run-manifest "$OKSTRA_RUN" --merge "$(
    printf '{"invocationAssignments":{"initial/%s":{"runner":"%s"},"initial/%s":{"runner":"%s"}}}' \
      "$1" native-session "$2" native-session
  )" >&2
}

# Has the invocations of a batch done. Afterwards $answers are the options that tell what became of them.
dispatch() { # BATCH
  if [ "$host" = cli ]; then
    okstra-dispatch run --parallel 1 --batch "$1" >"$out/await.json" || [ $? -eq 1 ]
    answers="--await $out/await.json"
    return
  fi
  okstra-manifest-io prompt materialize --batch "$1" >"$out/prompts.json"
  answers='' index=0
  while place=/invocations/$index && id=$(get "$out/prompts.json" "$place/invocationId" 2>/dev/null); do
    worker=$(get "$out/prompts.json" "$place/workerId")
    result=$(get "$out/prompts.json" "$place/workerResultPath")
    okstra-team-state ledger record --enforcement host-native-spec-link-gate \
      --metadata "$(get "$out/prompts.json" "$place/metadataPath")" >&2
    if OKSTRA_WORKER_RESULT_PATH=$result discussion-worker.mjs "$worker" 2>"$out/worker.log" \
      <"$(get "$out/prompts.json" "$place/promptPath")"; then
      okstra-team-state result link --dispatch-id "$id:attempt-1" --result "$result" >&2
      answers="$answers --dispatch $worker=completed:0 --result $worker=$result"
    else
      okstra-manifest-io attempt finish --invocation "$id" --status error >&2
      answers="$answers --dispatch $worker=error:0"
    fi
    index=$((index + 1))
  done
}

# Takes the findings of the run's cycle through the rounds of verification, and closes the cycle.
converge() { # STEP
  okstra-convergence collect-findings >&2
  okstra-convergence seed >&2
  for mode in adversarial collaborative; do
    plan=$(okstra-convergence plan-round)
    test "$(of "$plan" /action)" = planned || break
    dispatch "$(okstra-convergence prompts --mode "$mode" | get - /batchPath)"
    # shellcheck disable=SC2086 # options and their values
    okstra-convergence collect-results --mode "$mode" $answers >&2
    okstra-convergence apply-round >&2
  done
  okstra-convergence finalize >&2
  discuss "$1" cycle-close
}

# --- The first run: a worker fails, and the user has it replaced -----------------------------------------

prepare alpha beta
discuss subject confirm-subject --subject 'The reader' --question 'Does it keep every line?'
discuss alternative add-material --kind alternative --text 'Write the reader anew' --location src/reader.txt
discuss first-open cycle-open
dispatch "$(get "$out/first-open.json" /batchPath)"
discuss first-settle settle
discuss first-wait cycle-open
discuss replace recover --failure "$(get "$out/first-settle.json" /failures/0/recordId)" --choice replace
discuss first-end cycle-open

# --- The second run: a claim is contested, the workers ask and are asked ---------------------------------

prepare alpha gamma
discuss second-open cycle-open
dispatch "$(get "$out/second-open.json" /batchPath)"
discuss second-settle settle
discuss asked collect-questions
converge second-close
discuss options cycle-open
discuss address address --to gamma --text 'Why do you refute it?'
discuss answer answer --question "$(get "$out/asked.json" /nextForUser)" --text 'Yes, by two customers'
question=$(get "$out/address.json" /record/recordId)
discuss prompt question-prompt --question "$question"
dispatch "$(get "$out/prompt.json" /batchPath)"
discuss told collect-answer --question "$question"
discuss second-end cycle-open

# --- The third run: research on what is new, a decision, completion --------------------------------------

prepare alpha gamma
discuss third-open cycle-open
dispatch "$(get "$out/third-open.json" /batchPath)"
discuss third-settle settle
converge third-close
discuss decision decide --text 'The last line stays' \
  --settles "$(get "$out/second-close.json" /remainingDisagreements/0/recordId)" --settles M-0001
discuss completed complete --draft-version "$(okstra-discussion status | get - /draftVersion)"
discuss end cycle-open
if okstra-discussion add-material --kind evidence --text late 2>"$out/refused.txt"; then exit 9; fi

# --- Opened again: another decision, a second revision ---------------------------------------------------

discuss reopen reopen --reason 'A customer left'
discuss second-decision decide --text 'The old format goes'
discuss completed-again complete --draft-version "$(okstra-discussion status | get - /draftVersion)"

okstra-discussion status >"$out/status.json"
okstra-discussion verify >"$out/verify.json"
okstra-discussion replay >"$out/replay.json"
okstra-discussion log >"$out/log.jsonl"
okstra-discussion show >"$out/show.md"
okstra-discussion show --format html >"$out/show.html"
