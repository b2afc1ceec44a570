// The files that an animation data stream is kept in, one message after the other.
#ifndef POSEWIRE_LIBS_CLIPIO_CLIP_FORMAT_H_
#define POSEWIRE_LIBS_CLIPIO_CLIP_FORMAT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace posewire::clipio {

enum class Format {
  // ".animdata": each message behind its length as a varint. Lossless, and the fastest.
  kAnimData,
  // ".jsonl", ".ndjson", ".json": protobuf JSON, written one message a line; read as any run of
  // JSON objects, so that what grpcurl prints reads back.
  kJsonl,
  // ".bvh": joints alone, as motion capture has them (libs/clipio/bvh.h).
  kBvh,
  // ".csv": face shapes alone, as a table (libs/clipio/face_csv.h).
  kFaceCsv,
  // ".usda": a stage with a skeleton that a SkelAnimation moves (libs/clipio/usda.h).
  kUsda,
  // ".glb", ".gltf": an animation of nodes and morph targets (libs/clipio/gltf.h).
  kGlb,
  kGltf,
  // ".x3d", ".x3dv": an H-Anim humanoid that moves (libs/clipio/x3d.h).
  kX3d,
  kX3dv,
  // ".vrma": a VRM animation, which is a glTF file.
  kVrma,
  // ".npz": joint rotations as numpy keeps them (libs/clipio/joint_table.h). Only read.
  kJointTable,
};

// What a file is opened for: not every format that is read is written.
enum class FormatUse { kRead, kWrite };

// By the extension, ignoring case. INVALID_ARGUMENT for any other: what such a file is and how to
// convert it, where that is known (libs/clipio/other_formats.h), and the endings of this use. "-"
// is kJsonl.
absl::StatusOr<Format> FormatOf(absl::string_view path, FormatUse use = FormatUse::kRead);

// ".animdata, .jsonl, .bvh, ... or .npz": the usual ending of each, for texts.
std::string FormatEndings(FormatUse use);

// By what the bytes of a clip begin with, for those without a name: kJsonl when a JSON object
// begins there, which no .animdata file looks like; a format whose text begins with that word.
Format FormatOfBytes(absl::string_view bytes);

}  // namespace posewire::clipio

#endif  // POSEWIRE_LIBS_CLIPIO_CLIP_FORMAT_H_
