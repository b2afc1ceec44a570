#!/bin/bash
# Builds, and runs the services for long over networks that delay, cut and corrupt, with neighbours
# that stop and die; ends with a verdict. tests/chaos/chaos.py has the story.
#   scripts/chaos.sh                an hour
#   scripts/chaos.sh SECONDS        so long; more arguments (--seed N) go to tests/chaos/chaos.py
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

take_seconds "$@"

need_packages "${BUILD_PACKAGES[@]}" "${TEST_PACKAGES[@]}"
say "Building (nothing to do when the tree is built)"
build_targets anim_graph a2f_source renderer_sink

export POSEWIRE_BIN_DIR="$BUILD/bin"
exec /usr/bin/python3 -B "$ROOT/tests/chaos/chaos.py" --seconds "$seconds" "${rest[@]}"
