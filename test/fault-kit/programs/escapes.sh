#!/bin/sh
# Prints what takes a terminal over: title, colours, cleared screen, alternate screen, clipboard, a link, a bidi override;
# and the same within an event.
printf '\033]0;stolen\007\033[31mred\033[0m\033[2J\033[?1049h\033]52;c;c3RvbGVu\007\033]8;;http://x/\033\\link\n'
printf 'a\342\200\256b\r\bc\n'
printf '{"type":"item.completed","item":{"type":"agent_message","text":"\\u001b]0;stolen\\u0007 said"}}\n'
printf '{"type":"turn.failed","error":{"message":"\\u001b[2J\\u001b]52;c;c3RvbGVu\\u0007 status 401"}}\n'
exit 1
