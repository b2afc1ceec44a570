#!/bin/bash
# Makes the files of data/samples anew, with our own programs from built-in clips and voices:
#   scripts/make_samples.sh [FOLDER OF THE PROGRAMS]
set -euo pipefail
cd "$(dirname "$0")/.."
bin=$(cd "${1:-build/release/bin}" && pwd)
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT
export PATH="$bin:$PATH"

# Two steps of a walk, on the few joints of a motion capture suit.
anim_graph --graph data/graphs/examples/walk_to.graph.txtpb --rig hanim_loa1 --listen 127.0.0.1:0 \
  --http 127.0.0.1:0 >"$work/ready" 2>"$work/log" &
until [ -s "$work/ready" ]; do sleep 0.1; done
port() { sed -E "s/.*\"$1_port\": ?([0-9]+).*/\1/" "$work/ready"; }
renderer_sink record "$work/walk.animdata" --from "127.0.0.1:$(port grpc)" --stream-id s --duration 6 &
sleep 1
curl -sfX PUT "127.0.0.1:$(port http)/streams/s/animation_graphs/walk_to/variables/place/there" >/dev/null
wait $!
kill %1
animclip retime "$work/walk.animdata" "$work/even.animdata" --to-fps 30
animclip cut "$work/even.animdata" "$work/walk2.animdata" --from 1.5 --to 4.5 --drop shapes,audio,metadata
animclip convert "$work/walk2.animdata" data/samples/walk.bvh

animclip gestures --out "$work/gestures" >/dev/null
some() { # CLIP SECONDS OUT: on the same joints, without a face, at 20 fps
  animclip cut "$work/gestures/$1.animdata" "$work/$1.cut.animdata" --to "$2" --drop shapes
  animclip retime "$work/$1.cut.animdata" "$work/$1.slow.animdata" --to-fps 20
  animclip convert "$work/$1.slow.animdata" "$3" --rig hanim_loa1
}
some robot 3 data/samples/dance.glb
some wave 2 data/samples/stage.usda
some bow 2 "$work/bow.glb"
animclip convert "$work/bow.glb" data/samples/bow.vrma
animclip convert "$work/bow.glb" data/samples/bow.x3d

a2f_source say "This voice needs a face." --out "$work/said.animdata"
animclip convert "$work/said.animdata" "$work/said.usda" >/dev/null
mv "$work/said.wav" data/samples/voice.wav
ls -l data/samples
