#!/bin/bash
# Writes the configuration of the front door, an nginx, into a folder:
#   docker/edge/door.sh FOLDER
#   nginx -p FOLDER -c FOLDER/nginx.conf -g 'daemon off;'
# Variables, with what they are unless set:
#   POSEWIRE_DOOR_GRAPHS    127.0.0.1:51000  where each anim_graph listens, with blanks between
#   POSEWIRE_DOOR_CONTROLS  127.0.0.1:8020   the --http of each, in the same order
#   POSEWIRE_DOOR_VIEW      none             HOST:PORT of a renderer_sink view --tokens, to be served to
#                                            browsers without certificates
#   POSEWIRE_DOOR_VIEW_LISTEN  8444          PORT or ADDRESS:PORT at which it is
#   POSEWIRE_DOOR_LISTEN    8443             PORT or ADDRESS:PORT of the door
#   POSEWIRE_DOOR_TLS       /etc/posewire    folder of server.pem, server.key, and clients.pem: the
#                                            authority that signs certificates of clients
#   POSEWIRE_DOOR_RUN       FOLDER           where nginx puts its pid and its temporary files
#   POSEWIRE_DOOR_LOG       /dev/stdout      a line for each call
set -euo pipefail
fail() {
  echo "door.sh: $1" >&2
  exit 2
}
[ $# -eq 1 ] || fail "one argument is needed: the folder to write into"
mkdir -p "$1"
folder=$(cd "$1" && pwd)
graphs=${POSEWIRE_DOOR_GRAPHS:-127.0.0.1:51000}
controls=${POSEWIRE_DOOR_CONTROLS:-127.0.0.1:8020}
view=${POSEWIRE_DOOR_VIEW:-}
view_listen=${POSEWIRE_DOOR_VIEW_LISTEN:-8444}
listen=${POSEWIRE_DOOR_LISTEN:-8443}
tls=${POSEWIRE_DOOR_TLS:-/etc/posewire}
run=${POSEWIRE_DOOR_RUN:-$folder}
log=${POSEWIRE_DOOR_LOG:-/dev/stdout}

nodes() {
  for node in $1; do
    [[ $node =~ ^[][A-Za-z0-9._:-]+:[0-9]+$ ]] || fail "\"$node\" is not HOST:PORT"
    echo "server $node max_fails=3 fail_timeout=10s;"
  done
}
[ "$(wc -w <<<"$graphs")" = "$(wc -w <<<"$controls")" ] ||
  fail "POSEWIRE_DOOR_GRAPHS and POSEWIRE_DOOR_CONTROLS name the same nodes, in the same order"
[[ -z $view || $view =~ ^[][A-Za-z0-9._:-]+:[0-9]+$ ]] ||
  fail "POSEWIRE_DOOR_VIEW: \"$view\" is not HOST:PORT"
for value in "$listen" "$view_listen" "$tls" "$run" "$log"; do
  [[ $value =~ ^[][A-Za-z0-9._:/@+-]+$ ]] || fail "\"$value\" has characters that nginx would misread"
done
nodes "$graphs" >"$folder/graphs.conf"
nodes "$controls" >"$folder/controls.conf"
fill() {
  sed -e "s|@LISTEN@|$listen|; s|@TLS@|$tls|; s|@RUN@|$run|; s|@LOG@|$log|" \
    -e "s|@VIEW@|$view|; s|@VIEW_LISTEN@|$view_listen|" "$(dirname "$0")/$1.template" >"$folder/$1"
}
fill nginx.conf
rm -f "$folder/view.conf"
[ -z "$view" ] || fill view.conf
