#!/bin/bash
# Lays out the roots of the runtime images: collect.sh BUILD_DIR IMAGE_DIR PICTURES_DIR
# IMAGE_DIR gets the services with every shared library that they load, fonts for animclip's sheets,
# a list of all that this is made of (SPDX), and its notices. PICTURES_DIR gets what is loaded beside
# that when renderer_sink draws.
set -euo pipefail
build=$1
bin=$1/bin
page=$1/services/renderer_sink/view/bundle/app.js
image=$2
pictures=$3

# The build goes on without the page when npm fails. An image would be missing it for good.
if [ ! -s "$page" ] && [ "${POSEWIRE_PAGE:-yes}" != no ]; then
  cat >&2 <<'TEXT'
This image would have no page for `renderer_sink view`: npm could not bundle it; its words are above.
npm's settings reach the build as build arguments, with compose from the environment:
NPM_CONFIG_REGISTRY is the registry, NPM_CONFIG_CA a certificate to trust (PEM).
POSEWIRE_PAGE=no, given in the same way, builds the image without the page.
TEXT
  exit 1
fi
services=(anim_graph a2f_source renderer_sink animclip)

mkdir -p "$image"/{usr/local/bin,etc,tmp} "$pictures"
chmod 1777 "$image/tmp"
printf 'root:x:0:0:root:/:/none\nposewire:x:10001:10001:posewire:/tmp:/none\n' >"$image/etc/passwd"
printf 'root:x:0:\nposewire:x:10001:\n' >"$image/etc/group"
printf 'hosts: files dns\n' >"$image/etc/nsswitch.conf"

files=()
for service in "${services[@]}"; do
  install -m 0755 -s "$bin/$service" "$image/usr/local/bin/"
  while read -r library; do
    files+=("$library")
  done < <(ldd "$bin/$service" | grep -oE '/[^ ]+\.so[^ ]*')
done
while read -r font; do
  files+=("$font")
done < <(find /etc/fonts /usr/share/fontconfig /usr/share/fonts/truetype/dejavu -type f,l \
  2>/dev/null)

# put ROOT FILE...: the files, but for what is in the image.
put() {
  local root=$1 file
  shift
  for file in $(printf '%s\n' "$@" | sort -u); do
    [ ! -e "$image$file" ] || continue
    mkdir -p "$root$(dirname "$file")"
    cp -L "$file" "$root$file"
  done
}

# describe ROOT ARGUMENT...: lists what the image is made of, with the notices.
describe() {
  local doc=$1/usr/share/doc/posewire
  shift
  set -- --version "$("$bin/anim_graph" --version | awk 'NR == 1 {print $2}')" --build "$build" \
    --components "${page%/*}/components.json" --components "$build/characters/components.json" \
    "$@" "${services[@]/#/$bin/}"
  mkdir -p "$doc"
  packaging/sbom.py "$@" >"$doc/sbom.spdx.json"
  packaging/notices.py "$@" >"$doc/THIRD-PARTY-NOTICES"
}

put "$image" "${files[@]}"
describe "$image" --name posewire-image --root "$image"
cp LICENSE "$image/usr/share/doc/posewire-LICENSE"

drawing=()
while read -r library; do
  drawing+=("$library")
  while read -r needed; do
    drawing+=("$needed")
  done < <(ldd "$library" | grep -oE '/[^ ]+\.so[^ ]*')
done < <(ldconfig -p | grep -oE '/[^ ]*libOSMesa\.so\.8$' || true)
[ ${#drawing[@]} -gt 0 ] || { echo "libOSMesa.so.8 is missing: apt-get install libosmesa6" >&2; exit 1; }
put "$pictures" "${drawing[@]}"
describe "$pictures" --name posewire-pictures-image --root "$image" --root "$pictures" \
  --library libOSMesa.so.8
