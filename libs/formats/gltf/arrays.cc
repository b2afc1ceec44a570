#include "libs/formats/gltf/arrays.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace posewire::gltf {
namespace {

constexpr size_t kMostBytes = std::numeric_limits<uint32_t>::max() / 2;

std::string GltfWord(size_t number) {
  const auto word = static_cast<uint32_t>(number);
  std::string out(sizeof(word), '\0');
  std::memcpy(out.data(), &word, sizeof(word));
  return out;
}

// `uri` is the buffer's; "": it is the binary chunk of the same file.
std::string WholeJson(const GltfArrays& arrays, const GltfMembers& members,
                      const std::string& uri) {
  rapidjson::StringBuffer text;
  JsonWriter json(text);
  json.StartObject();
  json.Key("asset");
  json.StartObject();
  json.Key("version"), json.String("2.0");
  json.Key("generator"), json.String("Posewire");
  json.EndObject();
  members(json);
  arrays.Write(json);
  json.Key("buffers");
  json.StartArray();
  json.StartObject();
  json.Key("byteLength"), json.Uint64(arrays.bytes().size());
  if (!uri.empty()) WriteText(json, "uri", uri);
  json.EndObject();
  json.EndArray();
  json.EndObject();
  return {text.GetString(), text.GetSize()};
}

}  // namespace

void WriteText(JsonWriter& json, const char* name, const std::string& text) {
  json.Key(name);
  json.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
}

void WriteNumbers(JsonWriter& json, const char* name, absl::Span<const float> all) {
  json.Key(name);
  json.StartArray();
  for (const float one : all) json.Double(static_cast<double>(one));
  json.EndArray();
}

void WriteWholes(JsonWriter& json, const char* name, absl::Span<const int> all) {
  json.Key(name);
  json.StartArray();
  for (const int one : all) json.Int(one);
  json.EndArray();
}

void WriteAnimation(JsonWriter& json, const std::string& name,
                    absl::Span<const GltfChannel> channels) {
  json.Key("animations");
  json.StartArray();
  json.StartObject();
  WriteText(json, "name", name);
  json.Key("samplers");
  json.StartArray();
  for (const GltfChannel& channel : channels) {
    json.StartObject();
    json.Key("input"), json.Int(channel.input);
    json.Key("output"), json.Int(channel.output);
    json.EndObject();
  }
  json.EndArray();
  json.Key("channels");
  json.StartArray();
  for (size_t i = 0; i < channels.size(); ++i) {
    json.StartObject();
    json.Key("sampler"), json.Uint64(i);
    json.Key("target");
    json.StartObject();
    json.Key("node"), json.Int(channels[i].node);
    json.Key("path"), json.String(channels[i].path);
    json.EndObject();
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  json.EndArray();
}

int GltfArrays::AddBytes(const void* data, size_t bytes, size_t count, const char* type,
                         int component, int target) {
  Array array;
  array.offset = bytes_.size();
  array.bytes = bytes;
  array.count = count;
  array.component = component;
  array.target = target;
  array.type = type;
  bytes_.append(static_cast<const char*>(data), bytes);
  bytes_.resize((bytes_.size() + 3) / 4 * 4, '\0');
  arrays_.push_back(array);
  return static_cast<int>(arrays_.size()) - 1;
}

int GltfArrays::AddZeros(size_t count) {
  Array array;
  array.count = count;
  array.type = "VEC3";
  array.zeros = true;
  array.low = array.high = {0, 0, 0};
  arrays_.push_back(array);
  return static_cast<int>(arrays_.size()) - 1;
}

std::vector<double> GltfArrays::DistinctTimes(const std::vector<double>& codes_s) {
  std::vector<double> out;
  for (const double code_s : codes_s) {
    if (!out.empty() && static_cast<float>(code_s) <= static_cast<float>(out.back())) continue;
    out.push_back(code_s);
  }
  return out;
}

int GltfArrays::AddTimes(const std::vector<double>& distinct_s) {
  const std::vector<float> times(distinct_s.begin(), distinct_s.end());
  const int accessor = Add(times, "SCALAR", 1, kFloat);
  SetBounds(accessor, times, 1);
  return accessor;
}

void GltfArrays::SetBounds(int accessor, absl::Span<const float> values, size_t width) {
  Array& a = arrays_[static_cast<size_t>(accessor)];
  a.low.assign(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(width));
  a.high = a.low;
  for (size_t i = 0; i < values.size(); ++i) {
    a.low[i % width] = std::min(a.low[i % width], values[i]);
    a.high[i % width] = std::max(a.high[i % width], values[i]);
  }
}

void GltfArrays::Write(JsonWriter& json) const {
  json.Key("accessors");
  json.StartArray();
  int view = 0;
  for (const Array& a : arrays_) {
    json.StartObject();
    if (!a.zeros) json.Key("bufferView"), json.Int(view++);
    json.Key("componentType"), json.Int(a.component);
    json.Key("count"), json.Uint64(a.count);
    json.Key("type"), json.String(a.type);
    if (!a.low.empty()) {
      WriteNumbers(json, "min", a.low);
      WriteNumbers(json, "max", a.high);
    }
    json.EndObject();
  }
  json.EndArray();
  json.Key("bufferViews");
  json.StartArray();
  for (const Array& a : arrays_) {
    if (a.zeros) continue;
    json.StartObject();
    json.Key("buffer"), json.Int(0);
    json.Key("byteOffset"), json.Uint64(a.offset);
    json.Key("byteLength"), json.Uint64(a.bytes);
    if (a.target != 0) json.Key("target"), json.Int(a.target);
    json.EndObject();
  }
  json.EndArray();
}

absl::Status GltfArrays::CheckSize() const {
  if (bytes_.size() <= kMostBytes) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat("the clip would have ", bytes_.size(),
                                                   " bytes as glTF, which has at most ", kMostBytes,
                                                   " here; cut it first"));
}

absl::Status PutGlb(const GltfArrays& arrays, const GltfMembers& members, asset::PutBytes put) {
  std::string json = WholeJson(arrays, members, "");
  json.resize((json.size() + 3) / 4 * 4, ' ');
  const std::string& bytes = arrays.bytes();
  const size_t whole = 12 + 8 + json.size() + 8 + bytes.size();
  if (absl::Status s =
          put(absl::StrCat("glTF", GltfWord(2), GltfWord(whole), GltfWord(json.size()), "JSON",
                           json, GltfWord(bytes.size()), absl::string_view("BIN\0", 4)));
      !s.ok()) {
    return s;
  }
  return put(bytes);
}

absl::Status PutGltf(const GltfArrays& arrays, const GltfMembers& members, asset::PutBytes put) {
  return put(WholeJson(
      arrays, members,
      absl::StrCat("data:application/octet-stream;base64,", absl::Base64Escape(arrays.bytes()))));
}

}  // namespace posewire::gltf
