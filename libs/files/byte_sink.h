// Where bytes go to: files (libs/files/file.h) and memory.
#ifndef POSEWIRE_LIBS_FILES_BYTE_SINK_H_
#define POSEWIRE_LIBS_FILES_BYTE_SINK_H_

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace posewire::files {

// One thread at a time.
class ByteSink {
 public:
  virtual ~ByteSink() = default;
  // For errors: a path, or a description of the bytes.
  virtual const std::string& name() const = 0;
  // Adds the bytes at the end. After an error a part of them may have been written; Truncate
  // removes it.
  virtual absl::Status Write(absl::string_view bytes) = 0;
  // Replaces bytes at `offset`, all of which were written before.
  virtual absl::Status Overwrite(int64_t offset, absl::string_view bytes) = 0;
  // Cuts the bytes to this size, or extends them with zeros; later writes continue at that end.
  // Does nothing to a pipe.
  virtual absl::Status Truncate(int64_t size) = 0;
  // Returns when all that was written would survive the machine's sudden end.
  virtual absl::Status Sync() = 0;
  // The last call.
  virtual absl::Status Close() = 0;
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

}  // namespace posewire::files

#endif  // POSEWIRE_LIBS_FILES_BYTE_SINK_H_
