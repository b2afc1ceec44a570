// Which format a clip's file has, by its name and by what is in it.
#ifndef POSEWIRE_LIBS_CLIPIO_CLIP_FORMAT_H_
#define POSEWIRE_LIBS_CLIPIO_CLIP_FORMAT_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/asset/format.h"

namespace posewire::clipio {

// What a file is opened for: not every format that is read is written.
enum class FormatUse { kRead, kWrite };

// By the extension, ignoring case; by the longest, where a name has several. INVALID_ARGUMENT for
// any other: what such a file is and how to convert it, where that is known
// (libs/clipio/other_formats.h), and the endings of this use. "-" is kJsonl.
absl::StatusOr<asset::Format> FormatOf(absl::string_view path, FormatUse use = FormatUse::kRead);

// ".animdata, .jsonl, .bvh, ... or .npz": the usual ending of each, for texts.
std::string FormatEndings(FormatUse use);

// How much of a path comes before its format's ending, or else before the last dot of its name.
size_t StemLength(absl::string_view path);

// By what the bytes of a clip begin with, for those without a name: kJsonl when a JSON object
// begins there, which no .animdata file looks like; a format whose text begins with that word, or
// that knows its own members.
asset::Format FormatOfBytes(absl::string_view bytes);

// The format of a file that is `named` by its name, or by having none, and begins with `bytes`:
// another one, if its row says so (FormatRow::told_from).
asset::Format FormatWithin(asset::Format named, absl::string_view bytes);

}  // namespace posewire::clipio

#endif  // POSEWIRE_LIBS_CLIPIO_CLIP_FORMAT_H_
