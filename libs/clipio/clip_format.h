// The formats of clips, and which one a file has, by its name and by what is in it.
#ifndef POSEWIRE_LIBS_CLIPIO_CLIP_FORMAT_H_
#define POSEWIRE_LIBS_CLIPIO_CLIP_FORMAT_H_

#include <cstddef>
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
  // ".bvh": joints alone, as motion capture has them (libs/formats/bvh/bvh.h).
  kBvh,
  // ".a2f.json": Audio2Face's export of a face (libs/formats/a2f_json/a2f_json.h); ".json" when it
  // is read.
  kA2fJson,
  // ".csv": face shapes alone, as a table (libs/formats/csv/face_csv.h).
  kFaceCsv,
  // ".usda": a stage with a skeleton that a SkelAnimation moves (libs/formats/usd/usda.h).
  kUsda,
  // ".glb", ".gltf": an animation of nodes and morph targets (libs/formats/gltf/gltf.h).
  kGlb,
  kGltf,
  // ".x3d", ".x3dv": an H-Anim humanoid that moves (libs/formats/x3d/x3d.h).
  kX3d,
  kX3dv,
  // ".vrma": a VRM animation, which is a glTF file.
  kVrma,
  // ".npz": joint rotations as numpy keeps them (libs/formats/npz/joint_table.h). Only read.
  kJointTable,
};

// What a file is opened for: not every format that is read is written.
enum class FormatUse { kRead, kWrite };

// By the extension, ignoring case; by the longest, where a name has several. INVALID_ARGUMENT for
// any other: what such a file is and how to convert it, where that is known
// (libs/clipio/other_formats.h), and the endings of this use. "-" is kJsonl.
absl::StatusOr<Format> FormatOf(absl::string_view path, FormatUse use = FormatUse::kRead);

// ".animdata, .jsonl, .bvh, ... or .npz": the usual ending of each, for texts.
std::string FormatEndings(FormatUse use);

// How much of a path comes before its format's ending, or else before the last dot of its name.
size_t StemLength(absl::string_view path);

// By what the bytes of a clip begin with, for those without a name: kJsonl when a JSON object
// begins there, which no .animdata file looks like; a format whose text begins with that word, or
// that knows its own members.
Format FormatOfBytes(absl::string_view bytes);

// The format of a file that is `named` by its name, or by having none, and begins with `bytes`:
// another one, if its row says so (FormatRow::told_from).
Format FormatWithin(Format named, absl::string_view bytes);

}  // namespace posewire::clipio

#endif  // POSEWIRE_LIBS_CLIPIO_CLIP_FORMAT_H_
