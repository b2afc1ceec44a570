// bake, offsets info and offsets compare: how a film's character differs from its simple rig.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "libs/offsets/offsets_file.h"
#include "tools/animclip/commands.h"
#include "tools/animclip/film_bake.h"
#include "tools/animclip/whole_file.h"

namespace posewire::animclip {
namespace {

using offsets::Method;
using offsets::OffsetsFile;
using offsets::Settings;

constexpr absl::string_view kTableStart = "<!-- animclip offsets compare -->\n";
constexpr absl::string_view kTableEnd = "<!-- end -->\n";

struct Entry {
  Method method;
  absl::string_view setting;
  Settings settings = {};
};

const std::vector<Entry>& Compared() {
  static const auto* const entries = new std::vector<Entry>{
      {Method::kFloat, ""},
      {Method::kBox16, ""},
      {Method::kDelta16, ""},
      {Method::kPng16, ""},
      {Method::kBox8, ""},
      {Method::kMinifloat, ""},
      {Method::kDelta8, ""},
      {Method::kSpline, "within 0.2 mm", {.tolerance_m = 2e-4}},
      {Method::kSpline, "within 0.5 mm"},
      {Method::kSpline, "within 0.9 mm", {.tolerance_m = 9e-4}},
      {Method::kPca, "99 %", {.variance = 0.99}},
      {Method::kPca, "99.9 %", {.variance = 0.999}},
      {Method::kPca, "99.99 %"},
      {Method::kPca, "99.999 %", {.variance = 0.99999}},
      {Method::kClusters, "99 %", {.variance = 0.99}},
      {Method::kClusters, "99.9 %", {.variance = 0.999}},
      {Method::kClusters, "99.99 %"},
      {Method::kClusters, "99.999 %", {.variance = 0.99999}},
  };
  return *entries;
}

std::string Mm(double metres) { return absl::StrFormat("%.4f", metres * 1000); }

std::string Summary(const FilmBake& bake) {
  return absl::StrFormat(
      "%s: %d points, %d frames at %.4g a second, %.1f MB as 32-bit floats; %d points are ever "
      "more "
      "than 0.1 mm off their simple rig; at most %d in a frame needed the fallback for a blend "
      "that "
      "cannot be inverted",
      bake.clip->name(), bake.header.points, bake.header.frames, bake.clip->rate().hz(),
      bake.raw_bytes() / 1e6, bake.moving, bake.singular);
}

absl::StatusOr<std::string> Table(FilmBake& bake, const Console& console) {
  std::vector<OffsetsFile> files;
  Progress progress(console, "compressing", static_cast<int64_t>(Compared().size()));
  for (const Entry& entry : Compared()) {
    offsets::OffsetsHeader header = bake.header;
    header.method = entry.method;
    auto bytes = WriteOffsets(header, entry.settings, bake.offsets);
    if (!bytes.ok()) return bytes.status();
    auto file = OffsetsFile::Parse(*std::move(bytes));
    if (!file.ok()) return file.status();
    files.push_back(*std::move(file));
    progress.At(static_cast<int64_t>(files.size()));
  }
  std::vector<const OffsetsFile*> all = {nullptr};
  for (const OffsetsFile& file : files) all.push_back(&file);
  const auto distances = DistancesFrom(bake, all);
  if (!distances.ok()) return distances.status();
  std::string out =
      absl::StrCat(Summary(bake),
                   ".\n\n| method | setting | KB | ratio | ratio, moving points | worst, mm | "
                   "mean, mm |\n| --- | --- | --- | --- | --- | --- | --- |\n");
  absl::StrAppend(&out, "| simple rig alone | | 0 | | | ", Mm((*distances)[0].worst_m), " | ",
                  Mm((*distances)[0].mean_m), " |\n");
  const double still = static_cast<double>(bake.moving) / static_cast<double>(bake.header.points);
  for (size_t k = 0; k < files.size(); ++k) {
    const double ratio = bake.raw_bytes() / static_cast<double>(files[k].bytes());
    const Distance& d = (*distances)[k + 1];
    absl::StrAppend(
        &out, "| `", offsets::Methods()[static_cast<size_t>(Compared()[k].method)].name, "` | ",
        Compared()[k].setting,
        absl::StrFormat(" | %.0f | %.1f | %.1f | ", static_cast<double>(files[k].bytes()) / 1e3,
                        ratio, ratio * still),
        Mm(d.worst_m), " | ", Mm(d.mean_m), " |\n");
  }
  return out;
}

// Between the marks of a page, or at its end.
absl::StatusOr<std::string> PutIntoPage(const std::string& path, const std::string& table) {
  auto page = ReadWhole(path);
  if (!page.ok()) return page.status();
  const size_t from = page->find(std::string(kTableStart)),
               to = page->find(std::string(kTableEnd), from == std::string::npos ? 0 : from);
  if (from == std::string::npos || to == std::string::npos) {
    return absl::InvalidArgumentError(absl::StrCat(
        "\"", path, "\" has no lines \"", kTableStart.substr(0, kTableStart.size() - 1),
        "\" and \"", kTableEnd.substr(0, kTableEnd.size() - 1), "\" for the table to go between"));
  }
  return page->replace(from, to - from, absl::StrCat(kTableStart, table));
}

}  // namespace

int RunBake(const BakeOptions& options, const Console& console) {
  const auto method = offsets::FindMethod(options.method);
  if (!method.ok()) return Fail(console, "bake", method.status(), "");
  BakeOptions asked = options;
  if (!options.take.empty()) {
    if (absl::Status s = WriteTake(options.clip, options.character, options.take); !s.ok()) {
      return Fail(console, "bake", s, "Name a clip that can be read, and a file to write.");
    }
    asked.clip = options.take;  // what is in the file counts, to the last bit
  }
  auto bake = BakeAsAsked(asked, console);
  if (!bake.ok()) {
    return Fail(console, "bake", bake.status(),
                options.complex.empty() ? "Name a clip's file, a built-in gesture, or \"exercise\"."
                                        : "docs/complex-characters.md says what fits together.");
  }
  for (const std::string& note : bake->notes) console.err << "animclip bake: " << note << "\n";
  bake->header.method = *method;
  Settings settings;
  settings.variance = options.variance;
  settings.tolerance_m = options.tolerance_mm / 1000;
  settings.clusters = options.clusters;
  auto bytes = WriteOffsets(bake->header, settings, bake->offsets);
  if (!bytes.ok()) return Fail(console, "bake", bytes.status(), "");
  const auto file = OffsetsFile::Parse(*bytes);
  if (!file.ok()) return Fail(console, "bake", file.status(), "");
  const auto distances = DistancesFrom(*bake, {&*file});
  if (!distances.ok()) return Fail(console, "bake", distances.status(), "");
  if (absl::Status s = WriteWhole(options.out, *bytes); !s.ok()) {
    return Fail(console, "bake", s, "Name a file that you may write.");
  }
  console.out << Summary(*bake) << "\n"
              << options.out << ": " << options.method
              << absl::StrFormat(", %.0f KB, %.1f times smaller; %s mm off at worst, %s on mean\n",
                                 static_cast<double>(bytes->size()) / 1e3,
                                 bake->raw_bytes() / static_cast<double>(bytes->size()),
                                 Mm((*distances)[0].worst_m), Mm((*distances)[0].mean_m));
  return kDone;
}

int RunOffsetsInfo(const OffsetsInfoOptions& options, const Console& console) {
  auto bytes = ReadWhole(options.file);
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
  console.out << absl::StrFormat("%s: %d points, %d frames, %.3f s at %.4g a second\n",
                                 options.file, h.points, h.frames, h.frames / rate, rate)
              << absl::StrFormat("  %-8s %s: %s\n", "method", std::string(method.name),
                                 std::string(method.about))
              << absl::StrFormat("  %-8s %d bytes, %.1f times smaller than 32-bit floats\n", "size",
                                 file->bytes(), raw / static_cast<double>(file->bytes()))
              << absl::StrFormat("  %-8s %016x\n  %-8s %016x\n", "mesh", h.mesh_hash, "clip",
                                 h.clip_hash);
  bool whole = true;
  for (size_t c = 0; c < file->chunks(); ++c) {
    const auto chunk = file->Open(c);
    whole = whole && chunk.ok();
    console.out << absl::StrFormat("  %-8s frames %d to %d, %d bytes%s\n",
                                   absl::StrCat("chunk ", c), c * offsets::kChunkFrames,
                                   c * offsets::kChunkFrames + file->chunk_frames(c) - 1,
                                   file->chunk_bytes(c), chunk.ok() ? "" : ", broken");
    if (!chunk.ok()) Fail(console, "offsets info", chunk.status(), "Bake the file again.");
  }
  return whole ? kDone : kNo;
}

int RunOffsetsCompare(const OffsetsCompareOptions& options, const Console& console) {
  auto bake = BakeFilm(options.clip, options.character, console);
  if (!bake.ok()) {
    return Fail(console, "offsets compare", bake.status(),
                "Name a clip, or none for the built-in one.");
  }
  const auto table = Table(*bake, console);
  if (!table.ok()) return Fail(console, "offsets compare", table.status(), "");
  console.out << *table;
  if (options.page.empty()) return kDone;
  const auto page = PutIntoPage(options.page, *table);
  if (!page.ok()) return Fail(console, "offsets compare", page.status(), "");
  if (absl::Status s = WriteWhole(options.page, *page); !s.ok()) {
    return Fail(console, "offsets compare", s, "Name a page that you may write.");
  }
  return kDone;
}

}  // namespace posewire::animclip
