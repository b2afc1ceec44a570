# Draws a film, a picture and a sheet of what was recorded. Sourced by ./run.

# want_ffmpeg: starts installing ffmpeg in the background if it is missing.
want_ffmpeg() {
  command -v ffmpeg >/dev/null && return
  FFMPEG_FROM=$SECONDS
  start_job ffmpeg need_packages ffmpeg
}

# have_ffmpeg: waits for the installation, at most 30 s from its start. Succeeds if ffmpeg is there.
have_ffmpeg() {
  while job_runs ffmpeg && [ $((SECONDS - FFMPEG_FROM)) -lt 30 ]; do
    tick
    sleep 0.05
  done
  stop_jobs ffmpeg
  command -v ffmpeg >/dev/null
}

# draw_results: draws film, picture and sheet of $out/recording.animdata at the same time. Without
# ffmpeg there is no film; the others must succeed. Two cores without a GPU draw the film in about one and
# a half times its length.
draw_results() {
  local recording=$out/recording.animdata background="#efe9df" at
  say "Drawing"
  begin drawing "Drawing"
  at=$("$bin/animclip" convert "$recording" - 2>/dev/null | "$ROOT/scripts/best_moment.py") || true
  start picture "$bin/renderer_sink" render "$recording" "$out/picture.png" ${at:+--at "$at"} \
    --size 800x640 --subdivide --background "$background"
  start sheet "$bin/animclip" sheet "$recording" --out "$out/sheet.png"
  no_film=""
  if have_ffmpeg; then
    start film "$bin/renderer_sink" render "$recording" "$out/film.mp4" \
      --size 540x432 --fps 25 --background "$background"
    ended film || no_film="There is no film: $(tail -n 1 "$out/film.log")"
  else
    no_film="There is no film, because ffmpeg is not installed. Try: apt-get install ffmpeg"
  fi
  ended picture || failed "renderer_sink could not draw the picture" "$out/picture.log"
  ended sheet || failed "animclip could not draw the sheet" "$out/sheet.log"
  end_stage
}

# list_results: lists the files in $out, and says what to do next.
list_results() {
  local who="the built-in woman" open=picture.png
  ! grep -q "plain figure" "$out/picture.log" || who="a plain figure"
  say "The result is in ${out#"$ROOT/"}/:"
  if [ -z "$no_film" ]; then
    say "  film.mp4            $who says it, with the voice"
    open=film.mp4
  fi
  say "  picture.png         $who in mid-sentence"
  say "  sheet.png           stick figures and face curves of the recording"
  say "  recording.animdata  every frame that was pulled"
  say "  recording.wav       the voice"
  say "  *.log               what each program logged"
  [ -z "$no_film" ] || say "$no_film"
  [ "$who" = "the built-in woman" ] ||
    say "A plain figure takes the woman's place, because her data from PyPI is missing."
  say "Open $open in any browser. Next, talk to the avatar in the browser: ./run --view"
}
