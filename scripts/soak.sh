#!/bin/bash
# Builds, and runs an anim_graph for long under a light load; ends with a verdict on its memory, its
# calls and its voices. The report is in build/soak/.
#   scripts/soak.sh                an hour
#   scripts/soak.sh SECONDS        so long; more arguments go to tests/soak/soak.py
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

take_seconds "$@"

need_packages "${BUILD_PACKAGES[@]}"
say "Building (nothing to do when the tree is built)"
build_targets anim_graph loadgen a2f_source

out="${POSEWIRE_SOAK_DIR:-$ROOT/build/soak}"
mkdir -p "$out"
exec python3 -B "$ROOT/tests/soak/soak.py" --bin "$BUILD/bin" --seconds "$seconds" \
  --json "$out/report.json" --log "$out/anim_graph.log" "${rest[@]}"
