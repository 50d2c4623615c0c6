/**
 * The supervisor: a POSIX shell script, one process per run, that outlives the app. It claims the run, starts its first
 * process, waits for it, ends what that left behind, and records the exit. The app only ever learns of a run from the records.
 *
 * The texts are handed to `sh -c`, because a shell reads a script file while it runs it. The program's words come as
 * arguments, never as text of a script. Environment values come through a pipe: other users can read arguments.
 */

/** Shared by the supervisor and by the first process of a pid namespace. */
const FUNCTIONS = `
# Where /proc is a pid namespace's own, $proc leads to the one outside it: pids are recorded as the app sees them.
identity() {
  read -r stat <"$proc/self/stat"
  pid=\${stat%% *}
  set -- \${stat##*) }
  start=\${20}
}
# A hard link fails where the name exists: whoever comes first owns the record. On a full disk there is none.
record() {
  printf '%s\\npid %s\\nstart %s\\nboot %s\\nend\\n' "$2" "$pid" "$start" "$boot" >"$dir/$1.$pid" &&
    ln "$dir/$1.$pid" "$dir/$1" 2>/dev/null
}
# A shell's wait says 128+n both for a death by signal n and for an exit with that number. Some shells (dash) also name the
# signal on stderr, all but INT and PIPE: where that was seen to work, $tells is 1 and silence means an exit. But dash (from 0.5.11 on)
# also reaps after each of its own commands, and then names no signal: no command comes between a first process's start and its
# first wait, whose $status is known here. What is said goes to descriptor 7; appended, for a namespace and its supervisor share the file.
await() {
  # A trap interrupts wait, which is no end.
  while kill -0 "$first" 2>/dev/null; do
    wait "$first" 2>&7
    status=$?
  done
  # The child may have been reaped in the very moment that the trap interrupted: then its own status is yet to be asked for.
  wait "$first" 2>&7
  own=$?
  [ "$own" = 127 ] || status=$own
  exec 7>&-
}
ended() {
  how=unknown
  [ "$tells" = 1 ] && [ "$status" != 130 ] && [ "$status" != 141 ] && [ ! -s "$dir/how" ] && how=exited
  reason=
  [ "$status" != 137 ] || [ "$how" = exited ] || ! ran_out || reason=out_of_memory
  printf 'status %s\\nhow %s\\nat %s\\nreason %s\\nend\\n' "$status" "$how" "$1" "$reason" >"$dir/ended"
}
# The kernel counts in a control group what it killed there for want of memory, where the memory controller is to be had.
ran_out() {
  [ -n "$group" ] && [ -r "$group/memory.events" ] || return 1
  while read -r key value; do
    case $key in oom_kill | oom_group_kill) [ "$value" = 0 ] || return 0 ;; esac
  done <"$group/memory.events"
  return 1
}
# Whoever was to note the end may have been killed before its last line.
noted() {
  last=
  [ ! -e "$dir/ended" ] || while read -r line; do last=$line; done <"$dir/ended"
  [ "$last" = end ]
}
# Where somebody else has the record a cancel was first, and the program never begins: 143 is what TERM would have left. Where nobody
# has, as on a full disk, it does not begin either, and no exit may be told of it.
unrecorded() {
  [ -e "$dir/work" ] || exit 143
  tells=0 status=143
  ended "$(date +%s%N)"
  exit 143
}
`;

/** Runs as the account of the run: takes its environment from descriptor 3, goes to its directory, becomes the program. */
const LAUNCH = `
cwd=$1
shift
eval "$(cat <&3)"
exec 3<&-
cd -P -- "$cwd" && [ "$PWD" = "$cwd" ] || { echo "standdown: can't enter $cwd" >&2; exit 126; }
unset OLDPWD
exec "$@"
`;

/**
 * Copies stdin to the log: the first third of the limit is kept, and the last two. dd writes what it has read at once, reads
 * no further than it was told, and so loses nothing where the file changes. A full disk must not stop the program: then
 * the output is read and dropped.
 */
const COPY = `
trap '' TERM INT HUP
dir=$1 segment=$2 block=$3 reads=$4
while out=$(LC_ALL=C dd bs="$block" count="$reads" 2>&1 >>"$dir/log"); do
  # "F+P records in", perhaps after a warning: fewer than asked for means the end.
  full=\${out%%+*} partial=\${out#*+}
  full=\${full##*[!0-9]} partial=\${partial%%[!0-9]*}
  [ $((full + partial)) -lt "$reads" ] && { : >"$dir/drained"; exit; }
  [ "$(wc -c <"$dir/log")" -lt "$segment" ] && continue
  if [ ! -e "$dir/log.head" ]; then
    mv "$dir/log" "$dir/log.head"
  else
    [ ! -e "$dir/log.previous" ] || : >"$dir/log.gap"
    mv "$dir/log" "$dir/log.previous"
  fi
done
cat >/dev/null
: >"$dir/drained"
`;

/**
 * The first process of a pid namespace: it must reap, and does so whenever it waits. TERM is set to be handed on before the record
 * that makes it known; without a handler the kernel would drop it. Its end takes the whole namespace along.
 */
const FIRST_IN_NAMESPACE = `
trap 'termed=1; kill -TERM -1 2>/dev/null; kill -CONT -1 2>/dev/null' TERM
dir=$1 boot=$2 tells=$3 launch=$4 cwd=$5 become=$6 group=
shift 6
exec 3<&0 </dev/null 2>&8 8>&-
proc=/proc/self/fd/9
termed=
${FUNCTIONS}
identity || exit 1
record work 'by namespace' || unrecorded
exec 9<&- 7>>"$dir/how"
# A TERM that came before there was a process to hand it on to ends that one before it is the program.
work() {
  [ -z "$termed" ] || exec sh -c 'kill -TERM "$$"'
  exec setsid $become sh -c "$launch" standdown-launch "$cwd" "$@"
}
work "$@" 7>&- & wait "$!" 2>&7
status=$? first=$!
exec 3<&-
await
# A wait that TERM interrupts may reap without a word: 143 then is no sign of an exit with that number.
[ -z "$termed" ] || [ "$status" != 143 ] || tells=0
kill -KILL -1 2>/dev/null
ended "$(date +%s%N)"
`;

export const SUPERVISOR = `
dir=$1 run=$2 level=$3 group=$4 cwd=$5 become=$6 owner=$7 tells=$8 namespace=$9
shift 9
segment=$1 block=$2 reads=$3 copy=$4 launch=$5 init=$6
shift 6
proc=/proc
# Handlers, not "ignore": an ignored signal would stay ignored in the program.
trap : TERM INT HUP PIPE
env=$(cat <&3)
exec 3<&-
# The app died while it was telling: nothing is claimed, it can be started again.
case $env in *"#end $run") ;; *) exit 3 ;; esac
${FUNCTIONS}
read -r boot </proc/sys/kernel/random/boot_id
identity
record claim "by supervisor
level $level
at $(date +%s%N)
cgroup $group" || { rm -f "$dir/claim.$pid"; exit 4; }
sync "$dir/claim" "$dir" 2>/dev/null
echo claimed
exec >/dev/null

# Descriptor 4 holds the pipe open both ways while its two ends are taken, so that neither waits for the other. Named, and
# given to the account of the run, so that a program may open /dev/stdout again.
mkfifo -m 600 "$dir/output"
[ -z "$owner" ] || chown "$owner" "$dir/output"
exec 4<>"$dir/output" 5<"$dir/output" 6>"$dir/output" 4>&-
rm -f "$dir/output"
: >"$dir/log"
setsid sh -c "$copy" standdown-log "$dir" "$segment" "$block" "$reads" <&5 5<&- 6>&- 2>/dev/null &
copier=$!

work() {
  exec 3<&0 </dev/null
  [ -z "$group" ] || echo 0 >"$group/cgroup.procs" || exit 1
  identity
  record work 'by program' || unrecorded
  exec setsid $become sh -c "$launch" standdown-launch "$cwd" "$@"
}
# unshare complains when its child is killed: not in the program's log.
namespace() {
  exec 8>&2 2>>"$dir/supervisor.log" 9</proc
  exec unshare $namespace sh -c "$init" standdown-init "$dir" "$boot" "$tells" "$launch" "$cwd" "$become" "$@"
}
# The copier has its end. The other one is held until the first process has ended: the log is complete no sooner anyway.
exec 5<&- 7>>"$dir/how"
if [ "$level" = pidns ]; then
  printf '%s\\n' "$env" | namespace "$@" >&6 2>&1 6>&- 7>&- & wait "$!" 2>&7
else
  printf '%s\\n' "$env" | work "$@" >&6 2>&1 6>&- 7>&- & wait "$!" 2>&7
fi
status=$? first=$!
exec 6>&-
await
# Without the record of a first process the program never began, and no exit may be told: the log says what was wrong. A
# namespace records its exit itself, unless it was killed: only KILL can do that, and unshare's own status doesn't say so.
if [ ! -e "$dir/work" ]; then
  cat "$dir/supervisor.log" >>"$dir/log"
elif ! noted; then
  [ "$level" != pidns ] || tells=0 status=137
  ended "$(date +%s%N)"
fi

# What the first process left behind ends with it. A pid namespace did that by itself.
populated() {
  while read -r key value; do
    [ "$key $value" != 'populated 1' ] || return 0
  done <"$group/cgroup.events"
  return 1
}
end_group() {
  round=0
  while populated && [ $round -lt 200 ]; do
    echo 1 >"$group/cgroup.kill"
    sleep 0.01
    round=$((round + 1))
  done
  rmdir "$group" 2>/dev/null || find "$group" -depth -type d -exec rmdir {} + 2>/dev/null
  # The last one takes the groups' own group along: the app may be gone.
  rmdir "\${group%/*}" 2>/dev/null
}
leftovers() {
  {
    grep -lszxF -- "STANDDOWN_RUN_RECORDS=$dir" /proc/[0-9]*/environ
    [ -z "$leader" ] || grep -lsE "\\) [^ZX] [0-9]+ ($leader [0-9]+|[0-9]+ $leader) " /proc/[0-9]*/stat
  } | while IFS=/ read -r _ _ pid _; do echo "$pid"; done
}
end_leftovers() {
  leader=
  while read -r key value; do
    [ "$key" != pid ] || leader=$value
  done <"$dir/work"
  round=0 empty=0
  while [ $empty -lt 3 ] && [ $round -lt 40 ]; do
    pids=$(leftovers)
    round=$((round + 1)) empty=$((empty + 1))
    if [ -n "$pids" ]; then
      empty=0
      kill -STOP $pids 2>/dev/null
      kill -KILL $pids 2>/dev/null
    fi
  done
}
case $level in
  cgroup) end_group ;;
  scan) [ ! -e "$dir/work" ] || end_leftovers ;;
esac 2>/dev/null

# The last lines are in the log before the exit is told. Somebody outside may hold the pipe: not for ever.
round=0
while [ ! -e "$dir/drained" ] && [ $round -lt 100 ]; do
  sleep 0.01
  round=$((round + 1))
done
[ -e "$dir/drained" ] || kill -KILL "-$copier" 2>/dev/null
if noted; then
  sync "$dir/ended" 2>/dev/null
  mv "$dir/ended" "$dir/exit"
  sync "$dir" 2>/dev/null
fi
rm -f "$dir"/claim.* "$dir"/work.* "$dir/how" "$dir/drained"
`;

/** Texts that the supervisor hands on, in the order of its arguments. */
export const HANDED_ON: readonly string[] = [COPY, LAUNCH, FIRST_IN_NAMESPACE];

/** What the supervisor can't do without; `sync FILE` is used where it is known. */
export const NEEDED_TOOLS = [
  'sh',
  'cat',
  'date',
  'dd',
  'grep',
  'ln',
  'mkfifo',
  'mv',
  'rm',
  'setsid',
  'sleep',
  'wc',
] as const;
