#!/bin/bash
# Builds the fuzzers of tests/fuzz with clang and its sanitizers, and runs one after the other; ends
# at the first input that breaks one. That input is in build/fuzz/found/, new inputs in
# build/fuzz/corpus/, where the next run goes on from them.
#   scripts/fuzz.sh                an hour each
#   scripts/fuzz.sh SECONDS        so long each
#   scripts/fuzz.sh SECONDS NAME   that one (engine, clip_file, ...)
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

take_seconds "$@"
names=("${rest[@]}")
if [ ${#names[@]} -eq 0 ]; then
  for source in "$ROOT"/tests/fuzz/*_fuzz.cc; do names+=("$(basename "$source" _fuzz.cc)"); done
fi

need_packages "${BUILD_PACKAGES[@]}" "${SANITIZER_PACKAGES[@]}"
fuzz="$ROOT/build/fuzz"
say "Building (nothing to do when the tree is built)"
(cd "$ROOT" && cmake --preset fuzz >/dev/null &&
  cmake --build --preset fuzz --target "${names[@]/%/_fuzz}")

export POSEWIRE_SOURCE_DIR="$ROOT"
mkdir -p "$fuzz/found"
for name in "${names[@]}"; do
  say "Fuzzing $name for $seconds s"
  mkdir -p "$fuzz/corpus/$name"
  inputs=()
  for folder in "$ROOT/tests/fuzz/corpus/$name" "$fuzz/made_corpus/$name"; do
    [ ! -d "$folder" ] || inputs+=("$folder")
  done
  # Of what it says, "cov" is how many places of the code its inputs reach.
  "$fuzz/fuzz/${name}_fuzz" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 \
    -print_final_stats=1 -print_funcs=0 -artifact_prefix="$fuzz/found/$name-" \
    "$fuzz/corpus/$name" "${inputs[@]}" 2>&1 |
    grep -avE '^#[0-9]+\s+(NEW|REDUCE|RELOAD|pulse)'
done
