#!/bin/sh
# Talks without end and gets nowhere.
while :; do
  echo '{"type":"step_finish","sessionID":"s","part":{"reason":"unknown"}}'
  sleep 0.02
done
