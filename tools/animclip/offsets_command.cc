// bake and offsets info: the differences between a complex character and its simple rig.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "libs/files/read.h"
#include "libs/offsets/offsets_file.h"
#include "tools/animclip/commands.h"
#include "tools/animclip/film_bake.h"
#include "tools/animclip/whole_file.h"

namespace posewire::animclip {

using offsets::OffsetsFile;
using offsets::Settings;

int RunBake(const BakeOptions& options, const Console& console) {
  const bool makes_set = options.clip == kShapesClip;
  // Nothing is smooth from one shape to the next.
  const std::string named = !options.method.empty() ? options.method
                            : makes_set             ? "box16"
                                                    : "spline";
  const auto method = offsets::FindMethod(named);
  if (!method.ok()) return Fail(console, "bake", method.status(), "");
  BakeOptions asked = options;
  if (!options.take.empty()) {
    if (absl::Status s = WriteTake(options.clip, options.character, options.take); !s.ok()) {
      return Fail(console, "bake", s, "Name a clip that can be read, and a file to write.");
    }
    if (!makes_set) asked.clip = options.take;  // uses the file's values, to the last bit
  }
  auto bake = BakeAsAsked(asked, console);
  if (!bake.ok()) {
    return Fail(console, "bake", bake.status(),
                options.complex.empty()
                    ? "Name a clip's file, a built-in gesture, \"exercise\" or \"shapes\"."
                    : "docs/complex-characters.md says what fits together.");
  }
  for (const std::string& note : bake->notes) console.err << "animclip bake: " << note << "\n";
  bake->header.method = *method;
  Settings settings;
  settings.variance = options.variance;
  settings.tolerance_m = options.tolerance_mm / 1000;
  settings.clusters = options.clusters;
  settings.quality = options.quality;
  settings.crf = options.crf;
  if (options.by == "uv") settings.uv = bake->uv;
  auto bytes = WriteOffsets(bake->header, settings, bake->offsets);
  if (!bytes.ok()) return Fail(console, "bake", bytes.status(), "");
  const auto file = OffsetsFile::Parse(*bytes);
  if (!file.ok()) return Fail(console, "bake", file.status(), "");
  const auto distances = DistancesFrom(*bake, {&*file});
  if (!distances.ok()) return Fail(console, "bake", distances.status(), "");
  if (absl::Status s = WriteWhole(options.out, *bytes, console.parts); !s.ok()) {
    return Fail(console, "bake", s, "Name a file that you may write.");
  }
  console.out << SummaryOf(*bake) << "\n";
  console.out.Print("%s: %s, %.0f KB, %.1f times smaller; %s mm off at worst, %s on mean\n",
                    options.out, named, static_cast<double>(bytes->size()) / 1e3,
                    bake->raw_bytes() / static_cast<double>(bytes->size()),
                    Millimetres((*distances)[0].worst_m), Millimetres((*distances)[0].mean_m));
  return kDone;
}

int RunOffsetsInfo(const OffsetsInfoOptions& options, const Console& console) {
  auto bytes = files::ReadWhole(options.file, kMostOffsetsFile_bytes);
  if (!bytes.ok()) return Fail(console, "offsets info", bytes.status(), "");
  const auto file = OffsetsFile::Parse(*std::move(bytes));
  if (!file.ok()) {
    return Fail(console, "offsets info", file.status(),
                "Make one: animclip bake CLIP FILE.offsets");
  }
  const offsets::OffsetsHeader& h = file->header();
  const double raw = 12.0 * h.points * h.frames;
  const offsets::MethodEntry& method = offsets::Methods()[static_cast<size_t>(h.method)];
  const double rate = static_cast<double>(h.rate_num) / h.rate_den;
  console.out.Print("%s: %d points, %d frames, %.3f s at %.4g a second\n", options.file, h.points,
                    h.frames, h.frames / rate, rate);
  console.out.Print("  %-8s %s: %s\n", "method", method.name, method.about);
  console.out.Print("  %-8s %d bytes, %.1f times smaller than 32-bit floats\n", "size",
                    file->bytes(), raw / static_cast<double>(file->bytes()));
  console.out.Print("  %-8s %016x\n  %-8s %016x\n", "mesh", h.mesh_hash, "clip", h.clip_hash);
  if (h.content == offsets::Content::kShapes) {
    console.out.Print("  %-8s the face at rest, then %d shapes, one a frame\n", "content",
                      h.frames - 1);
  }
  if (h.shapes_hash != 0) {
    console.out.Print("  %-8s baked on top of the shape set %016x\n", "shapes", h.shapes_hash);
  }
  bool whole = true;
  for (size_t c = 0; c < file->chunks(); ++c) {
    const auto chunk = file->Open(c);
    const bool unopened = absl::IsUnavailable(chunk.status());  // ffmpeg is missing
    whole = whole && chunk.ok();
    console.out.Print("  %-8s frames %d to %d, %d bytes%s\n", absl::StrCat("chunk ", c),
                      c * offsets::kChunkFrames,
                      c * offsets::kChunkFrames + file->chunk_frames(c) - 1, file->chunk_bytes(c),
                      chunk.ok() ? ""
                      : unopened ? ", not opened"
                                 : ", broken");
    if (!chunk.ok()) {
      Fail(console, "offsets info", chunk.status(), unopened ? "" : "Bake the file again.");
    }
  }
  return whole ? kDone : kNo;
}

}  // namespace posewire::animclip
