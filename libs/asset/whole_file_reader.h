// Base of motion readers that read the whole file before the first key.
#ifndef POSEWIRE_LIBS_ASSET_WHOLE_FILE_READER_H_
#define POSEWIRE_LIBS_ASSET_WHOLE_FILE_READER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "libs/asset/block_reader.h"
#include "libs/asset/motion_reader.h"
#include "libs/asset/read_options.h"
#include "libs/files/byte_source.h"

namespace posewire::asset {

class WholeFileReader : public MotionReader {
 public:
  WholeFileReader(std::unique_ptr<files::ByteSource> source, const ReadOptions& options)
      : bytes_(std::move(source)), options_(options) {}

  const std::string& name() const override { return bytes_.name(); }
  int64_t offset() const override { return bytes_.offset(); }
  int64_t size() const override { return bytes_.size(); }

 protected:
  BlockReader bytes_;
  const ReadOptions options_;
};

}  // namespace posewire::asset

#endif  // POSEWIRE_LIBS_ASSET_WHOLE_FILE_READER_H_
