/**
 * The guard: a POSIX shell script beside an attended command that ends its tree where whoever attends it is gone without a word, as
 * by `kill -9`, or has nothing more to do. It reads from a pipe that only that process holds: `first PID START`, then the pipe's end.
 */

/** Arguments: `NAME=MARK` as processes carry it, and the grace in tenths of a second. */
export const GUARD = `
carried=$1 tenths=$2
first=- start=-
# Whoever ends the whole tree that this is in means the command: this goes when that is gone.
trap '' TERM INT HUP
while read -r word pid since; do
  [ "$word" != first ] || first=$pid start=$since
done

# A pid is the command's only while its start time is the one that was told.
led() {
  read -r stat 2>/dev/null <"/proc/$first/stat" || return 1
  set -- \${stat##*) }
  [ "\${20}" = "$start" ]
}
marked() {
  grep -lszxF -- "$carried" /proc/[0-9]*/environ | while IFS=/ read -r _ _ pid _; do echo "$pid"; done
}
# Pids and parents of all that live, then whatever is below those that are known, until nothing is added.
look() {
  pids=" $(marked | tr '\\n' ' ')"
  if led; then pids="$pids$first "; fi
  pairs=$(sed -n 's/^\\([0-9]*\\) (.*) [^ZX] \\([0-9]*\\) .*/\\1:\\2/p' /proc/[0-9]*/stat)
  grown=1
  while [ -n "$grown" ]; do
    grown=
    for pair in $pairs; do
      case $pids in *" \${pair%:*} "*) continue ;; esac
      case $pids in *" \${pair#*:} "*) pids="$pids\${pair%:*} " grown=1 ;; esac
    done
  done
  found=
  for pair in $pairs; do
    case $pids in *" \${pair%:*} "*) found="$found \${pair%:*}" ;; esac
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
