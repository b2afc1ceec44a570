// Whatever a clip file holds, reading it ends with a clip or an error, in memory bound by its size;
// and what was read of it is written and read again as the same messages. A libFuzzer target in the
// fuzz preset; elsewhere its corpus is replayed as a test.
//
// An input is one byte that chooses the form (.animdata, .jsonl, .bvh, .csv, .usda, .glb, a table
// of joints, either form of X3D, .a2f.json), then the file. A table of text stands behind its map
// and an empty line.
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libs/asset/scene.h"
#include "libs/clipio/clip_writer.h"
#include "libs/clipio/load_clip.h"
#include "libs/clipio/open_clip.h"
#include "libs/formats/npz/column_map.h"
#include "libs/recording/chunk_record.h"
#include "libs/recording/clip_reader.h"
#include "libs/recording/salvage.h"
#include "libs/wire/props.h"
#include "tests/fuzz/input.h"
#include "tests/unit/clipio/parsed_message.h"

namespace posewire::clipio {
namespace {

[[noreturn]] void Fail(const char* what) {
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

// Always in the same order, that of maps included.
std::string BytesOf(const nvidia_ace::animation_data::v1::AnimationDataStream& message) {
  std::string bytes;
  google::protobuf::io::StringOutputStream out(&bytes);
  google::protobuf::io::CodedOutputStream coded(&out);
  coded.SetSerializationDeterministic(true);
  if (!message.SerializeToCodedStream(&coded)) Fail("a message that was read has no bytes");
  coded.Trim();
  return bytes;
}

std::vector<std::string> MessagesOf(const std::string& file, Format format) {
  std::vector<std::string> messages;
  OpenOptions options;
  options.format = format;
  std::string table = file;
  if (format == Format::kJointTable && file.compare(0, 2, "PK") != 0) {
    const size_t end = std::min(file.find("\n\n"), file.size());
    auto columns = npz::ColumnMap::Parse(file.substr(0, end), "map");
    if (!columns.ok()) return messages;
    options.columns = std::make_shared<const npz::ColumnMap>(*std::move(columns));
    table = file.substr(end);
  }
  auto reader = OpenClip(std::make_unique<files::MemorySource>("input", table), options);
  if (!reader.ok()) return messages;
  while (true) {
    auto next = NextParsed(**reader);
    if (!next.ok() || !*next) return messages;
    std::string message = BytesOf(**next);
    // What says nothing may be left out (libs/recording/salvage.h), and what has become a record by
    // the order of its fields is passed over.
    if (!message.empty() && !recording::IsRecord(message)) messages.push_back(std::move(message));
  }
}

std::string Written(const std::vector<std::string>& messages, Format format) {
  std::string file;
  auto writer =
      ClipWriter::Open(std::make_unique<files::MemorySink>("output", &file), {.format = format});
  if (!writer.ok()) Fail("a clip in memory cannot be opened");
  for (const std::string& m : messages) {
    const absl::Span<const uint8_t> slices[] = {
        {reinterpret_cast<const uint8_t*>(m.data()), m.size()}};
    if (!(*writer)->WriteSerialized(slices).ok()) Fail("a message that was read is not written");
  }
  if (!(*writer)->Close().ok()) Fail("a clip in memory cannot be closed");
  return file;
}

// Of any file, whatever it holds; of one that was just written, all.
std::vector<std::string> Salvaged(const std::string& file) {
  std::vector<std::string> messages;
  files::MemorySource source("input", file);
  int64_t done = 0;
  const auto go_on = [&](int64_t start, int64_t end) {
    if (start < done || end <= start) Fail("what is salvaged is not in order");
    done = end;
  };
  const absl::Status s =
      recording::Salvage(source, {.take =
                                      [&](absl::string_view message, int64_t start, int64_t end) {
                                        go_on(start, end);
                                        messages.emplace_back(message);
                                        return absl::OkStatus();
                                      },
                                  .lose = go_on});
  if (!s.ok()) Fail("a file in memory cannot be salvaged");
  return messages;
}

void ReadSpan(const std::string& file) {
  auto reader =
      OpenClip(std::make_unique<files::MemorySource>("input", file), {{}, Format::kAnimData});
  if (!reader.ok() || !(*reader)->Narrow(0.25, 0.5).ok()) return;
  while (true) {
    const auto next = (*reader)->NextBytes();
    if (!next.ok() || !*next) return;
  }
}

// Of a format that is written as a whole: what it can hold reads back.
void WriteWhole(const std::vector<std::string>& messages, Format format) {
  std::string file;
  auto writer =
      ClipWriter::Open(std::make_unique<files::MemorySink>("output", &file), {.format = format});
  if (!writer.ok()) Fail("a clip in memory cannot be opened");
  for (const std::string& m : messages) {
    const absl::Span<const uint8_t> slices[] = {
        {reinterpret_cast<const uint8_t*>(m.data()), m.size()}};
    if (!(*writer)->WriteSerialized(slices).ok()) return;
  }
  if (!(*writer)->Close().ok()) return;
  auto reader = OpenClip(std::make_unique<files::MemorySource>("output", file), {{}, format});
  while (true) {
    const auto next = (*reader)->NextBytes();
    if (!next.ok()) Fail("what was written is not read");
    if (!*next) return;
  }
}

// Of a format with scenes: what is listed can be opened, character by character.
void ReadScene(const std::string& file, Format format) {
  OpenOptions options;
  options.format = format;
  const auto scene = OpenScene(std::make_unique<files::MemorySource>("input", file), options);
  if (!scene.ok()) return;
  if (scene->props.size() > wire::kMostProps) Fail("a scene has too many props");
  for (const asset::SceneProp& prop : scene->props) {
    if (prop.places.empty() || prop.places.size() != prop.times_s.size()) {
      Fail("a prop has not a place for each time");
    }
  }
  for (size_t i = 0; i < std::min<size_t>(scene->characters.size(), 3); ++i) {
    options.character = i;
    auto reader = OpenClip(std::make_unique<files::MemorySource>("input", file), options);
    if (!reader.ok()) Fail("a character cannot be opened");
    while (true) {
      const auto next = (*reader)->Next();
      if (!next.ok() || !*next) break;
    }
  }
}

void Load(const std::string& file, Format format) {
  static const skel::RigCatalog& kCatalog = *new skel::RigCatalog(*skel::RigCatalog::Builtin());
  auto reader = OpenClip(std::make_unique<files::MemorySource>("input", file), {{}, format});
  if (!reader.ok()) return;
  LoadOptions options;
  options.name = "clip";
  options.max_duration_s = 20;
  (void)LoadClip(*std::move(reader), *kCatalog.Find("ace_biped"), kCatalog, options);
}

}  // namespace
}  // namespace posewire::clipio

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace posewire::clipio;  // NOLINT: the name above is libFuzzer's
  const google::protobuf::LogSilencer silence;
  posewire::FuzzInput in(data, size);
  constexpr Format kForms[] = {Format::kAnimData,   Format::kJsonl, Format::kBvh,
                               Format::kFaceCsv,    Format::kUsda,  Format::kGlb,
                               Format::kJointTable, Format::kX3d,   Format::kA2fJson};
  const Format format = kForms[in.Choose(std::size(kForms))];
  const std::string file = in.Rest();
  const std::vector<std::string> messages = MessagesOf(file, format);
  const std::string written = Written(messages, Format::kAnimData);
  if (MessagesOf(written, Format::kAnimData) != messages) {
    Fail("messages changed between two files");
  }
  if (Salvaged(written) != messages) Fail("a whole file is not salvaged whole");
  (void)Salvaged(file);
  ReadSpan(file);
  // Both look for a rig, which takes most of the time.
  constexpr Format kSkeletons[] = {Format::kBvh, Format::kUsda, Format::kGlb, Format::kX3d,
                                   Format::kX3dv};
  WriteWhole(messages, kSkeletons[file.size() % std::size(kSkeletons)]);
  WriteWhole(messages, Format::kFaceCsv);
  WriteWhole(messages, Format::kA2fJson);
  ReadScene(file, format);
  Load(file, format);
  return 0;
}
