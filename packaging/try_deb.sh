#!/bin/bash
# Tries the package on this machine, which should be a fresh one or a container, as root:
#   packaging/try_deb.sh posewire_VERSION_ARCH.deb
# Installs it, starts the services, says a sentence, scrapes, drains, removes and purges it. The
# services are started by systemd where it runs, else by the lines of their units.
set -euo pipefail
case "${1:---help}" in
  -h | --help) sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; exit 0 ;;
esac
services=(anim-graph a2f-source renderer-sink)
fail() {
  echo "$*" >&2
  exit 1
}
systemd_runs() { [ -d /run/systemd/system ]; }
unit() { echo "/lib/systemd/system/posewire-$1.service"; }

echo "== install"
dpkg -i "$1" || DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends -f
anim_graph --version
[ "$(stat -c '%U:%G %a' /etc/posewire)" = "root:posewire 750" ] || fail "/etc/posewire is open"

echo "== start"
pids=()
for service in "${services[@]}"; do
  if systemd_runs; then
    systemctl start "posewire-$service"
  else
    $(sed -n 's/^ExecStart=//p' "$(unit "$service")") &
    pids+=($!)
  fi
done
up() { anim_graph --health-check 127.0.0.1:51000 && anim_graph --health-check 127.0.0.1:51002; }
for _ in $(seq 100); do
  if up >/dev/null; then break; fi
  sleep 0.1
done
up

echo "== say a sentence"
work=$(mktemp -d)
renderer_sink record "$work/heard.animdata" --stream-id s1 --duration 3 &
heard=$!
a2f_source say "Hello there." --stream-id s1
wait "$heard"
animclip validate "$work/heard.animdata"
animclip info "$work/heard.animdata"

echo "== scrape"
exec 3<>/dev/tcp/127.0.0.1/8020
printf 'GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n' >&3
cat <&3 >"$work/metrics"
grep -a '^posewire_pushes_total [1-9]' "$work/metrics" || fail "no push was counted"

echo "== drain"
if systemd_runs; then
  systemctl stop "${services[@]/#/posewire-}"
else
  kill "${pids[@]}"
  for pid in "${pids[@]}"; do wait "$pid" || fail "a service ended with $?"; done
fi

echo "== remove"
rm -r "$work"
dpkg -r posewire
[ ! -e /usr/bin/anim_graph ] || fail "a program is left"
[ -e /etc/posewire/anim_graph.toml ] || fail "settings went with the programs"
dpkg -P posewire
[ ! -e /etc/posewire ] || fail "/etc/posewire is left"
echo "== all is well"
