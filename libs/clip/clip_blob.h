// Serializes clips that are made while a program is built and read when it starts.
//
// This is not a storage format: the bytes are the memory layout of one build, with compressed clips
// as stored, and no other version can read them.
#ifndef POSEWIRE_LIBS_CLIP_CLIP_BLOB_H_
#define POSEWIRE_LIBS_CLIP_CLIP_BLOB_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/clip/clip_library.h"
#include "libs/skel/rig.h"

namespace posewire::clip {

// Serializes all clips of a library, which must have the same rig. Deterministic.
std::string WriteBlob(const ClipLibrary& clips);

// Returns bit-identical clips, on the rig they were made for. DATA_LOSS for bytes that end early or
// are not a blob, INVALID_ARGUMENT for a rig of another size; otherwise the bytes are trusted.
absl::StatusOr<std::shared_ptr<const ClipLibrary>> ReadBlob(absl::string_view bytes,
                                                            std::shared_ptr<const skel::Rig> rig);

}  // namespace posewire::clip

#endif  // POSEWIRE_LIBS_CLIP_CLIP_BLOB_H_
