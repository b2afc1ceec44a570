#!/bin/bash
# Fails and names the places when a C++ source of ours is not as clang-format would have it.
#   scripts/format_check.sh [--fix]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

find_sources() {
  find libs services tools tests -name '*.cc' -o -name '*.h'
}
[ -n "$(find_sources | head -1)" ] || { echo "no sources found" >&2; exit 1; }

if [ "${1:-}" = --fix ]; then
  find_sources | xargs clang-format -i
else
  find_sources | xargs clang-format --dry-run -Werror
  echo "clang-format: clean"
fi
