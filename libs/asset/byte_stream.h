// Where the bytes of clips come from and go to: files (libs/asset/file.h) and memory.
#ifndef POSEWIRE_LIBS_ASSET_BYTE_STREAM_H_
#define POSEWIRE_LIBS_ASSET_BYTE_STREAM_H_

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace posewire::asset {

// Read from its beginning to its end, once, or from where Seek says. Of one thread at a time.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // For errors: a path, or what the bytes are.
  virtual const std::string& name() const = 0;
  // Bytes in all; 0 for what has no size, as a pipe.
  virtual int64_t Size() const = 0;
  // Up to to.size() bytes; 0 at the end.
  virtual absl::StatusOr<size_t> Read(absl::Span<char> to) = 0;
  // Goes on reading at that byte, counted from the first. Of what has a size.
  virtual absl::Status Seek(int64_t offset) = 0;
};

// Of one thread at a time.
class ByteSink {
 public:
  virtual ~ByteSink() = default;
  // For errors, as above.
  virtual const std::string& name() const = 0;
  // Adds the bytes at the end. A fault may leave a part of them, which Truncate takes away.
  virtual absl::Status Write(absl::string_view bytes) = 0;
  // Puts the bytes over what was written at `offset`; they must lie within it.
  virtual absl::Status Overwrite(int64_t offset, absl::string_view bytes) = 0;
  // Makes it so long, with zeros where it grows, and goes on writing at that end. Does nothing
  // to a pipe.
  virtual absl::Status Truncate(int64_t size) = 0;
  // What was written outlives the machine's sudden end.
  virtual absl::Status Sync() = 0;
  // Nothing may follow it.
  virtual absl::Status Close() = 0;
};

// Bytes that the caller holds, for as long as this reads them.
class MemorySource final : public ByteSource {
 public:
  MemorySource(std::string name, absl::string_view bytes)
      : name_(std::move(name)), bytes_(bytes), left_(bytes) {}

  const std::string& name() const override { return name_; }
  int64_t Size() const override { return static_cast<int64_t>(bytes_.size()); }
  absl::StatusOr<size_t> Read(absl::Span<char> to) override;
  absl::Status Seek(int64_t offset) override;

 private:
  const std::string name_;
  const absl::string_view bytes_;
  absl::string_view left_;
};

// Adds to a text of the caller's, which outlives this.
class MemorySink final : public ByteSink {
 public:
  MemorySink(std::string name, std::string* out) : name_(std::move(name)), out_(out) {}

  const std::string& name() const override { return name_; }
  absl::Status Write(absl::string_view bytes) override;
  absl::Status Overwrite(int64_t offset, absl::string_view bytes) override;
  absl::Status Truncate(int64_t size) override;
  absl::Status Sync() override { return absl::OkStatus(); }
  absl::Status Close() override { return absl::OkStatus(); }

 private:
  const std::string name_;
  std::string* const out_;
};

}  // namespace posewire::asset

#endif  // POSEWIRE_LIBS_ASSET_BYTE_STREAM_H_
