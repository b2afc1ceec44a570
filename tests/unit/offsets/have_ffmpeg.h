// Whether films can be tried here.
#ifndef POSEWIRE_TESTS_UNIT_OFFSETS_HAVE_FFMPEG_H_
#define POSEWIRE_TESTS_UNIT_OFFSETS_HAVE_FFMPEG_H_

#include "libs/ffmpeg/run.h"
#include "libs/offsets/method.h"

namespace posewire::offsets {

inline bool IsFilm(Method method) {
  return method == Method::kH264 || method == Method::kH265 || method == Method::kVp9;
}

inline bool HaveFfmpeg() {
  static const bool have = ffmpeg::Run({"-v", "error", "-version"}, "", {}).ok();
  return have;
}

}  // namespace posewire::offsets

#endif  // POSEWIRE_TESTS_UNIT_OFFSETS_HAVE_FFMPEG_H_
