/**
 * The guard: a POSIX shell script beside an attended command that ends its tree where whoever attends it is gone without a word, as
 * by `kill -9`, or has nothing more to do. It reads from a pipe that only that process holds: `first PID START`, then the pipe's end.
 */
import { ATTENDED_VARIABLE, GUARD_VARIABLE } from './tree.ts';

/** Argument: the grace in tenths of a second. The mark is in its environment, and never a word of a process: anybody may read those. */
export const GUARD = `
tenths=$1
# What is the command's, by pid and start time: a pid may become somebody else's.
seen=' '
# Whoever ends the whole tree that this is in means the command: this goes when that is gone.
trap '' TERM INT HUP
while read -r word pid start; do
  [ "$word" != first ] || seen=" $pid:$start "
done

marked() {
  printf '%s\\n' "${ATTENDED_VARIABLE}=$${GUARD_VARIABLE}" |
    grep -lszxF -f - /proc/[0-9]*/environ |
    while IFS=/ read -r _ _ pid _; do echo "$pid"; done
}
# All that live, as pid:parent:start.
living() {
  sed -n 's/^\\([0-9]*\\) (.*) [^ZX] \\([0-9]*\\) \\([-0-9]* \\)\\{17\\}\\([0-9]*\\) .*/\\1:\\2:\\4/p' /proc/[0-9]*/stat
}
# What carries the mark, what was seen before, and whatever is below these, until nothing is added.
look() {
  pids=" $(marked | tr '\\n' ' ')"
  rows=$(living)
  grown=1
  while [ -n "$grown" ]; do
    grown=
    for row in $rows; do
      pid=\${row%%:*} start=\${row##*:} parent=\${row#*:}
      case $pids in *" $pid "*) continue ;; esac
      case "$seen|$pids" in *" $pid:$start "*"|"* | *"|"*" \${parent%:*} "*) pids="$pids$pid " grown=1 ;; esac
    done
  done
  found=
  for row in $rows; do
    pid=\${row%%:*} start=\${row##*:}
    case $pids in *" $pid "*) found="$found $pid" ;; *) continue ;; esac
    case $seen in *" $pid:$start "*) ;; *) seen="$seen$pid:$start " ;; esac
  done
}

look
if [ -n "$found" ]; then
  kill -TERM $found
  kill -CONT $found
fi
round=0
while [ -n "$found" ] && [ $round -lt "$tenths" ]; do
  sleep 0.1
  round=$((round + 1))
  look
done
round=0 empty=0
while [ $empty -lt 3 ] && [ $round -lt 100 ]; do
  look
  round=$((round + 1)) empty=$((empty + 1))
  if [ -n "$found" ]; then
    empty=0
    kill -STOP $found
    kill -KILL $found
  fi
  sleep 0.05
done
`;
