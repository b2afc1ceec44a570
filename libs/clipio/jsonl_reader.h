// Clips as protobuf JSON: docs/formats.md.
#ifndef POSEWIRE_LIBS_CLIPIO_JSONL_READER_H_
#define POSEWIRE_LIBS_CLIPIO_JSONL_READER_H_

#include <memory>

#include "libs/asset/byte_stream.h"
#include "libs/clipio/clip_reader.h"

namespace posewire::clipio {

std::unique_ptr<ClipReader> OpenJsonl(std::unique_ptr<asset::ByteSource> source,
                                      const asset::ReadOptions& options);

}  // namespace posewire::clipio

#endif  // POSEWIRE_LIBS_CLIPIO_JSONL_READER_H_
