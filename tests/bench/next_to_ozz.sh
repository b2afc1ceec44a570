#!/bin/bash
# The jobs on poses beside those of ozz-animation, by turns within one run.
#
#   git clone https://github.com/guillaumeblanc/ozz-animation
#   cmake -S ozz-animation -B ozz-animation/build -DCMAKE_BUILD_TYPE=Release \
#     -DCMAKE_CXX_FLAGS="-mavx2 -mfma" -Dozz_build_postfix=OFF \
#     -Dozz_build_{fbx,gltf,tools,samples,howtos,tests}=OFF
#   cmake --build ozz-animation/build
#   tests/bench/next_to_ozz.sh ozz-animation [ROUNDS]
#
# Fetches nothing by itself; where there is no such build it says so and is done.
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/setup.sh"

[ $# -ge 1 ] || { sed -n '2,11s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 1; }
if ! [ -d "$1/include/ozz" ] || ! [ -d "$1/build/src/animation" ]; then
  say "Skipped: $1 holds no build of ozz-animation."
  exit 0
fi
ozz=$(cd "$1" && pwd)
export CCACHE_BASEDIR="$ROOT"
build="$ROOT/build/next_to_ozz"
cmake -S "$ROOT" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DPOSEWIRE_TESTS=OFF \
  -DPOSEWIRE_OZZ="$ozz" >/dev/null
cmake --build "$build" --target next_to_ozz
"$build/bin/next_to_ozz" "${@:2}"
