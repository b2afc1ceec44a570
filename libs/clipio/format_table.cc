#include "libs/clipio/format_table.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "libs/formats/a2f_json/a2f_json.h"
#include "libs/formats/bvh/bvh.h"
#include "libs/formats/csv/face_csv.h"
#include "libs/formats/gltf/gltf.h"
#include "libs/formats/npz/joint_table.h"
#include "libs/formats/usd/usda.h"
#include "libs/formats/x3d/x3d.h"
#include "libs/recording/animdata_reader.h"
#include "libs/recording/avatar_message.h"
#include "libs/recording/jsonl_reader.h"

namespace posewire::clipio {
namespace {

std::unique_ptr<recording::ClipReader> OpenAnimData(std::unique_ptr<files::ByteSource> source,
                                                    const OpenOptions& options) {
  return std::make_unique<recording::AnimDataReader>(
      std::move(source), options.limits.message_bytes, options.character);
}

std::unique_ptr<recording::ClipReader> OpenJsonl(std::unique_ptr<files::ByteSource> source,
                                                 const OpenOptions& options) {
  return recording::OpenJsonl(std::move(source), options);
}

std::unique_ptr<asset::MotionReader> OpenJointTable(std::unique_ptr<files::ByteSource> source,
                                                    const OpenOptions& options) {
  return npz::OpenJointTable(std::move(source), options, options.columns.get());
}

template <auto kOpen>
std::unique_ptr<asset::MotionReader> Motion(std::unique_ptr<files::ByteSource> source,
                                            const OpenOptions& options) {
  return kOpen(std::move(source), options);
}

constexpr absl::string_view kAnimDataEndings[] = {".animdata"};
constexpr absl::string_view kJsonlEndings[] = {".jsonl", ".ndjson", ".json"};
constexpr absl::string_view kCsvEndings[] = {".csv"};
constexpr absl::string_view kA2fEndings[] = {".a2f.json"};
constexpr absl::string_view kBvhEndings[] = {".bvh"};

constexpr absl::string_view kUsdaEndings[] = {".usda"};
constexpr absl::string_view kGlbEndings[] = {".glb"};
constexpr absl::string_view kGltfEndings[] = {".gltf"};
constexpr absl::string_view kX3dEndings[] = {".x3d"};
constexpr absl::string_view kX3dvEndings[] = {".x3dv"};
constexpr absl::string_view kVrmaEndings[] = {".vrma"};
constexpr absl::string_view kNpzEndings[] = {".npz"};

// Stages are read up to 512 MiB. In them, a number takes at most 17 bytes of text for each 4 bytes
// in memory. X3D files are read up to 64 MiB. In them, it takes at most 16 bytes, and the time of
// each element 20 more.
constexpr size_t kMostUsda = 96 << 20, kMostX3d = 6 << 20;
constexpr size_t kMostA2f = a2f_json::kMostA2fNumbers * sizeof(float);

constexpr FormatRow kFormats[] = {
    {.format = Format::kAnimData,
     .endings = kAnimDataEndings,
     .open = OpenAnimData,
     .scene = recording::ReadAnimDataScene},
    {.format = Format::kJsonl, .endings = kJsonlEndings, .open = OpenJsonl},
    {.format = Format::kBvh,
     .endings = kBvhEndings,
     .opening = "HIERARCHY",
     .motion = Motion<bvh::OpenBvh>,
     .write = bvh::WriteBvh,
     .holds_skeleton = true,
     .takes_fps = true},
    {.format = Format::kFaceCsv,
     .endings = kCsvEndings,
     .motion = Motion<csv::OpenFaceCsv>,
     .write = csv::WriteFaceCsv,
     .takes_fps = true},
    {.format = Format::kA2fJson,
     .endings = kA2fEndings,
     .motion = Motion<a2f_json::OpenA2fJson>,
     .write = a2f_json::WriteA2fJson,
     .told_from = Format::kJsonl,
     .told_by = a2f_json::IsA2fJson,
     .takes_fps = true,
     .most_key_bytes = kMostA2f},
    {.format = Format::kUsda,
     .endings = kUsdaEndings,
     .opening = "#usda ",
     .motion = Motion<usd::OpenUsda>,
     .write = usd::WriteUsda,
     .holds_skeleton = true,
     .scene = usd::ReadUsdaScene,
     .write_scene = usd::WriteUsdaScene,
     .most_key_bytes = kMostUsda},
    {.format = Format::kGlb,
     .endings = kGlbEndings,
     .opening = "glTF",
     .motion = Motion<gltf::OpenGltf>,
     .write = gltf::WriteGlb,
     .holds_skeleton = true,
     .skeleton = gltf::ReadGltfSkeleton,
     .scene = gltf::ReadGltfScene,
     .write_scene = gltf::WriteGlbScene},
    {.format = Format::kGltf,
     .endings = kGltfEndings,
     .motion = Motion<gltf::OpenGltf>,
     .write = gltf::WriteGltf,
     .holds_skeleton = true,
     .skeleton = gltf::ReadGltfSkeleton,
     .scene = gltf::ReadGltfScene,
     .write_scene = gltf::WriteGltfScene},
    {.format = Format::kX3d,
     .endings = kX3dEndings,
     .opening = "<?xml",
     .motion = Motion<x3d::OpenX3d>,
     .write = x3d::WriteX3d,
     .holds_skeleton = true,
     .skeleton = x3d::ReadX3dSkeleton,
     .most_key_bytes = kMostX3d},
    {.format = Format::kX3dv,
     .endings = kX3dvEndings,
     .opening = "#X3D ",
     .motion = Motion<x3d::OpenX3d>,
     .write = x3d::WriteX3dv,
     .holds_skeleton = true,
     .skeleton = x3d::ReadX3dSkeleton,
     .most_key_bytes = kMostX3d},
    {.format = Format::kVrma,
     .endings = kVrmaEndings,
     .motion = Motion<gltf::OpenGltf>,
     .write = gltf::WriteVrma,
     .holds_skeleton = true},
    {.format = Format::kJointTable,
     .endings = kNpzEndings,
     .motion = OpenJointTable,
     .write = npz::RejectJointTable,
     .only_read = true},
};

}  // namespace

absl::Span<const FormatRow> Formats() { return kFormats; }

const FormatRow& RowOf(Format format) {
  return *std::find_if(std::begin(kFormats), std::end(kFormats),
                       [&](const FormatRow& row) { return row.format == format; });
}

}  // namespace posewire::clipio
