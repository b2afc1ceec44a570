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
#include "libs/clipio/usda.h"
#include "libs/clipio/x3d.h"

namespace posewire::clipio {
namespace {

std::unique_ptr<ClipReader> OpenAnimData(std::unique_ptr<ByteSource> source,
                                         const ReadOptions& options) {
  return std::make_unique<AnimDataReader>(std::move(source), options.max_message_bytes);
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
    {Format::kAnimData, kAnimDataEndings, "", OpenAnimData, nullptr, false},
    {Format::kJsonl, kJsonlEndings, "", OpenJsonl, nullptr, false},
    {Format::kBvh, kBvhEndings, "HIERARCHY", OpenBvh, WriteBvh, true},
    {Format::kFaceCsv, kCsvEndings, "", OpenFaceCsv, WriteFaceCsv, true},
    {Format::kUsda, kUsdaEndings, "#usda ", OpenUsda, WriteUsda, true, false, kMostUsda},
    {Format::kGlb, kGlbEndings, "glTF", OpenGltf, WriteGlb, true},
    {Format::kGltf, kGltfEndings, "", OpenGltf, WriteGltf, true},
    {Format::kX3d, kX3dEndings, "<?xml", OpenX3d, WriteX3d, true, false, kMostX3d},
    {Format::kX3dv, kX3dvEndings, "#X3D ", OpenX3d, WriteX3dv, true, false, kMostX3d},
    {Format::kVrma, kVrmaEndings, "", OpenGltf, WriteVrma, true},
    {Format::kJointTable, kNpzEndings, "", OpenJointTable, RefuseJointTable, true, true},
};

}  // namespace

absl::Span<const FormatRow> Formats() { return kFormats; }

const FormatRow& RowOf(Format format) {
  return *std::find_if(std::begin(kFormats), std::end(kFormats),
                       [&](const FormatRow& row) { return row.format == format; });
}

}  // namespace posewire::clipio
