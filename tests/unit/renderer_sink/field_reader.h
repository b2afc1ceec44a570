// Reads what viewers are sent, as docs/view.md describes it.
#ifndef POSEWIRE_TESTS_UNIT_RENDERER_SINK_FIELD_READER_H_
#define POSEWIRE_TESTS_UNIT_RENDERER_SINK_FIELD_READER_H_

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <string>

namespace posewire::renderer_sink {

// Reads a frame field by field from its beginning. Keeps a reference to the bytes.
class FieldReader {
 public:
  explicit FieldReader(const std::string& bytes) : bytes_(bytes) {}
  template <typename T>
  T Take() {
    T value{};
    if (at_ + sizeof(T) > bytes_.size()) {
      ADD_FAILURE() << "the frame ends at " << bytes_.size();
      return value;
    }
    std::memcpy(&value, bytes_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }
  size_t at() const { return at_; }
  bool AtEnd() const { return at_ == bytes_.size(); }

 private:
  const std::string& bytes_;
  size_t at_ = 0;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_TESTS_UNIT_RENDERER_SINK_FIELD_READER_H_
