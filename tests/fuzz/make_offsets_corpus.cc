// Writes the corpus of offsets_file by the writer itself: whole files of every method, and chunks
// as they are, which deflate does not hide. The same bytes each time, given the same zlib, codecs
// and ffmpeg, which it needs.
//
//     cmake --build build/release --target make_offsets_corpus
//     build/release/bin/make_offsets_corpus tests/fuzz/corpus/offsets_file
#include <cstdio>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/unit/offsets/moving_points.h"

namespace offsets = posewire::offsets;

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: make_offsets_corpus FOLDER\n");
    return 2;
  }
  int n = 0;
  const auto write = [&](const std::string& bytes) {
    std::ofstream(absl::StrCat(argv[1], "/made_", n++), std::ios::binary) << bytes;
  };
  const std::vector<offsets::Uv> uv = {{0.1f, 0.2f}, {0.9f, 0.2f}, {0.5f, 0.5f},
                                       {0.1f, 0.9f}, {0.5f, 0.5f}, {0.9f, 0.9f}};
  for (const offsets::MethodEntry& entry : offsets::Methods()) {
    for (const auto& [points, frames] : {std::pair<size_t, size_t>{1, 1}, {6, 9}, {12, 258}}) {
      // A film of more pictures says nothing more: fuzzing ends where ffmpeg begins.
      if (frames > 200 && entry.method >= offsets::Method::kH264) continue;
      offsets::OffsetsHeader header;
      header.method = entry.method;
      header.points = static_cast<uint32_t>(points);
      header.frames = static_cast<uint32_t>(frames);
      const auto values = offsets::MovingPoints(points, frames);
      offsets::Settings settings = {.clusters = 2, .crf = 40};
      if (points == uv.size()) settings.uv = uv;
      write(*offsets::WriteOffsets(header, settings, values));
      if (frames > 200) continue;
      std::string chunk = {static_cast<char>(entry.method), static_cast<char>(points),
                           static_cast<char>(frames - 1)};
      write(chunk + *entry.encode({points, values}, settings));
    }
  }
  return 0;
}
