#!/bin/sh
# Ends with 0 and leaves something else than a result.
# usage: result.sh KIND RESULT [ELSEWHERE]
case $1 in
  nothing) ;;
  empty) : >"$2" ;;
  directory) mkdir -p "$2/inner" && echo x >"$2/inner/r" ;;
  link-outside) echo x >"$3" && ln -s "$3" "$2" ;;
  link-circle) ln -s "$2" "$2" ;;
  link-nowhere) ln -s nowhere "$2" ;;
  link-old | second-name-old | moved-old | copied-old)
    echo x >"$2.old" && touch -t 200001010000 "$2.old"
    case $1 in
      link-old) ln -s "$2.old" "$2" ;;
      second-name-old) ln "$2.old" "$2" ;;
      moved-old) mv "$2.old" "$2" ;;
      copied-old) cp -p "$2.old" "$2" ;;
    esac
    ;;
  fifo) mkfifo "$2" ;;
  device) ln -s /dev/zero "$2" ;;
  removed) echo x >"$2" && sleep 0.1 && rm "$2" ;;
  emptied) echo x >"$2" && sleep 0.1 && : >"$2" ;;
  touched) touch "$2" ;;
  late) (sleep 600 && echo late >"$2") & ;;
  late-stubborn) (
    trap '' TERM HUP
    i=0
    while [ $i -lt 12000 ]; do sleep 0.05 && i=$((i + 1)); done
    echo late >"$2"
  ) & ;;
  beside) echo x >"$2.md" ;;
  good) echo x >"$2" ;;
esac
