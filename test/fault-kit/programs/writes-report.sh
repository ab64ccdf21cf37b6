#!/bin/sh
# Writes one text into every file that has to be there. usage: writes-report.sh TEXT
printf '%s\n' "$OKSTRA_COMPLETION_PATHS" | tr -d '[]"' | tr ',' '\n' | while read -r path; do
  printf '%s\n' "$1" >"$path"
done
