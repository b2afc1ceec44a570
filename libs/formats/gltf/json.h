// Access to JSON values of untrusted files. Each value knows its path. Reading a value of another
// type or range records the fault ("accessors[3].count is -1, expected ...") and returns a harmless
// fallback. The caller checks the status at the end of a step.
#ifndef POSEWIRE_LIBS_FORMATS_GLTF_JSON_H_
#define POSEWIRE_LIBS_FORMATS_GLTF_JSON_H_

#include <rapidjson/document.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace posewire::gltf {

// Parses without recursion, and rejects more than 64 levels. INVALID_ARGUMENT names the byte.
absl::Status ParseJson(absl::string_view text, rapidjson::Document& out);

// The document and the status must outlive this. Missing values are absent, and return the
// fallbacks.
class Json {
 public:
  Json() = default;
  // `first_error` keeps the first fault.
  Json(const rapidjson::Value* value, std::string path, absl::Status* first_error)
      : value_(value), path_(std::move(path)), first_error_(first_error) {}

  bool exists() const { return value_ != nullptr; }
  bool IsObject() const { return exists() && value_->IsObject(); }
  const std::string& path() const { return path_; }

  // A member of an object, or an element of an array; other types are a fault. Absent if there is
  // none.
  Json operator[](absl::string_view member) const;
  Json At(size_t index) const;
  // Size of an array, 0 if absent; other types are a fault.
  size_t size() const;
  // The names of an object's members.
  std::vector<std::string> Names() const;

  // A fault if it is not of this type, not finite, or out of range.
  double Number(double fallback, double low, double high) const;
  float Float(float fallback) const;
  int64_t Whole(int64_t fallback, int64_t low, int64_t high) const;
  // An index into `count` elements; -1 if absent.
  int Index(size_t count) const;
  bool Bool(bool fallback) const;
  std::string Text(absl::string_view fallback = "") const;
  // An array of exactly `count` numbers; empty if absent.
  std::vector<float> Floats(size_t count) const;

  // Records "PATH WHY".
  void Wrong(absl::string_view why) const;

 private:
  std::string Said() const;

  const rapidjson::Value* value_ = nullptr;
  std::string path_;
  absl::Status* first_error_ = nullptr;
};

}  // namespace posewire::gltf

#endif  // POSEWIRE_LIBS_FORMATS_GLTF_JSON_H_
