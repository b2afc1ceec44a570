// A byte source that behaves like a pipe.
#ifndef POSEWIRE_TESTS_UNIT_CLIPIO_TRICKLING_PIPE_H_
#define POSEWIRE_TESTS_UNIT_CLIPIO_TRICKLING_PIPE_H_

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "libs/files/byte_source.h"

namespace posewire::clipio {

// Gives a few bytes at a time, and has no size.
class TricklingPipe final : public files::ByteSource {
 public:
  TricklingPipe(std::string bytes, size_t most) : bytes_(std::move(bytes)), most_(most) {}
  const std::string& name() const override { return name_; }
  int64_t Size() const override { return 0; }
  absl::StatusOr<size_t> Read(int64_t offset, absl::Span<char> to) override {
    if (offset != static_cast<int64_t>(at_)) return absl::UnimplementedError("a pipe");
    const size_t count = std::min({to.size(), most_, bytes_.size() - at_});
    std::memcpy(to.data(), bytes_.data() + at_, count);
    at_ += count;
    return count;
  }

 private:
  const std::string name_ = "the pipe", bytes_;
  const size_t most_;
  size_t at_ = 0;
};

}  // namespace posewire::clipio

#endif  // POSEWIRE_TESTS_UNIT_CLIPIO_TRICKLING_PIPE_H_
