#include "services/renderer_sink/draw/offset_files.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "libs/character/deformer.h"
#include "libs/character/offset_points.h"
#include "libs/character/point_skin.h"
#include "libs/files/file.h"
#include "libs/files/read.h"
#include "libs/offsets/chunk_load.h"
#include "libs/offsets/stream_scheduler.h"
#include "services/renderer_sink/draw/range_source.h"

namespace posewire::renderer_sink {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostList_bytes = 1 << 20;
// As offsets::FileLimits: no larger file can be drawn.
constexpr int64_t kMostFile_bytes = int64_t{1} << 31;

bool IsAddress(absl::string_view place) {
  return absl::StartsWith(place, "http://") || absl::StartsWith(place, "https://");
}

absl::StatusOr<std::vector<std::string>> InFolder(const std::string& folder) {
  std::vector<std::string> places;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() == ".offsets") places.push_back(it->path().string());
  }
  if (error) return absl::NotFoundError(absl::StrCat(folder, ": ", error.message()));
  std::sort(places.begin(), places.end());
  return places;
}

// Resolves relative references as in RFC 3986, without its dots: the parts after ? or # are not the
// path, and a server alone has the path /.
std::string ResolveInAddress(const std::string& list, const std::string& name) {
  const std::string path = list.substr(0, list.find_first_of("?#"));
  const size_t host_at = path.find("//") + 2;
  const size_t host_end = std::min(path.size(), path.find('/', host_at));
  if (name[0] == '/') return absl::StrCat(path.substr(0, host_end), name);
  if (host_end == path.size()) return absl::StrCat(path, "/", name);
  return absl::StrCat(path.substr(0, path.rfind('/') + 1), name);
}

absl::StatusOr<std::vector<std::string>> InList(const std::string& list,
                                                const std::shared_ptr<RangeCache>& cache) {
  auto source = OpenOffsetsSource(list, cache);
  if (!source.ok()) return WithName(list, source.status());
  const auto text = files::ReadBytes(**source, 0, kMostList_bytes);
  if (!text.ok()) return WithName(list, text.status());
  const int64_t size = (*source)->Size();
  if (size > static_cast<int64_t>(kMostList_bytes)) {
    return absl::ResourceExhaustedError(
        absl::StrCat(ShownPlace(list), ": has ", size,
                     " bytes; a list of .offsets files has at most ", kMostList_bytes));
  }
  std::vector<std::string> places;
  int number = 0;
  for (absl::string_view line : absl::StrSplit(*text, '\n')) {
    ++number;
    line = absl::StripAsciiWhitespace(line);
    if (line.empty() || line[0] == '#') continue;
    if (!NamesOffsetsFile(line)) {
      return absl::InvalidArgumentError(
          absl::StrCat(ShownPlace(list), ": line ", number,
                       " of a list names a file that ends in .offsets, not \"",
                       absl::CHexEscape(line.substr(0, 80)), "\""));
    }
    auto place = ResolveNextTo(list, std::string(line));
    if (!place.ok()) {
      return absl::Status(place.status().code(), absl::StrCat(ShownPlace(list), ": line ", number,
                                                              ": ", place.status().message()));
    }
    places.push_back(*std::move(place));
  }
  return places;
}

absl::StatusOr<std::vector<std::string>> PlacesAt(const std::string& where,
                                                  const std::shared_ptr<RangeCache>& cache) {
  std::error_code error;
  if (!IsAddress(where) && fs::is_directory(where, error)) return InFolder(where);
  if (NamesOffsetsFile(where)) return std::vector<std::string>{where};
  if (!IsAddress(where) && !fs::exists(where, error)) {
    return absl::NotFoundError(
        absl::StrCat(where,
                     ": there is no such file; it must be a folder of .offsets files, one "
                     "of them, or a list of them"));
  }
  return InList(where, cache);
}

absl::StatusOr<OffsetsAt> ReadBeginning(const std::string& place,
                                        const std::shared_ptr<RangeCache>& cache) {
  auto source = OpenOffsetsSource(place, cache);
  if (!source.ok()) return source.status();
  const auto size = [&] { return static_cast<uint64_t>((*source)->Size()); };
  const auto head = files::ReadBytes(**source, 0, offsets::FileIndex::kHeadBytes);
  if (!head.ok()) return head.status();
  const auto bytes = offsets::FileIndex::BytesToRead(*head, size());
  if (!bytes.ok()) return bytes.status();
  const auto whole = files::ReadBytes(**source, 0, *bytes);
  if (!whole.ok()) return whole.status();
  const auto index = offsets::FileIndex::Parse(*whole, size());
  if (!index.ok()) return index.status();
  OffsetsAt out{place, *std::move(source), index->header(), 0, cache};
  for (size_t c = 0; c < index->chunks(); ++c) {
    out.memory = std::max(out.memory, offsets::MostChunkBytes(*index, c));
  }
  out.memory += offsets::MostIndexBytes(offsets::StreamLimits().file);
  return out;
}

// A clip's offsets are the rest on top of a shape set, and mean nothing on top of another.
absl::Status CheckShapes(const OffsetsAt& clip, const OffsetFiles& of, const std::string& set) {
  const uint64_t wanted = of.shapes == nullptr ? 0 : of.shapes->hash();
  if (clip.header.shapes_hash == wanted) return absl::OkStatus();
  if (of.shapes == nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat(ShownPlace(clip.name),
                     ": was baked on top of a shape set, and there is none: put the set's .offsets "
                     "next to it, and name the folder"));
  }
  const bool bare = clip.header.shapes_hash == 0;
  return absl::FailedPreconditionError(
      absl::StrCat(ShownPlace(clip.name),
                   bare ? ": was not baked on top of the shape set "
                        : ": was baked on top of another shape set than ",
                   set, ": bake it again with animclip bake --shapes ", set));
}

}  // namespace

bool NamesOffsetsFile(absl::string_view place) {
  return absl::EndsWith(ShownPlace(place), ".offsets");
}

std::string ShownPlace(absl::string_view place) {
  return std::string(IsAddress(place) ? place.substr(0, place.find_first_of("?#")) : place);
}

absl::Status WithName(const std::string& name, const absl::Status& why) {
  const std::string shown = ShownPlace(name);
  if (absl::StrContains(why.message(), shown)) return why;
  return absl::Status(why.code(), absl::StrCat(shown, ": ", why.message()));
}

absl::StatusOr<std::shared_ptr<files::ByteSource>> OpenOffsetsSource(
    const std::string& place, std::shared_ptr<RangeCache> cache) {
  if (IsAddress(place)) return MakeRangeSource(place, {.cache = std::move(cache)});
  return files::File::Open(place, files::File::Mode::kRead);
}

std::shared_ptr<files::ByteSource> SourceToStop(const OffsetsAt& file) {
  auto own = IsAddress(file.name) ? MakeRangeSource(file.name, {.cache = file.cache}) : file.source;
  return own.ok() ? *std::move(own) : file.source;
}

absl::StatusOr<std::string> ResolveNextTo(const std::string& list, const std::string& name) {
  if (IsAddress(name)) return name;
  if (IsAddress(list)) return ResolveInAddress(list, name);
  return files::PlaceNamed(list, name);
}

absl::StatusOr<std::vector<OffsetsAt>> FindOffsets(const std::string& where,
                                                   std::shared_ptr<RangeCache> cache) {
  const auto places = PlacesAt(where, cache);
  if (!places.ok()) return places.status();
  if (places->empty()) {
    return absl::NotFoundError(
        absl::StrCat(ShownPlace(where), ": there are no .offsets files; animclip bake makes them"));
  }
  if (places->size() > kMostOffsetFiles) {
    return absl::ResourceExhaustedError(absl::StrCat(ShownPlace(where), ": there are ",
                                                     places->size(), " files; at most ",
                                                     kMostOffsetFiles, " are taken"));
  }
  std::vector<OffsetsAt> out;
  for (const std::string& place : *places) {
    auto file = ReadBeginning(place, cache);
    if (!file.ok()) return WithName(place, file.status());
    out.push_back(*std::move(file));
  }
  return out;
}

absl::StatusOr<std::vector<OffsetsAt>> OffsetsOf(uint64_t mesh_hash, size_t points,
                                                 const std::vector<OffsetsAt>& files) {
  std::vector<OffsetsAt> out;
  const OffsetsAt* unlike = nullptr;  // the first of other points
  for (const OffsetsAt& file : files) {
    const uint64_t made_of = file.header.mesh_hash;
    if (made_of != mesh_hash && made_of != 0) continue;
    if (file.header.points == points) {
      out.push_back(file);
    } else if (unlike == nullptr) {
      unlike = &file;
    }
  }
  if (!out.empty()) return out;
  if (unlike != nullptr) {
    return absl::FailedPreconditionError(
        absl::StrCat(ShownPlace(unlike->name), ": points is ", unlike->header.points,
                     ", and the character that is drawn has ", points,
                     "; animclip bake --character FILE makes offsets of it"));
  }
  return absl::FailedPreconditionError(absl::StrCat(
      files.empty() ? "the offsets" : ShownPlace(files.front().name),
      ": was made of another character, or of other hair or clothes; animclip bake --character "
      "FILE makes offsets of the one that is drawn"));
}

absl::StatusOr<std::string> ReadInPieces(files::ByteSource& source) {
  std::string whole;
  int64_t at = 0;
  for (int64_t size = 1; at < size;) {
    const auto read = static_cast<size_t>(at);
    whole.resize(read + kOffsetsPiece_bytes);
    const auto got = source.Read(at, absl::MakeSpan(whole).subspan(read));
    if (!got.ok()) return got.status();
    size = source.Size();
    if (size > kMostFile_bytes) return absl::ResourceExhaustedError("is larger than 2 GiB");
    if (*got == 0 && at < size) {
      return absl::DataLossError(
          absl::StrCat("ends at byte ", at, " of ", size, "; it is changed as it is read"));
    }
    whole.resize(read + *got);
    at += static_cast<int64_t>(*got);
  }
  return whole;
}

absl::StatusOr<OffsetFiles> FilesOf(std::shared_ptr<const character::Character> character,
                                    const std::vector<OffsetsAt>& files) {
  const character::Deformer deformer(character);
  const character::PointSkin skin(deformer);
  auto own = OffsetsOf(character::MeshHash(skin, *character), skin.points(), files);
  if (!own.ok()) return own.status();
  return WithShapes(std::move(character), skin.points(), *std::move(own));
}

absl::StatusOr<OffsetFiles> WithShapes(std::shared_ptr<const character::Character> character,
                                       size_t points, std::vector<OffsetsAt> own) {
  OffsetFiles out;
  out.character = std::move(character);
  std::string set;
  for (OffsetsAt& file : own) {
    if (file.header.content == offsets::Content::kClip) {
      out.clips.push_back(std::move(file));
      continue;
    }
    if (!set.empty()) {
      return absl::FailedPreconditionError(
          absl::StrCat(ShownPlace(set), " and ", ShownPlace(file.name),
                       " are both shape sets of this character, expected one"));
    }
    set = file.name;
    auto whole = ReadInPieces(*file.source);
    if (!whole.ok()) return WithName(set, whole.status());
    const auto parsed = offsets::OffsetsFile::Parse(*std::move(whole));
    if (!parsed.ok()) return WithName(set, parsed.status());
    auto shapes = character::ShapeOffsets::Read(*parsed, *out.character->rig, points);
    if (!shapes.ok()) return WithName(set, shapes.status());
    out.shapes = *std::move(shapes);
  }
  for (const OffsetsAt& clip : out.clips) {
    if (absl::Status s = CheckShapes(clip, out, set); !s.ok()) return s;
  }
  return out;
}

}  // namespace posewire::renderer_sink
