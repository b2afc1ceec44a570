// Reads clips stored as protobuf JSON: docs/formats.md.
#ifndef POSEWIRE_LIBS_RECORDING_JSONL_READER_H_
#define POSEWIRE_LIBS_RECORDING_JSONL_READER_H_

#include <memory>

#include "libs/asset/read_options.h"
#include "libs/files/byte_source.h"
#include "libs/recording/clip_reader.h"

namespace posewire::recording {

std::unique_ptr<ClipReader> OpenJsonl(std::unique_ptr<files::ByteSource> source,
                                      const asset::ReadOptions& options);

}  // namespace posewire::recording

#endif  // POSEWIRE_LIBS_RECORDING_JSONL_READER_H_
