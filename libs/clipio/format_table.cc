#include "libs/clipio/format_table.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "libs/clipio/animdata_reader.h"
#include "libs/clipio/bvh.h"
#include "libs/clipio/face_csv.h"
#include "libs/clipio/gltf.h"
#include "libs/clipio/joint_table.h"
#include "libs/clipio/jsonl_reader.h"
#include "libs/clipio/motion_clip.h"
#include "libs/clipio/usda.h"
#include "libs/clipio/x3d.h"

namespace posewire::clipio {
namespace {

std::unique_ptr<ClipReader> OpenAnimData(std::unique_ptr<ByteSource> source,
                                         const ReadOptions& options) {
  return std::make_unique<AnimDataReader>(std::move(source), options.max_message_bytes);
}

template <auto kOpenMotion>
std::unique_ptr<ClipReader> Messages(std::unique_ptr<ByteSource> source,
                                     const ReadOptions& options) {
  return MessagesOf(kOpenMotion(std::move(source), options));
}

constexpr absl::string_view kAnimDataEndings[] = {".animdata"};
constexpr absl::string_view kJsonlEndings[] = {".jsonl", ".ndjson", ".json"};
constexpr absl::string_view kCsvEndings[] = {".csv"};
constexpr absl::string_view kBvhEndings[] = {".bvh"};

constexpr absl::string_view kUsdaEndings[] = {".usda"};
constexpr absl::string_view kGlbEndings[] = {".glb"};
constexpr absl::string_view kGltfEndings[] = {".gltf"};
constexpr absl::string_view kX3dEndings[] = {".x3d"};
constexpr absl::string_view kX3dvEndings[] = {".x3dv"};
constexpr absl::string_view kVrmaEndings[] = {".vrma"};
constexpr absl::string_view kNpzEndings[] = {".npz"};

// A number is at most 17 bytes of a stage, of which 512 MiB are read, for each 4 in memory; and 16
// of X3D, of which 64 MiB are read, with the time of each element in 20 bytes more.
constexpr size_t kMostUsda = 112 << 20, kMostX3d = 6 << 20;

constexpr FormatRow kFormats[] = {
    {.format = Format::kAnimData, .endings = kAnimDataEndings, .open = OpenAnimData},
    {.format = Format::kJsonl, .endings = kJsonlEndings, .open = OpenJsonl},
    {.format = Format::kBvh,
     .endings = kBvhEndings,
     .opening = "HIERARCHY",
     .open = Messages<OpenBvh>,
     .write = WriteBvh,
     .holds_skeleton = true,
     .voice_beside = true},
    {.format = Format::kFaceCsv,
     .endings = kCsvEndings,
     .open = Messages<OpenFaceCsv>,
     .write = WriteFaceCsv,
     .voice_beside = true},
    {.format = Format::kUsda,
     .endings = kUsdaEndings,
     .opening = "#usda ",
     .open = Messages<OpenUsda>,
     .write = WriteUsda,
     .holds_skeleton = true,
     .voice_beside = true,
     .most_key_bytes = kMostUsda},
    {.format = Format::kGlb,
     .endings = kGlbEndings,
     .opening = "glTF",
     .open = Messages<OpenGltf>,
     .write = WriteGlb,
     .holds_skeleton = true,
     .skeleton = ReadGltfSkeleton,
     .voice_beside = true},
    {.format = Format::kGltf,
     .endings = kGltfEndings,
     .open = Messages<OpenGltf>,
     .write = WriteGltf,
     .holds_skeleton = true,
     .skeleton = ReadGltfSkeleton,
     .voice_beside = true},
    {.format = Format::kX3d,
     .endings = kX3dEndings,
     .opening = "<?xml",
     .open = Messages<OpenX3d>,
     .write = WriteX3d,
     .holds_skeleton = true,
     .skeleton = ReadX3dSkeleton,
     .voice_beside = true,
     .most_key_bytes = kMostX3d},
    {.format = Format::kX3dv,
     .endings = kX3dvEndings,
     .opening = "#X3D ",
     .open = Messages<OpenX3d>,
     .write = WriteX3dv,
     .holds_skeleton = true,
     .skeleton = ReadX3dSkeleton,
     .voice_beside = true,
     .most_key_bytes = kMostX3d},
    {.format = Format::kVrma,
     .endings = kVrmaEndings,
     .open = Messages<OpenGltf>,
     .write = WriteVrma,
     .holds_skeleton = true,
     .voice_beside = true},
    {.format = Format::kJointTable,
     .endings = kNpzEndings,
     .open = Messages<OpenJointTable>,
     .write = RefuseJointTable,
     .voice_beside = true,
     .only_read = true},
};

}  // namespace

absl::Span<const FormatRow> Formats() { return kFormats; }

const FormatRow& RowOf(Format format) {
  return *std::find_if(std::begin(kFormats), std::end(kFormats),
                       [&](const FormatRow& row) { return row.format == format; });
}

}  // namespace posewire::clipio
