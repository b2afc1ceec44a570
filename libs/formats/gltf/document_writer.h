// Builds and writes a glTF 2.0 document: arrays in one buffer, nodes, skins, meshes, an animation,
// and the file's two forms. Used for clips and characters.
#ifndef POSEWIRE_LIBS_FORMATS_GLTF_DOCUMENT_WRITER_H_
#define POSEWIRE_LIBS_FORMATS_GLTF_DOCUMENT_WRITER_H_

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/asset/motion.h"
#include "libs/formats/gltf/document.h"
#include "libs/skel/affine.h"
#include "libs/skel/math.h"

namespace posewire::gltf {

// glTF's constants for the target of a view.
inline constexpr int kVertices = 34962, kTriangles = 34963;
// Keys that differ by less than this count as equal.
inline constexpr float kLeastMove = 1e-7f;

using JsonWriter = rapidjson::Writer<rapidjson::StringBuffer>;

// Each writes a member. `fill` writes the contents of an object or an array.
void WriteText(JsonWriter& json, const char* name, const std::string& text);
void WriteNumbers(JsonWriter& json, const char* name, absl::Span<const float> all);
void WriteTexts(JsonWriter& json, const char* name, absl::Span<const std::string> all);
template <typename Fill>
void WriteObject(JsonWriter& json, absl::string_view name, Fill fill) {
  json.Key(name.data(), static_cast<rapidjson::SizeType>(name.size()));
  json.StartObject();
  fill();
  json.EndObject();
}
template <typename Fill>
void WriteArray(JsonWriter& json, const char* name, Fill fill) {
  json.Key(name);
  json.StartArray();
  fill();
  json.EndArray();
}
// Writes an array with an object for each element of `list`, whose members `fill` writes; nothing
// for an empty one.
template <typename List, typename Fill>
void WriteObjects(JsonWriter& json, const char* name, const List& list, Fill fill) {
  if (list.empty()) return;
  WriteArray(json, name, [&] {
    for (const auto& one : list) {
      json.StartObject();
      fill(one);
      json.EndObject();
    }
  });
}

// One thread. Nodes, meshes and so on are identified by their index in the document; -1: none.
class DocumentWriter {
 public:
  struct Node {
    std::string name;
    std::vector<int> children = {};
    std::optional<skel::Vec3> translation = {};
    std::optional<skel::Quat> rotation = {};
    skel::Vec3 scale{1, 1, 1};
    int mesh = -1, skin = -1, camera = -1;
    // Of a prop: extras.posewire.prop (libs/formats/gltf/node_scene.h).
    std::string prop_shape = {};
    skel::Vec3 prop_size = {};
  };
  struct Skin {
    std::vector<int> nodes;
    int inverse_bind = -1;  // an accessor
  };
  // A mesh with one primitive; its data are accessors.
  struct Mesh {
    std::string name;
    std::vector<std::pair<const char*, int>> attributes = {};
    int indices = -1, material = -1;
    std::vector<int> targets = {};         // their positions
    std::vector<int> target_normals = {};  // one for each, or none
    std::vector<std::string> target_names = {};
    std::vector<float> weights = {};  // of the targets, or none
    size_t file_points = 0;           // see kPointAttribute; 0: none
  };
  struct Channel {
    int node = 0, input = 0, output = 0;  // input and output are accessors
    const char* path = "";
  };

  std::vector<std::string> extensions_used;
  std::vector<Node> nodes;
  std::vector<int> roots;
  std::vector<Skin> skins;
  std::vector<Mesh> meshes;
  std::string animation = "clip";  // its name
  std::vector<Channel> channels;
  std::vector<float> camera_angles_rad;        // vertical, of perspective cameras
  std::function<void(JsonWriter& json)> more;  // writes other members of the root object

  // Adds a child of the parent, or a root. Returns the node's index.
  int AddNode(Node node, int parent);

  // Each of these returns the index of an accessor. `width` numbers make one element; 16 are a
  // matrix. Bytes are fractions of 255.
  template <typename T>
  int Add(const std::vector<T>& values, size_t width, int target = 0) {
    constexpr int kComponent = std::is_same_v<T, float> ? kFloat
                               : sizeof(T) == 4         ? kUInt
                               : sizeof(T) == 2         ? kUShort
                                                        : kUByte;
    return AddArray(AddView(values.data(), values.size() * sizeof(T), target), kComponent,
                    values.size() / width, width);
  }
  // Includes the minimum and the maximum of each of `width` columns.
  int AddBounded(const std::vector<float>& values, size_t width, int target = 0);
  int AddMatrices(absl::Span<const skel::Affine> all);
  // Adds zero vectors that take no bytes.
  int AddZeros(size_t count);
  // Adds offsets, those that are zero without taking bytes if that is shorter. Includes the minimum
  // and the maximum.
  int AddOffsets(const std::vector<skel::Vec3>& offsets, int target);
  // Adds the input of a channel.
  int AddTimes(const std::vector<double>& distinct_s);
  // From ascending time codes, returns those that differ as 32-bit times; of several with equal
  // times, the first.
  static std::vector<double> DistinctTimes(const std::vector<double>& time_codes_s);

  // Returns the index of the view.
  int AddView(const void* data, size_t bytes, int target = 0);

  // Size of the buffer.
  size_t bytes() const { return bytes_.size(); }
  // RESOURCE_EXHAUSTED if it is larger than a file may be.
  absl::Status CheckSize() const;

  // Writes one .glb, or JSON with the bytes in it.
  absl::Status PutGlb(asset::PutBytes put) const;
  absl::Status PutGltf(asset::PutBytes put) const;

 private:
  struct View {
    size_t offset = 0, bytes = 0;
    int target = 0;
  };
  struct Array {
    int view = -1, component = kFloat;
    size_t count = 0, width = 1;
    std::vector<float> low = {}, high = {};
    // Where only some values are not zero: their number, their places and the values.
    size_t filled = 0;
    int places = -1, place_component = kUInt, values = -1;
  };
  int AddArray(int view, int component, size_t count, size_t width);
  std::string MakeJson(const std::string& uri) const;

  std::vector<View> views_;
  std::vector<Array> arrays_;
  std::string bytes_;
};

// Returns the start of a .glb, up to the bytes of the binary chunk, whose size must be a multiple
// of 4.
std::string GlbStart(std::string json, size_t bytes);

}  // namespace posewire::gltf

#endif  // POSEWIRE_LIBS_FORMATS_GLTF_DOCUMENT_WRITER_H_
