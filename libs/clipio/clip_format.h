// Clip file formats, and how to detect a file's format from its name and contents.
#ifndef POSEWIRE_LIBS_CLIPIO_CLIP_FORMAT_H_
#define POSEWIRE_LIBS_CLIPIO_CLIP_FORMAT_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace posewire::clipio {

enum class Format {
  // ".animdata": each message preceded by its length as a varint. Lossless, and the fastest.
  kAnimData,
  // ".jsonl", ".ndjson", ".json": protobuf JSON. Written one message per line; read as any sequence
  // of JSON objects, so that grpcurl's output can be read.
  kJsonl,
  // ".bvh": joints only, as motion capture produces them (libs/formats/bvh/bvh.h).
  kBvh,
  // ".a2f.json": Audio2Face's export of a face (libs/formats/a2f_json/a2f_json.h). When reading,
  // also ".json".
  kA2fJson,
  // ".csv": face shapes only, as a table (libs/formats/csv/face_csv.h).
  kFaceCsv,
  // ".usda": a stage with a skeleton animated by a SkelAnimation (libs/formats/usd/usda.h).
  kUsda,
  // ".glb", ".gltf": an animation of nodes and morph targets (libs/formats/gltf/gltf.h).
  kGlb,
  kGltf,
  // ".x3d", ".x3dv": an animated H-Anim humanoid (libs/formats/x3d/x3d.h).
  kX3d,
  kX3dv,
  // ".vrma": a VRM animation, which is a glTF file.
  kVrma,
  // ".npz": joint rotations as numpy stores them (libs/formats/npz/joint_table.h). Read only.
  kJointTable,
};

// The purpose for which a file is opened. Some formats can be read but not written.
enum class FormatUse { kRead, kWrite };

// Returns the format by file extension, ignoring case; the longest one if a name has several.
// INVALID_ARGUMENT for any other: what such a file is and how to convert it, if known
// (libs/clipio/other_formats.h), and the extensions valid for this use. "-" is kJsonl.
absl::StatusOr<Format> FormatOf(absl::string_view path, FormatUse use = FormatUse::kRead);

// Returns ".animdata, .jsonl, .bvh, ... or .npz", the usual extension of each, for messages.
std::string FormatEndings(FormatUse use);

// Returns the length of a path without its format's extension, or else without the part after the
// last dot of its name.
size_t StemLength(absl::string_view path);

// Returns the format by the first bytes of a clip, for clips without a name. kJsonl if they begin a
// JSON object, which no .animdata file resembles; or a text format that begins with its opening
// word or has its own members.
Format FormatOfBytes(absl::string_view bytes);

// Returns the format of a file that begins with `bytes` and whose name, or lack of one, suggests
// `named`. Differs from `named` if a row of the format table detects it (FormatRow::told_from).
Format FormatWithin(Format named, absl::string_view bytes);

}  // namespace posewire::clipio

#endif  // POSEWIRE_LIBS_CLIPIO_CLIP_FORMAT_H_
