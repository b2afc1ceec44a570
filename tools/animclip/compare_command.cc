// offsets compare: compares every method on one clip, as a table and as a picture.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "libs/diagram/canvas.h"
#include "libs/files/read.h"
#include "libs/offsets/offsets_file.h"
#include "tools/animclip/commands.h"
#include "tools/animclip/film_bake.h"
#include "tools/animclip/ratio_plot.h"
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
  std::string setting;
  Settings settings = {};
  bool by_uv = false;
};

std::vector<Entry> Compared() {
  std::vector<Entry> out = {
      {Method::kFloat, ""},
      {Method::kBox16, ""},
      {Method::kDelta16, ""},
      {Method::kPng16, ""},
      {Method::kFlac, ""},
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
      {Method::kWebp, "lossless", {.quality = 100}},
      {Method::kWebp, "quality 90", {.quality = 90}},
      {Method::kWebp, "lossless, by UV", {.quality = 100}, true},
      {Method::kWebp, "quality 90, by UV", {.quality = 90}, true},
      {Method::kJpeg, "quality 95", {.quality = 95}},
      {Method::kJpeg, "quality 80", {.quality = 80}},
      {Method::kJpeg, "quality 95, by UV", {.quality = 95}, true},
      {Method::kJpeg, "quality 80, by UV", {.quality = 80}, true},
      {Method::kMp3, "quality 95", {.quality = 95}},
      {Method::kMp3, "quality 60", {.quality = 60}},
  };
  for (const Method film : {Method::kH264, Method::kH265, Method::kVp9}) {
    for (const bool by_uv : {false, true}) {
      for (const int crf : {0, 4, 12, 20}) {
        out.push_back(
            {film,
             absl::StrCat("crf ", crf, crf == 0 ? ", lossless" : "", by_uv ? ", by UV" : ""),
             {.crf = crf},
             by_uv});
      }
    }
  }
  return out;
}

std::string NameOf(Method method) {
  return std::string(offsets::Methods()[static_cast<size_t>(method)].name);
}

// The result of a method with one of its settings.
struct Outcome {
  Entry entry;
  OffsetsFile file;
  Distance distance = {};
  double ratio = 0;
};

struct Comparison {
  std::vector<Outcome> outcomes;
  Distance simple;       // without any offsets
  std::string left_out;  // a line that names the methods left out, and why; empty if none
};

absl::StatusOr<Comparison> Compare(FilmBake& bake, const Console& console) {
  Comparison out;
  std::vector<std::string> without;
  const std::vector<Entry> entries = Compared();
  ProgressBar progress(console, "compressing", static_cast<int64_t>(entries.size()));
  int64_t done = 0;
  for (const Entry& entry : entries) {
    offsets::OffsetsHeader header = bake.header;
    header.method = entry.method;
    Settings settings = entry.settings;
    if (entry.by_uv) settings.uv = bake.uv;
    auto bytes = WriteOffsets(header, settings, bake.offsets);
    progress.At(++done);
    if (absl::IsUnavailable(bytes.status())) {
      const std::string name = absl::StrCat("`", NameOf(entry.method), "`");
      if (without.empty() || without.back() != name) without.push_back(name);
      out.left_out = absl::StrCat("Left out: ", absl::StrJoin(without, ", "), ": ",
                                  bytes.status().message(), ".\n");
      continue;
    }
    if (!bytes.ok()) return bytes.status();
    auto file = OffsetsFile::Parse(*std::move(bytes));
    if (!file.ok()) return file.status();
    out.outcomes.push_back({entry, *std::move(file)});
  }
  std::vector<const OffsetsFile*> all = {nullptr};
  for (const Outcome& outcome : out.outcomes) all.push_back(&outcome.file);
  const auto distances = DistancesFrom(bake, all);
  if (!distances.ok()) return distances.status();
  out.simple = (*distances)[0];
  for (size_t k = 0; k < out.outcomes.size(); ++k) {
    out.outcomes[k].distance = (*distances)[k + 1];
    out.outcomes[k].ratio = bake.raw_bytes() / static_cast<double>(out.outcomes[k].file.bytes());
  }
  return out;
}

std::string Table(const FilmBake& bake, const Comparison& comparison) {
  std::string out =
      absl::StrCat(SummaryOf(bake),
                   ".\n\n| method | setting | KB | ratio | ratio, moving points | worst, mm | "
                   "mean, mm |\n| --- | --- | --- | --- | --- | --- | --- |\n");
  const auto distance = [&](const Distance& d) {
    absl::StrAppend(&out, Millimetres(d.worst_m), " | ", Millimetres(d.mean_m), " |\n");
  };
  absl::StrAppend(&out, "| simple rig alone | | 0 | | | ");
  distance(comparison.simple);
  const double still = static_cast<double>(bake.moving) / static_cast<double>(bake.header.points);
  for (const Outcome& outcome : comparison.outcomes) {
    absl::StrAppend(
        &out, "| `", NameOf(outcome.entry.method), "` | ", outcome.entry.setting,
        absl::StrFormat(" | %.0f | %.1f | %.1f | ", static_cast<double>(outcome.file.bytes()) / 1e3,
                        outcome.ratio, outcome.ratio * still));
    distance(outcome.distance);
  }
  if (!comparison.left_out.empty()) absl::StrAppend(&out, "\n", comparison.left_out);
  return out;
}

diagram::Color ColorOf(Method method) {
  switch (method) {
    case Method::kSpline:
      return diagram::Hex(0x1F6FC4);
    case Method::kPca:
      return diagram::Hex(0x2E9E5B);
    case Method::kClusters:
      return diagram::Hex(0x7A9E1B);
    case Method::kJpeg:
      return diagram::Hex(0xE3771B);
    case Method::kWebp:
      return diagram::Hex(0xB8860B);
    case Method::kFlac:
    case Method::kMp3:
      return diagram::Hex(0xC8324A);
    case Method::kH264:
      return diagram::Hex(0x6A4FC0);
    case Method::kH265:
      return diagram::Hex(0xA83FA8);
    case Method::kVp9:
      return diagram::Hex(0x178F96);
    default:
      return diagram::Hex(0x47535F);
  }
}

absl::StatusOr<std::string> Plot(const FilmBake& bake, const Comparison& comparison,
                                 diagram::ImageFormat format) {
  std::vector<RatioLine> lines;
  for (const Outcome& outcome : comparison.outcomes) {
    const std::string name =
        absl::StrCat(NameOf(outcome.entry.method), outcome.entry.by_uv ? ", by UV" : "");
    if (lines.empty() || lines.back().name != name) {
      lines.push_back({name, ColorOf(outcome.entry.method), outcome.entry.by_uv, {}});
    }
    lines.back().marks.push_back(
        {outcome.ratio, outcome.distance.worst_m * 1000, outcome.distance.mean_m * 1000});
  }
  return DrawRatios(absl::StrCat(bake.clip->name(), ": ratio against error"), lines, format);
}

// Inserts the table between the page's markers.
absl::StatusOr<std::string> PutIntoPage(const std::string& path, const std::string& table) {
  auto page = files::ReadWhole(path, kMostOffsetsFile_bytes);
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

absl::Status WritePage(const std::string& path, const std::string& table, const Console& console) {
  if (path.empty()) return absl::OkStatus();
  const auto page = PutIntoPage(path, table);
  return page.ok() ? WriteWhole(path, *page, console.parts) : page.status();
}

absl::Status WritePlot(const std::string& path, const FilmBake& bake, const Comparison& comparison,
                       const Console& console) {
  if (path.empty()) return absl::OkStatus();
  const auto format = diagram::ImageFormatOf(path);
  if (!format.ok()) return format.status();
  const auto picture = Plot(bake, comparison, *format);
  return picture.ok() ? WriteWhole(path, *picture, console.parts) : picture.status();
}

}  // namespace

int RunOffsetsCompare(const OffsetsCompareOptions& options, const Console& console) {
  if (!options.plot.empty()) {
    if (const auto format = diagram::ImageFormatOf(options.plot); !format.ok()) {
      return Fail(console, "offsets compare", format.status(), "");
    }
  }
  auto bake = BakeFilm(options.clip, options.character, "", console);
  if (!bake.ok()) {
    return Fail(console, "offsets compare", bake.status(),
                "Name a clip, or none for the built-in one.");
  }
  const auto comparison = Compare(*bake, console);
  if (!comparison.ok()) return Fail(console, "offsets compare", comparison.status(), "");
  const std::string table = Table(*bake, *comparison);
  for (const absl::string_view line : absl::StrSplit(absl::StripSuffix(table, "\n"), '\n')) {
    console.out << line << "\n";
  }
  if (absl::Status s = WritePage(options.page, table, console); !s.ok()) {
    return Fail(console, "offsets compare", s, "Name a page with marks that you may write.");
  }
  if (absl::Status s = WritePlot(options.plot, *bake, *comparison, console); !s.ok()) {
    return Fail(console, "offsets compare", s, "Name a .svg or .png that you may write.");
  }
  return kDone;
}

}  // namespace posewire::animclip
