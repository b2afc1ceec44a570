// Clips as bytes: for those that are made while a program is built, and read when it starts.
//
// This is no format to keep: the bytes are the memory of this very build, compressed clips as they
// are, and no other version reads them.
#ifndef POSEWIRE_LIBS_CLIP_CLIP_BLOB_H_
#define POSEWIRE_LIBS_CLIP_CLIP_BLOB_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/clip/clip_library.h"
#include "libs/skel/rig.h"

namespace posewire::clip {

// All clips of a library, which are of one rig; the same bytes for the same clips.
std::string WriteBlob(const ClipLibrary& clips);

// The same clips to the bit, on the rig they were made for. DATA_LOSS for bytes that end early or
// are no blob, INVALID_ARGUMENT for a rig of another size; what else the bytes hold is trusted.
absl::StatusOr<std::shared_ptr<const ClipLibrary>> ReadBlob(absl::string_view bytes,
                                                            std::shared_ptr<const skel::Rig> rig);

}  // namespace posewire::clip

#endif  // POSEWIRE_LIBS_CLIP_CLIP_BLOB_H_
