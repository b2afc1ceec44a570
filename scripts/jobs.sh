# Background jobs of a script: downloads, and the build while its progress is shown. Sourced.
#
#   trap stop_jobs EXIT
#   start_job x_ite need_x_ite     # output goes to $JOBS/x_ite.log, errors to $JOBS/x_ite.err
#   build_targets
#   finish_job x_ite               # waits, and prints the errors
#
# Each job has its own process group, so that Ctrl-C reaches only the script, and stop_jobs reaches
# every process that a job started.
declare -A JOB_PIDS=()
# The job being started. If a signal comes before its pid is in JOB_PIDS, the pid is in $!.
STARTING_JOB=""
JOBS=$(mktemp -d)

# start_job NAME COMMAND...: the command may be a function. Its temporary files are removed with $JOBS.
# POSEWIRE_JOBS is where make.cmake and bundle.cmake note downloads that failed in this run.
start_job() {
  local name=$1
  shift
  : >"$JOBS/$name.log"
  : >"$JOBS/$name.err"
  STARTING_JOB=$name
  set -m
  IN_JOB=yes TMPDIR=$JOBS POSEWIRE_JOBS=$JOBS "$@" </dev/null >"$JOBS/$name.log" 2>"$JOBS/$name.err" &
  JOB_PIDS[$name]=$!
  set +m
  STARTING_JOB=""
}

job_runs() { [ -n "${JOB_PIDS[$1]:-}" ] && kill -0 "${JOB_PIDS[$1]}" 2>/dev/null; }

# wait_job NAME: returns the job's exit code. 0 if there is no such job.
wait_job() {
  local pid=${JOB_PIDS[$1]:-} code=0
  [ -n "$pid" ] || return 0
  wait "$pid" || code=$?
  unset "JOB_PIDS[$1]"
  return "$code"
}

# finish_job NAME: like wait_job. Prints the job's errors and, if it failed, the end of its output.
finish_job() {
  local code=0
  wait_job "$1" || code=$?
  [ "$code" -eq 0 ] || tail -n 30 "$JOBS/$1.log" >&2
  cat "$JOBS/$1.err" >&2
  return "$code"
}

# stop_jobs [NAME...]: ends the named jobs, or all of them. Waits for an apt-get that is installing.
stop_jobs() {
  local name all=("$@")
  [ -z "$STARTING_JOB" ] || JOB_PIDS[$STARTING_JOB]=${!:-}
  [ $# -gt 0 ] || all=("${!JOB_PIDS[@]}")
  for name in "${all[@]}"; do
    [ -z "${JOB_PIDS[$name]:-}" ] || kill -TERM -- "-${JOB_PIDS[$name]}" 2>/dev/null || true
  done
  for name in "${all[@]}"; do wait_job "$name" 2>/dev/null || true; done
  [ $# -gt 0 ] || rm -rf "$JOBS"
}
