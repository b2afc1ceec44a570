# Starts, awaits and stops the services of one run. Sourced by ./run.
#
# Each service has its own session, so that Ctrl-C reaches this script alone: a service that got the
# terminal's signal and then ours would take the second for "stop at once".
declare -A PIDS=()
ORDER=()
# The process being started. If a signal comes before its pid is in PIDS, the pid is in $!.
STARTING=""

# start NAME COMMAND...: output to $out/NAME.out, log to $out/NAME.log.
start() {
  local name=$1
  shift
  # The service's own shell may come to open its files later than somebody looks for them.
  : >"$out/$name.out"
  : >"$out/$name.log"
  ORDER+=("$name")
  STARTING=$name
  setsid "$@" </dev/null >"$out/$name.out" 2>"$out/$name.log" &
  PIDS[$name]=$!
  STARTING=""
}

running() {
  local pid=${PIDS[$1]:-}
  [ -n "$pid" ] && kill -0 "$pid" 2>/dev/null
}

# failed TEXT LOG: says what went wrong with the log's end, and ends the run.
failed() {
  end_stage
  printf '\n%s. The end of %s:\n' "$1" "${2#"$ROOT/"}" >&2
  tail -n 15 "$2" >&2
  exit 1
}

# ready_port NAME [FIELD]: prints the port from the line that a service writes when it listens.
ready_port() {
  local port="" field=${2:-grpc_port} i
  for ((i = 0; i < 200; ++i)); do
    port=$(sed -n "s/.*\"$field\": *\([0-9]*\).*/\1/p" "$out/$1.out" | head -n 1)
    [ -z "$port" ] || { printf '%s\n' "$port"; return 0; }
    running "$1" || break
    sleep 0.05
  done
  failed "$1 did not start" "$out/$1.log"
}

# await NAME SECONDS: waits for its end, which must be a good one. anim_graph must outlive it.
await() {
  local name=$1 i
  for ((i = 0; i < $2 * 20; ++i)); do
    tick
    running "$name" || break
    running anim_graph || failed "anim_graph ended before its time" "$out/anim_graph.log"
    sleep 0.05
  done
  if running "$name"; then
    failed "$name did not end within $2 s" "$out/$name.log"
  fi
  ended "$name" || failed "$name ended with code $?" "$out/$name.log"
}

# ended NAME: waits for its end, and returns its exit code.
ended() {
  local pid=${PIDS[$1]} code=0
  while running "$1"; do
    tick
    sleep 0.05
  done
  wait "$pid" || code=$?
  unset "PIDS[$1]"
  return "$code"
}

# watch_live STREAM: serves the page, and has the avatar say what is typed there or here until
# Ctrl-C.
watch_live() {
  local line code http texts
  start a2f_source_serve "$bin/a2f_source" serve --listen 127.0.0.1:0 --to "127.0.0.1:$port" \
    --stream-id "$1" "${VOICE[@]}"
  texts=$(ready_port a2f_source_serve)
  start renderer_sink "$bin/renderer_sink" view --http "${POSEWIRE_VIEW:-127.0.0.1:8080}" \
    --from "127.0.0.1:$port" --stream-id "$1" --say-to "127.0.0.1:$texts"
  http=$(ready_port renderer_sink http_port)
  say ""
  say "The avatar is at http://127.0.0.1:$http"
  say "Type there what it should say, or here; Enter alone repeats the first text. Ctrl-C ends all."
  while read -r line || { line=$text; wait_for_ever=yes; }; do
    [ -n "${line//[[:space:]]/}" ] || line=$text
    code=0
    start a2f_source "$bin/a2f_source" say "$line" "${VOICE[@]}" --to "127.0.0.1:$port" \
      --stream-id "$1"
    wait "${PIDS[a2f_source]}" || code=$?
    unset "PIDS[a2f_source]"
    [ "$code" -eq 0 ] || tail -n 3 "$out/a2f_source.log" >&2
    running anim_graph || failed "anim_graph ended before its time" "$out/anim_graph.log"
    running renderer_sink || failed "renderer_sink ended before its time" "$out/renderer_sink.log"
    running a2f_source_serve ||
      failed "a2f_source serve ended before its time" "$out/a2f_source_serve.log"
    [ "${wait_for_ever:-no}" = no ] || wait "${PIDS[renderer_sink]}"
  done
}

# put URL [JSON]: a PUT to the control API, tried until it is taken.
put() {
  local i
  for ((i = 0; i < 100; ++i)); do
    curl -sf -X PUT "http://127.0.0.1:$control/$1" -d "${2:-}" >/dev/null && return 0
    sleep 0.1
  done
  failed "anim_graph did not take a PUT of $1" "$out/anim_graph.log"
}

# watch_talk: serves the page with two avatars that talk to each other until Ctrl-C.
watch_talk() {
  local http
  command -v curl >/dev/null || need_packages curl
  control=$(ready_port anim_graph http_port)
  start renderer_sink "$bin/renderer_sink" view --http "${POSEWIRE_VIEW:-127.0.0.1:8080}" \
    --from "127.0.0.1:$port" --stream-id talk --avatar ben=man
  http=$(ready_port renderer_sink http_port)
  cp "$ROOT/data/talk.txt" "$out/talk.txt"
  if [ "${VOICE[2]:-}" = --voice-server ]; then
    sed -i 's/\[slt\]/[af_heart]/; s/\[rms\]/[am_michael]/' "$out/talk.txt"
  fi
  start a2f_source "$bin/a2f_source" talk "$out/talk.txt" --loop "${VOICE[@]:2}" \
    --to "127.0.0.1:$port" --stream-id talk
  put streams/talk/place '{"target_object_id": "anna", "x_m": -0.5, "turn_deg": 45}'
  put streams/talk/place '{"target_object_id": "ben", "x_m": 0.5, "turn_deg": -45}'
  put streams/talk/animation_graphs/default/variables/look_state/everyone
  say ""
  say "Anna and Ben talk at http://127.0.0.1:$http, as data/talk.txt says. Ctrl-C ends all."
  while running a2f_source && running renderer_sink && running anim_graph; do sleep 0.2; done
  failed "A service ended before its time" "$out/a2f_source.log"
}

# stop NAME: asks it to drain and waits; it ends by itself within 10 s.
stop() {
  local name=$1 pid=${PIDS[$1]} code=0
  kill -TERM "$pid" 2>/dev/null || true
  wait "$pid" || code=$?
  unset "PIDS[$name]"
  [ "$code" -eq 0 ] || failed "$name ended with code $code" "$out/$name.log"
}

# Stops what still runs, last started first, and waits for all.
stop_all() {
  trap '' INT TERM
  local i name
  [ -z "$STARTING" ] || PIDS[$STARTING]=${!:-}
  for ((i = ${#ORDER[@]} - 1; i >= 0; --i)); do
    name=${ORDER[i]}
    [ -z "${PIDS[$name]:-}" ] || kill -TERM "${PIDS[$name]}" 2>/dev/null || true
  done
  for name in "${!PIDS[@]}"; do
    wait "${PIDS[$name]}" 2>/dev/null || true
  done
  PIDS=()
}

# interrupted CODE: Ctrl-C or a signal to the script.
interrupted() {
  end_stage
  if [ ${#PIDS[@]} -eq 0 ]; then
    printf '\nStopped.\n' >&2
    exit "$1"
  fi
  printf '\nStopping the services.\n' >&2
  stop_all
  printf 'All services have ended. What was recorded is in %s/.\n' "${out#"$ROOT/"}" >&2
  exit "$1"
}
