// The formats of clips.
#ifndef POSEWIRE_LIBS_ASSET_FORMAT_H_
#define POSEWIRE_LIBS_ASSET_FORMAT_H_

namespace posewire::asset {

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

}  // namespace posewire::asset

#endif  // POSEWIRE_LIBS_ASSET_FORMAT_H_
