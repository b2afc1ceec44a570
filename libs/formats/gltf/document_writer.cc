#include "libs/formats/gltf/document_writer.h"

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

const char* TypeOf(size_t width) {
  constexpr const char* kTypes[] = {"SCALAR", "VEC2", "VEC3", "VEC4"};
  return width == 16 ? "MAT4" : kTypes[width - 1];
}

// Writes an index unless it is negative.
void WritePlace(JsonWriter& json, const char* name, int place) {
  if (place >= 0) json.Key(name), json.Int(place);
}

void WriteWholes(JsonWriter& json, const char* name, absl::Span<const int> all) {
  WriteArray(json, name, [&] {
    for (const int one : all) json.Int(one);
  });
}

void WriteNode(JsonWriter& json, const DocumentWriter::Node& node) {
  WriteText(json, "name", node.name);
  if (!node.children.empty()) WriteWholes(json, "children", node.children);
  if (node.translation) {
    const skel::Vec3 t = *node.translation;
    WriteNumbers(json, "translation", {t.x, t.y, t.z});
  }
  if (node.rotation) {
    const skel::Quat q = *node.rotation;
    WriteNumbers(json, "rotation", {q.x, q.y, q.z, q.w});
  }
  const skel::Vec3 s = node.scale;
  if (s.x != 1 || s.y != 1 || s.z != 1) WriteNumbers(json, "scale", {s.x, s.y, s.z});
  WritePlace(json, "mesh", node.mesh);
  WritePlace(json, "skin", node.skin);
  WritePlace(json, "camera", node.camera);
  if (node.prop_shape.empty()) return;
  WriteObject(json, "extras", [&] {
    WriteObject(json, "posewire", [&] {
      WriteObject(json, "prop", [&] {
        WriteText(json, "shape", node.prop_shape);
        const skel::Vec3 size = node.prop_size;
        WriteNumbers(json, "size", {size.x, size.y, size.z});
      });
    });
  });
}

void WriteMesh(JsonWriter& json, const DocumentWriter::Mesh& mesh) {
  WriteText(json, "name", mesh.name);
  WriteArray(json, "primitives", [&] {
    json.StartObject();
    WriteObject(json, "attributes", [&] {
      for (const auto& [name, accessor] : mesh.attributes) WritePlace(json, name, accessor);
    });
    WritePlace(json, "indices", mesh.indices);
    WritePlace(json, "material", mesh.material);
    size_t target = 0;
    WriteObjects(json, "targets", mesh.targets, [&](int accessor) {
      WritePlace(json, "POSITION", accessor);
      if (!mesh.target_normals.empty()) WritePlace(json, "NORMAL", mesh.target_normals[target++]);
    });
    json.EndObject();
  });
  if (!mesh.weights.empty()) WriteNumbers(json, "weights", mesh.weights);
  if (mesh.target_names.empty() && mesh.file_points == 0) return;
  WriteObject(json, "extras", [&] {
    if (!mesh.target_names.empty()) WriteTexts(json, "targetNames", mesh.target_names);
    if (mesh.file_points == 0) return;
    WriteObject(json, "posewire", [&] { json.Key("points"), json.Uint64(mesh.file_points); });
  });
}

void WriteAnimation(JsonWriter& json, const std::string& name,
                    absl::Span<const DocumentWriter::Channel> channels) {
  WriteText(json, "name", name);
  WriteObjects(json, "samplers", channels, [&](const DocumentWriter::Channel& channel) {
    json.Key("input"), json.Int(channel.input);
    json.Key("output"), json.Int(channel.output);
  });
  int sampler = 0;
  WriteObjects(json, "channels", channels, [&](const DocumentWriter::Channel& channel) {
    json.Key("sampler"), json.Int(sampler++);
    WriteObject(json, "target", [&] {
      json.Key("node"), json.Int(channel.node);
      json.Key("path"), json.String(channel.path);
    });
  });
}

}  // namespace

void WriteText(JsonWriter& json, const char* name, const std::string& text) {
  json.Key(name);
  json.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
}

void WriteNumbers(JsonWriter& json, const char* name, absl::Span<const float> all) {
  WriteArray(json, name, [&] {
    for (const float one : all) json.Double(static_cast<double>(one));
  });
}

void WriteTexts(JsonWriter& json, const char* name, absl::Span<const std::string> all) {
  WriteArray(json, name, [&] {
    for (const std::string& one : all) {
      json.String(one.data(), static_cast<rapidjson::SizeType>(one.size()));
    }
  });
}

int DocumentWriter::AddNode(Node node, int parent) {
  const auto place = static_cast<int>(nodes.size());
  nodes.push_back(std::move(node));
  (parent < 0 ? roots : nodes[static_cast<size_t>(parent)].children).push_back(place);
  return place;
}

int DocumentWriter::AddView(const void* data, size_t bytes, int target) {
  views_.push_back({bytes_.size(), bytes, target});
  bytes_.append(static_cast<const char*>(data), bytes);
  bytes_.resize((bytes_.size() + 3) / 4 * 4, '\0');
  return static_cast<int>(views_.size()) - 1;
}

int DocumentWriter::AddArray(int view, int component, size_t count, size_t width) {
  arrays_.push_back({view, component, count, width});
  return static_cast<int>(arrays_.size()) - 1;
}

int DocumentWriter::AddBounded(const std::vector<float>& values, size_t width, int target) {
  const int accessor = Add(values, width, target);
  if (values.empty()) return accessor;
  Array& a = arrays_.back();
  a.low.assign(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(width));
  a.high = a.low;
  for (size_t i = 0; i < values.size(); ++i) {
    a.low[i % width] = std::min(a.low[i % width], values[i]);
    a.high[i % width] = std::max(a.high[i % width], values[i]);
  }
  return accessor;
}

int DocumentWriter::AddMatrices(absl::Span<const skel::Affine> all) {
  std::vector<float> values;
  for (const skel::Affine& m : all) {
    for (size_t r = 0; r < 4; ++r) {
      const skel::Vec3 row = m.row[r];
      values.insert(values.end(), {row.x, row.y, row.z, r == 3 ? 1.0f : 0.0f});
    }
  }
  return Add(values, 16);
}

int DocumentWriter::AddZeros(size_t count) {
  const int accessor = AddArray(-1, kFloat, count, 3);
  arrays_.back().low = arrays_.back().high = {0, 0, 0};
  return accessor;
}

int DocumentWriter::AddOffsets(const std::vector<skel::Vec3>& offsets, int target) {
  std::vector<uint32_t> places;
  std::vector<float> values;
  for (size_t i = 0; i < offsets.size(); ++i) {
    const skel::Vec3 v = offsets[i];
    if (v.x == 0 && v.y == 0 && v.z == 0) continue;
    places.push_back(static_cast<uint32_t>(i));
    values.insert(values.end(), {v.x, v.y, v.z});
  }
  if (places.empty()) return AddZeros(offsets.size());
  const bool narrow = offsets.size() <= std::numeric_limits<uint16_t>::max();
  const size_t place_bytes = narrow ? 2 : 4, value_bytes = 3 * sizeof(float);
  if (places.size() * (place_bytes + value_bytes) >= offsets.size() * value_bytes) {
    std::vector<float> all;
    for (const skel::Vec3& v : offsets) all.insert(all.end(), {v.x, v.y, v.z});
    return AddBounded(all, 3, target);
  }
  const int accessor = AddArray(-1, kFloat, offsets.size(), 3);
  Array& a = arrays_.back();
  a.low = a.high = {0, 0, 0};
  for (size_t i = 0; i < values.size(); ++i) {
    a.low[i % 3] = std::min(a.low[i % 3], values[i]);
    a.high[i % 3] = std::max(a.high[i % 3], values[i]);
  }
  a.filled = places.size();
  if (narrow) {
    const std::vector<uint16_t> few(places.begin(), places.end());
    a.place_component = kUShort;
    a.places = AddView(few.data(), few.size() * sizeof(uint16_t));
  } else {
    a.places = AddView(places.data(), places.size() * sizeof(uint32_t));
  }
  a.values = AddView(values.data(), values.size() * sizeof(float));
  return accessor;
}

int DocumentWriter::AddTimes(const std::vector<double>& distinct_s) {
  return AddBounded(std::vector<float>(distinct_s.begin(), distinct_s.end()), 1);
}

std::vector<double> DocumentWriter::DistinctTimes(const std::vector<double>& time_codes_s) {
  std::vector<double> out;
  for (const double time_code_s : time_codes_s) {
    if (!out.empty() && static_cast<float>(time_code_s) <= static_cast<float>(out.back())) continue;
    out.push_back(time_code_s);
  }
  return out;
}

absl::Status DocumentWriter::CheckSize() const {
  if (bytes_.size() <= kMostBytes) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat("the clip would have ", bytes_.size(),
                                                   " bytes as glTF, which has at most ", kMostBytes,
                                                   " here; cut it first"));
}

// `uri` is that of the buffer; "" if the buffer is the binary chunk of the same file.
std::string DocumentWriter::MakeJson(const std::string& uri) const {
  rapidjson::StringBuffer text;
  JsonWriter json(text);
  json.StartObject();
  WriteObject(json, "asset", [&] {
    json.Key("version"), json.String("2.0");
    json.Key("generator"), json.String("Posewire");
  });
  if (!extensions_used.empty()) WriteTexts(json, "extensionsUsed", extensions_used);
  json.Key("scene"), json.Int(0);
  WriteArray(json, "scenes", [&] {
    json.StartObject();
    WriteWholes(json, "nodes", roots);
    json.EndObject();
  });
  WriteObjects(json, "nodes", nodes, [&](const Node& node) { WriteNode(json, node); });
  WriteObjects(json, "skins", skins, [&](const Skin& skin) {
    WriteWholes(json, "joints", skin.nodes);
    json.Key("inverseBindMatrices"), json.Int(skin.inverse_bind);
  });
  WriteObjects(json, "meshes", meshes, [&](const Mesh& mesh) { WriteMesh(json, mesh); });
  if (!channels.empty()) {
    WriteArray(json, "animations", [&] {
      json.StartObject();
      WriteAnimation(json, animation, channels);
      json.EndObject();
    });
  }
  WriteObjects(json, "cameras", camera_angles_rad, [&](float angle_rad) {
    WriteText(json, "type", "perspective");
    WriteObject(json, "perspective", [&] {
      json.Key("yfov"), json.Double(static_cast<double>(angle_rad));
      json.Key("znear"), json.Double(0.05);
    });
  });
  if (more) more(json);
  WriteObjects(json, "accessors", arrays_, [&](const Array& a) {
    WritePlace(json, "bufferView", a.view);
    json.Key("componentType"), json.Int(a.component);
    if (a.component == kUByte) json.Key("normalized"), json.Bool(true);
    json.Key("count"), json.Uint64(a.count);
    json.Key("type"), json.String(TypeOf(a.width));
    if (!a.low.empty()) {
      WriteNumbers(json, "min", a.low);
      WriteNumbers(json, "max", a.high);
    }
    if (a.filled == 0) return;
    WriteObject(json, "sparse", [&] {
      json.Key("count"), json.Uint64(a.filled);
      WriteObject(json, "indices", [&] {
        WritePlace(json, "bufferView", a.places);
        json.Key("componentType"), json.Int(a.place_component);
      });
      WriteObject(json, "values", [&] { WritePlace(json, "bufferView", a.values); });
    });
  });
  WriteObjects(json, "bufferViews", views_, [&](const View& view) {
    json.Key("buffer"), json.Int(0);
    json.Key("byteOffset"), json.Uint64(view.offset);
    json.Key("byteLength"), json.Uint64(view.bytes);
    if (view.target != 0) json.Key("target"), json.Int(view.target);
  });
  WriteArray(json, "buffers", [&] {
    json.StartObject();
    json.Key("byteLength"), json.Uint64(bytes_.size());
    if (!uri.empty()) WriteText(json, "uri", uri);
    json.EndObject();
  });
  json.EndObject();
  return {text.GetString(), text.GetSize()};
}

absl::Status DocumentWriter::PutGlb(asset::PutBytes put) const {
  if (absl::Status s = put(GlbStart(MakeJson(""), bytes_.size())); !s.ok()) return s;
  return put(bytes_);
}

absl::Status DocumentWriter::PutGltf(asset::PutBytes put) const {
  return put(
      MakeJson(absl::StrCat("data:application/octet-stream;base64,", absl::Base64Escape(bytes_))));
}

std::string GlbStart(std::string json, size_t bytes) {
  json.resize((json.size() + 3) / 4 * 4, ' ');
  const size_t chunk = bytes == 0 ? 0 : 8 + bytes;
  std::string out = absl::StrCat("glTF", GltfWord(2), GltfWord(12 + 8 + json.size() + chunk),
                                 GltfWord(json.size()), "JSON", json);
  if (bytes > 0) absl::StrAppend(&out, GltfWord(bytes), absl::string_view("BIN\0", 4));
  return out;
}

}  // namespace posewire::gltf
