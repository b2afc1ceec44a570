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
#include "libs/asset/byte_stream.h"

namespace posewire::clipio {

// Gives a few bytes at a time, and has no size.
class TricklingPipe final : public asset::ByteSource {
 public:
  TricklingPipe(std::string bytes, size_t most) : bytes_(std::move(bytes)), most_(most) {}
  const std::string& name() const override { return name_; }
  int64_t Size() const override { return 0; }
  absl::Status Seek(int64_t) override { return absl::UnimplementedError("a pipe"); }
  absl::StatusOr<size_t> Read(absl::Span<char> to) override {
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
