#!/bin/sh
# Prints BYTES bytes as fast as it can: one line without end, plain lines, or lines that are events. Then it says
# that its key is wrong, as codex does.
# usage: flood.sh endless|lines|events BYTES
case $1 in
  endless) head -c "$2" /dev/zero | tr '\0' x ;;
  lines) yes 'not an event, and there are many of these' | head -c "$2" ;;
  events) yes '{"type":"item.completed","item":{"id":"i","type":"command_execution","aggregated_output":"and so on"}}' |
    head -c "$2" ;;
esac
printf '\n{"type":"turn.failed","error":{"message":"unexpected status 401 Unauthorized"}}\n'
exit 1
