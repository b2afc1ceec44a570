# One line of progress for a whole run, with an estimate of the time that is left. Sourced by ./run,
# after setup.sh and jobs.sh.
#
#   expect packages 60; expect drawing 8    # all stages, with a first guess in seconds
#   begin packages "Installing packages"
#   report 30 100                           # 30 of 100 parts are done
#   end_stage
#
# A terminal shows one line that is redrawn every second. A pipe gets a plain line every minute.
declare -A EXPECTED_S=()
STAGE="" STAGE_TEXT="" STAGE_FROM=0 STAGE_GUESS_S=0 LEFT_S=0 DRAWN="" DRAWN_AT=-1 PERCENT=0 TOLD_AT=0
TERMINAL=no
[ ! -t 1 ] || [ "${TERM:-dumb}" = dumb ] || TERMINAL=yes

expect() { EXPECTED_S[$1]=$2; }

begin() {
  STAGE=$1 STAGE_TEXT=$2 STAGE_FROM=$SECONDS STAGE_GUESS_S=${EXPECTED_S[$1]:-0} TOLD_AT=$SECONDS
  unset "EXPECTED_S[$1]"
  LEFT_S=$STAGE_GUESS_S
}

end_stage() {
  clear_line
  STAGE=""
}

# report DONE TOTAL: assumes that each remaining part takes as long as the average so far. The guess
# counts as a quarter of all parts, so that one slow part at the start does not matter much.
report() {
  local spent_s=$((SECONDS - STAGE_FROM)) left_s
  [ "$2" -gt 0 ] || return 0
  left_s=$((($2 - $1) * (4 * spent_s + STAGE_GUESS_S) / (4 * $1 + $2)))
  # Smoothed, once a second.
  [ "$SECONDS" -eq "$DRAWN_AT" ] || LEFT_S=$(((3 * LEFT_S + left_s + 2) / 4))
  draw_line
}

# tick: redraws a stage without parts. One that takes longer than guessed is taken to be four fifths done.
tick() {
  [ -n "$STAGE" ] || return 0
  local spent_s=$((SECONDS - STAGE_FROM))
  LEFT_S=$((STAGE_GUESS_S - spent_s))
  [ "$LEFT_S" -gt $((spent_s / 4)) ] || LEFT_S=$((spent_s / 4 + 1))
  draw_line
}

time_left() {
  local left_s=$LEFT_S stage
  for stage in "${!EXPECTED_S[@]}"; do left_s=$((left_s + EXPECTED_S[$stage])); done
  if [ "$left_s" -ge 90 ]; then
    WORDS="about $(((left_s + 30) / 60)) min left"
  elif [ "$left_s" -ge 10 ]; then
    WORDS="about $(((left_s + 4) / 5 * 5)) s left"
  else
    WORDS="a few seconds left"
  fi
  # The bar never goes back, even when the estimate grows.
  local percent=$((100 * SECONDS / (SECONDS + left_s + 1)))
  [ "$percent" -lt "$PERCENT" ] || PERCENT=$percent
}

draw_line() {
  if [ "$TERMINAL" = no ]; then
    [ $((SECONDS - TOLD_AT)) -ge 60 ] || return 0
    TOLD_AT=$SECONDS
    time_left
    say "$STAGE_TEXT, $WORDS"
    return 0
  fi
  [ "$SECONDS" -ne "$DRAWN_AT" ] || return 0
  DRAWN_AT=$SECONDS
  time_left
  local bar="####################" rest="--------------------" n=$((PERCENT / 5))
  local line="[${bar:0:n}${rest:n}] $PERCENT %  $STAGE_TEXT, $WORDS" columns
  columns=$(stty size 2>/dev/null <&1) || columns=""
  columns=${columns#* }
  [ "${columns:-0}" -gt 0 ] || columns=80
  DRAWN=${line:0:columns-1}
  printf '\r\033[K%s' "$DRAWN"
}

clear_line() {
  [ -z "$DRAWN" ] || printf '\r\033[K'
  DRAWN="" DRAWN_AT=-1
}

# As in setup.sh, above the line of progress.
say() {
  clear_line
  printf '%s\n' "$*"
}

die() {
  clear_line
  printf '%s\n' "$*" >&2
  exit 1
}

# run_apt COMMAND...: as in setup.sh. The output of apt-get goes to a log, whose end is printed on failure.
run_apt() {
  if [ -n "${IN_JOB:-}" ]; then
    "$@" </dev/null
    return
  fi
  # Status lines come on standard output, among the others: sudo closes all further files.
  local status=()
  [ "$TERMINAL" = no ] || status=(-o APT::Status-Fd=1)
  case " $* " in
    *" update "*) begin lists "Reading the lists of packages" ;;
    *) begin packages "Installing packages" ;;
  esac
  if "$@" ${status[@]+"${status[@]}"} </dev/null 2>&1 | watch_apt; then
    clear_line
    return 0
  fi
  clear_line
  { tail -n 30 "$JOBS/apt.log" | tr -d "\r"; } >&2 2>/dev/null || true
  die "apt-get failed."
}

# Downloading takes about two fifths of the time. The name of a package may contain a colon.
watch_apt() {
  local line status='^(dl|pm)status:.*:([0-9]+)\.[0-9]+:' done
  while IFS= read -r line; do
    if [[ $line =~ $status ]]; then
      done=${BASH_REMATCH[2]}
      [ "${BASH_REMATCH[1]}" = pm ] && done=$((40 + done * 6 / 10)) || done=$((done * 4 / 10))
      report "$done" 100
    else
      printf '%s\n' "$line" >>"$JOBS/apt.log"
      draw_line
    fi
  done
  clear_line
}

run_build() { cmake --build "$BUILD" --target "$@" 2>&1; }

# build_with_progress TARGET...: configures once, then builds. Prints the output of compilers and
# scripts, without ninja's line for each step.
build_with_progress() {
  local log line="" rest="" alive
  STEPS=0 STEPS_DONE=0
  if [ ! -f "$BUILD/build.ninja" ]; then
    say "Configuring"
    begin configure "Configuring"
    start_job configure configure_build
    while job_runs configure; do
      tick
      sleep 0.1
    done
    end_stage
    finish_job configure || exit 1
  fi
  say "Compiling"
  begin compile "Compiling"
  start_job build run_build "$@"
  exec {log}<"$JOBS/build.log"
  while :; do
    alive=no
    ! job_runs build || alive=yes
    while IFS= read -r line <&"$log"; do
      build_line "$rest$line"
      rest=""
    done
    rest+=$line
    [ "$alive" = yes ] || break
    if [ "$STEPS" -gt 0 ]; then report "$STEPS_DONE" "$STEPS"; else tick; fi
    sleep 0.1
  done
  exec {log}<&-
  [ -z "$rest" ] || build_line "$rest"
  end_stage
  wait_job build || die "The build failed."
}

build_line() {
  if [[ $1 =~ ^\[([0-9]+)/([0-9]+)\]\  ]]; then
    STEPS_DONE=${BASH_REMATCH[1]} STEPS=${BASH_REMATCH[2]}
    STAGE_TEXT="Compiling, $STEPS_DONE of $STEPS steps"
  elif [[ $1 != "ninja: Entering directory"* && $1 != "ninja: no work to do." && $1 != "-- "* ]]; then
    say "$1"
  fi
}
