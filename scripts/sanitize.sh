#!/bin/bash
# Builds with clang's sanitizers and runs tests; ends with a verdict on what the sanitizers reported,
# which is in build/asan/reports/ or build/tsan/reports/. Tests may fail besides, of memory and time
# that sanitizers take: they are listed.
#   scripts/sanitize.sh asan             addresses and undefined behaviour, all tests
#   scripts/sanitize.sh tsan             threads, the tests of whole processes
#   scripts/sanitize.sh asan NAME        the tests with NAME in their name; more arguments go to ctest
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

kind="${1:-}"
case "$kind" in
  asan) select=() targets=() ;;
  tsan) select=(-L service) targets=(anim_graph a2f_source renderer_sink animclip loadgen) ;;
  -h | --help) show_help; exit 0 ;;
  *) show_help >&2; exit 2 ;;
esac
shift
if [ $# -gt 0 ] && [ "${1#-}" = "$1" ]; then
  select=(-R "$1")
  shift
fi

export TEST_LEVEL=long
need_packages "${BUILD_PACKAGES[@]}" "${SANITIZER_PACKAGES[@]}"
need_test_tools
say "Building (nothing to do when the tree is built)"
(cd "$ROOT" && cmake --preset "$kind" >/dev/null &&
  cmake --build --preset "$kind" ${targets[@]+--target "${targets[@]}"})

reports="$ROOT/build/$kind/reports"
rm -rf "$reports"
mkdir -p "$reports"
known="$ROOT/tests/support"
export PATH="$TOOLS/bin:$PATH"
export ASAN_OPTIONS="log_path=$reports/asan:detect_stack_use_after_return=1:allocator_may_return_null=1"
export LSAN_OPTIONS="suppressions=$known/leaks_of_others.txt:print_suppressions=0"
export UBSAN_OPTIONS="log_path=$reports/ubsan:print_stacktrace=1"
export TSAN_OPTIONS="log_path=$reports/tsan:exitcode=0:suppressions=$known/races_of_others.txt"
ctest --test-dir "$ROOT/build/$kind" --no-tests=error ${select[@]+"${select[@]}"} "$@" || true
found=("$reports"/*)
[ -e "${found[0]}" ] || { say "No report."; exit 0; }
grep -h "SUMMARY" "${found[@]}" | sort | uniq -c
die "${#found[@]} reports are in $reports"
