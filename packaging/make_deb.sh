#!/bin/bash
# Builds the Debian package of the commit that is checked out:
#   packaging/make_deb.sh [OUT_DIR [BUILD_DIR]]
# Writes posewire_VERSION_ARCH.deb to OUT_DIR, else to build/package. `apt install ./posewire_*.deb`
# installs it. Given BUILD_DIR, packages the programs that ninja built there. The page of
# `renderer_sink view` is included if npm was there.
set -euo pipefail
case "${1:-}" in
  -h | --help) sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
root=$(dirname "$(realpath "$0")")/..
out=$(realpath -m "${1:-$root/build/package}")
build=$(realpath -m "${2:-$root/build/package_tree}")
cd "$root"
if [ $# -lt 2 ]; then
  commit=$(git rev-parse --short HEAD)
  [ -z "$(git status --porcelain --untracked-files=no)" ] || commit+=", changed"
  cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DPOSEWIRE_TESTS=OFF \
    -DPOSEWIRE_BENCH=OFF -DPOSEWIRE_COMMIT="$commit" >/dev/null
  cmake --build "$build" --target anim_graph a2f_source renderer_sink animclip
fi
mkdir -p "$out"
cpack --config "$build/CPackConfig.cmake" -B "$out"
rm -rf "$out/_CPack_Packages"
