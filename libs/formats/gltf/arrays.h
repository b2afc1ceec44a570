// The arrays of a glTF file that is written: accessors and views of one buffer, and the file's two
// forms around them.
#ifndef POSEWIRE_LIBS_FORMATS_GLTF_ARRAYS_H_
#define POSEWIRE_LIBS_FORMATS_GLTF_ARRAYS_H_

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "libs/asset/motion.h"
#include "libs/formats/gltf/document.h"

namespace posewire::gltf {

using JsonWriter = rapidjson::Writer<rapidjson::StringBuffer>;

// glTF's numbers for what a view is for.
inline constexpr int kVertices = 34962, kTriangles = 34963;
// Keys that differ by less stand still.
inline constexpr float kLeastMove = 1e-7f;

void WriteText(JsonWriter& json, const char* name, const std::string& text);
void WriteNumbers(JsonWriter& json, const char* name, absl::Span<const float> all);
inline void WriteNumbers(JsonWriter& json, const char* name, std::initializer_list<float> all) {
  WriteNumbers(json, name, absl::MakeConstSpan(all.begin(), all.size()));
}
void WriteWholes(JsonWriter& json, const char* name, absl::Span<const int> all);

struct GltfChannel {
  int node = 0, input = 0, output = 0;  // input and output are accessors
  const char* path = "";
};
// The member "animations" with one animation.
void WriteAnimation(JsonWriter& json, const std::string& name,
                    absl::Span<const GltfChannel> channels);

// One thread. Adding returns the accessor's number.
class GltfArrays {
 public:
  template <typename T>
  int Add(const std::vector<T>& values, const char* type, size_t width, int component,
          int target = 0) {
    return AddBytes(values.data(), values.size() * sizeof(T), values.size() / width, type,
                    component, target);
  }
  // Zeros that take no bytes.
  int AddZeros(size_t count);
  // Of codes that rise those that differ as 32-bit times; of several on one time the first.
  static std::vector<double> DistinctTimes(const std::vector<double>& codes_s);
  // These, as a channel's input.
  int AddTimes(const std::vector<double>& distinct_s);
  // The least and the most of each of `width` columns.
  void SetBounds(int accessor, absl::Span<const float> values, size_t width);

  // The members "accessors" and "bufferViews".
  void Write(JsonWriter& json) const;
  const std::string& bytes() const { return bytes_; }
  // RESOURCE_EXHAUSTED when there are more bytes than a file may have.
  absl::Status CheckSize() const;

 private:
  struct Array {
    size_t offset = 0, bytes = 0, count = 0;
    int component = kFloat, target = 0;
    const char* type = "SCALAR";
    std::vector<float> low, high;
    bool zeros = false;
  };
  int AddBytes(const void* data, size_t bytes, size_t count, const char* type, int component,
               int target);

  std::vector<Array> arrays_;
  std::string bytes_;
};

// Writes the root object by `members`, followed by "buffers": as one .glb, and as JSON with the
// bytes in it.
using GltfMembers = std::function<void(JsonWriter& json)>;
absl::Status PutGlb(const GltfArrays& arrays, const GltfMembers& members, asset::PutBytes put);
absl::Status PutGltf(const GltfArrays& arrays, const GltfMembers& members, asset::PutBytes put);

}  // namespace posewire::gltf

#endif  // POSEWIRE_LIBS_FORMATS_GLTF_ARRAYS_H_
