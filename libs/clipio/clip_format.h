// The files that an animation data stream is kept in, one message after the other.
#ifndef POSEWIRE_LIBS_CLIPIO_CLIP_FORMAT_H_
#define POSEWIRE_LIBS_CLIPIO_CLIP_FORMAT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/asset/format.h"

namespace posewire::clipio {

// What a file is opened for: not every format that is read is written.
enum class FormatUse { kRead, kWrite };

// By the extension, ignoring case. INVALID_ARGUMENT for any other: what such a file is and how to
// convert it, where that is known (libs/clipio/other_formats.h), and the endings of this use. "-"
// is kJsonl.
absl::StatusOr<asset::Format> FormatOf(absl::string_view path, FormatUse use = FormatUse::kRead);

// ".animdata, .jsonl, .bvh, ... or .npz": the usual ending of each, for texts.
std::string FormatEndings(FormatUse use);

// By what the bytes of a clip begin with, for those without a name: kJsonl when a JSON object
// begins there, which no .animdata file looks like; a format whose text begins with that word.
asset::Format FormatOfBytes(absl::string_view bytes);

}  // namespace posewire::clipio

#endif  // POSEWIRE_LIBS_CLIPIO_CLIP_FORMAT_H_
