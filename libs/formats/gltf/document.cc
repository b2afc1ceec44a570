#include "libs/formats/gltf/document.h"

#include <meshoptimizer.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace posewire::gltf {
namespace {

size_t BytesOf(int64_t component) {
  switch (component) {
    case kByte:
    case kUByte:
      return 1;
    case kShort:
    case kUShort:
      return 2;
    case kUInt:
    case kFloat:
      return 4;
    default:
      return 0;
  }
}

int WidthOfType(absl::string_view type) {
  if (type == "SCALAR") return 1;
  if (type == "VEC2") return 2;
  if (type == "VEC3") return 3;
  if (type == "VEC4") return 4;
  if (type == "MAT4") return 16;
  return 0;
}

uint32_t Word(absl::string_view bytes, size_t at) {
  uint32_t v = 0;
  std::memcpy(&v, bytes.data() + at, sizeof(v));
  return v;
}

template <typename T>
T Load(const char* at) {
  T v;
  std::memcpy(&v, at, sizeof(v));
  return v;
}

float AsFloat(const char* at, int component, bool normalized) {
  switch (component) {
    case kByte: {
      const auto v = static_cast<float>(Load<int8_t>(at));
      return normalized ? std::max(v / 127, -1.0f) : v;
    }
    case kUByte:
      return static_cast<float>(Load<uint8_t>(at)) / (normalized ? 255.0f : 1.0f);
    case kShort: {
      const auto v = static_cast<float>(Load<int16_t>(at));
      return normalized ? std::max(v / 32767, -1.0f) : v;
    }
    case kUShort:
      return static_cast<float>(Load<uint16_t>(at)) / (normalized ? 65535.0f : 1.0f);
    case kUInt:
      return static_cast<float>(Load<uint32_t>(at));
    default:
      return Load<float>(at);
  }
}

uint32_t AsWhole(const char* at, int component, bool) {
  switch (component) {
    case kUByte:
      return Load<uint8_t>(at);
    case kUShort:
      return Load<uint16_t>(at);
    default:
      return Load<uint32_t>(at);
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<Document>> Document::Parse(absl::string_view bytes,
                                                          const Limits& limits,
                                                          const ReadSidecar& read_sidecar) {
  std::unique_ptr<Document> out(new Document(limits, read_sidecar));
  if (absl::Status s = out->ParseContainer(bytes); !s.ok()) return s;
  if (absl::Status s = ParseJson(out->text_, out->json_); !s.ok()) return s;
  if (const std::string version = out->root()["asset"]["version"].Text();
      out->status_.ok() && !absl::StartsWith(version, "2.")) {
    return absl::InvalidArgumentError(
        absl::StrCat("asset.version is \"", version, "\", expected 2.0"));
  }
  for (const auto step :
       {&Document::CheckExtensions, &Document::CheckNodes, &Document::LoadBuffers}) {
    if (out->status_.ok()) (out.get()->*step)();
  }
  if (!out->status_.ok()) return out->status_;
  return out;
}

absl::Status Document::ParseContainer(absl::string_view bytes) {
  if (bytes.size() > limits_.bytes) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "the file has ", bytes.size(), " bytes, and at most ", limits_.bytes, " are read"));
  }
  bytes_ = bytes.size();
  if (!absl::StartsWith(bytes, "glTF")) {
    text_ = absl::StripPrefix(bytes, "\xEF\xBB\xBF");
  } else {
    if (bytes.size() < 20) {
      return absl::InvalidArgumentError(
          absl::StrCat("the GLB ends after ", bytes.size(), " bytes, within its header"));
    }
    if (Word(bytes, 4) != 2) {
      return absl::InvalidArgumentError(
          absl::StrCat("the GLB's version is ", Word(bytes, 4), ", expected 2"));
    }
    if (Word(bytes, 8) > bytes.size()) {
      return absl::InvalidArgumentError(absl::StrCat("the GLB has ", bytes.size(), " bytes of the ",
                                                     Word(bytes, 8), " that its header gives"));
    }
    bytes = bytes.substr(0, Word(bytes, 8));
    for (size_t at = 12; at + 8 <= bytes.size();) {
      const size_t length = Word(bytes, at);
      const uint32_t kind = Word(bytes, at + 4);
      if (length > bytes.size() - at - 8) {
        return absl::InvalidArgumentError(absl::StrCat("the GLB's chunk at byte ", at, " has ",
                                                       length, " bytes, and ",
                                                       bytes.size() - at - 8, " are left"));
      }
      const absl::string_view chunk = bytes.substr(at + 8, length);
      if (kind == 0x4E4F534A && text_.empty()) text_ = chunk;
      if (kind == 0x004E4942 && binary_.data() == nullptr) binary_ = chunk;
      at += 8 + length;
    }
  }
  if (text_.empty())
    return absl::InvalidArgumentError("it has no JSON: no glTF, GLB, VRM or .usda file");
  if (text_.size() > limits_.json_bytes) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "its JSON has ", text_.size(), " bytes, and at most ", limits_.json_bytes, " are read"));
  }
  return absl::OkStatus();
}

void Document::CheckExtensions() {
  const Json required = root()["extensionsRequired"];
  for (size_t i = 0; i < required.size(); ++i) {
    const std::string name = required.At(i).Text();
    if (name == "KHR_texture_basisu") {
      return Fail(absl::UnimplementedError(absl::StrCat(
          "the file needs ", name, ": its pictures are KTX2; write them as PNG, JPEG or WebP")));
    }
    const bool known = name == "KHR_mesh_quantization" || name == "KHR_draco_mesh_compression" ||
                       name == "EXT_meshopt_compression" || name == "EXT_texture_webp" ||
                       name == "KHR_texture_transform" || name == "KHR_lights_punctual" ||
                       name == "VRM" || absl::StartsWith(name, "VRMC_") ||
                       absl::StartsWith(name, "KHR_materials_");
    if (!known) {
      return Fail(absl::UnimplementedError(
          absl::StrCat("the file needs the extension \"", name, "\", which is not read")));
    }
  }
}

// In glTF, nodes form trees: no node is its own ancestor or has two parents.
void Document::CheckNodes() {
  const Json nodes = root()["nodes"];
  const size_t count = nodes.size();
  if (count > limits_.nodes) {
    return Fail(absl::ResourceExhaustedError(
        absl::StrCat("the file has ", count, " nodes, and at most ", limits_.nodes, " are read")));
  }
  std::vector<int> parent(count, -1), children, reached;
  for (size_t i = 0; i < count; ++i) {
    const Json below = nodes.At(i)["children"];
    for (size_t k = 0; k < below.size(); ++k) {
      const int child = below.At(k).Index(count);
      if (child < 0) return below.At(k).Wrong("is no node");
      int& above = parent[static_cast<size_t>(child)];
      if (above >= 0) {
        return Fail(absl::InvalidArgumentError(absl::StrCat("nodes[", child, "] has the parents ",
                                                            above, " and ", i, ", expected one")));
      }
      above = static_cast<int>(i);
    }
  }
  // Climbing from a node reaches a root, or takes more steps than there are nodes.
  std::vector<char> good(count, 0);
  for (size_t i = 0; i < count; ++i) {
    size_t steps = 0;
    auto at = static_cast<int>(i);
    while (at >= 0 && good[static_cast<size_t>(at)] == 0 && steps <= count) {
      at = parent[static_cast<size_t>(at)];
      ++steps;
    }
    if (steps > count) {
      return Fail(absl::InvalidArgumentError(absl::StrCat("nodes[", i, "] is below itself")));
    }
    for (at = static_cast<int>(i); at >= 0 && good[static_cast<size_t>(at)] == 0;
         at = parent[static_cast<size_t>(at)]) {
      good[static_cast<size_t>(at)] = 1;
    }
  }
}

absl::string_view Document::Uri(const Json& at) {
  const std::string uri = at.Text();
  absl::StatusOr<std::string> bytes;
  if (absl::StartsWith(uri, "data:")) {
    const size_t comma = uri.find(',');
    std::string plain;
    if (comma == std::string::npos || !absl::EndsWith(uri.substr(0, comma), ";base64") ||
        !absl::Base64Unescape(absl::string_view(uri).substr(comma + 1), &plain)) {
      at.Wrong("is broken: a data URI holds base64");
      return {};
    }
    bytes = std::move(plain);
  } else if (read_sidecar_ == nullptr) {
    at.Wrong(
        absl::StrCat("is \"", uri.substr(0, 80),
                     "\", expected data: a file that is not opened by its path names no other"));
    return {};
  } else {
    bytes = read_sidecar_(uri);
  }
  if (!bytes.ok()) {
    Fail(bytes.status());
    return {};
  }
  bytes_ += bytes->size();
  if (bytes_ > limits_.bytes) {
    Fail(absl::ResourceExhaustedError(absl::StrCat(
        at.path(), ": the file and those that it names have more than ", limits_.bytes, " bytes")));
    return {};
  }
  kept_.push_back(std::make_unique<std::string>(*std::move(bytes)));
  return *kept_.back();
}

void Document::LoadBuffers() {
  const Json buffers = root()["buffers"];
  for (size_t i = 0; i < buffers.size(); ++i) {
    const Json buffer = buffers.At(i);
    const auto length =
        static_cast<size_t>(buffer["byteLength"].Whole(0, 0, static_cast<int64_t>(limits_.bytes)));
    const bool fallback = buffer["extensions"]["EXT_meshopt_compression"].exists();
    absl::string_view bytes;
    if (buffer["uri"].exists()) {
      bytes = Uri(buffer["uri"]);
    } else if (i == 0 && !fallback) {
      bytes = binary_;
    }
    if (!status_.ok()) return;
    // A fallback buffer, for readers that cannot unpack meshopt, often has no bytes.
    if (bytes.size() < length && !fallback) {
      return buffer["byteLength"].Wrong(
          absl::StrCat("is ", length, ", and ", bytes.size(), " bytes are there"));
    }
    buffers_.push_back(bytes.substr(0, length));
  }
  unpacked_.resize(root()["bufferViews"].size());
}

std::string Document::Unpack(const Json& packed) {
  const int buffer = packed["buffer"].Index(buffers_.size());
  const auto most = static_cast<int64_t>(limits_.bytes);
  const auto offset = static_cast<size_t>(packed["byteOffset"].Whole(0, 0, most));
  const auto length = static_cast<size_t>(packed["byteLength"].Whole(0, 0, most));
  const auto stride = static_cast<size_t>(packed["byteStride"].Whole(0, 2, 256));
  const auto count = static_cast<size_t>(packed["count"].Whole(0, 1, most));
  const std::string mode = packed["mode"].Text(), filter = packed["filter"].Text("NONE");
  if (!status_.ok()) return "";
  if (buffer < 0) return packed.Wrong("names no buffer"), "";
  // The library aborts the process if one of these is 0.
  if (count == 0 || stride == 0) return packed.Wrong("has no count or no byteStride"), "";
  const absl::string_view all = buffers_[static_cast<size_t>(buffer)];
  if (offset > all.size() || length > all.size() - offset) {
    packed.Wrong(absl::StrCat("ends at byte ", offset + length, " of a buffer of ", all.size()));
    return "";
  }
  const uint64_t size = static_cast<uint64_t>(count) * stride;
  bytes_ += size;
  if (bytes_ > limits_.bytes) {
    Fail(absl::ResourceExhaustedError(
        absl::StrCat(packed.path(), " unpacks to ", size, " bytes; all may have ", limits_.bytes)));
    return "";
  }
  const auto* from = reinterpret_cast<const unsigned char*>(all.data() + offset);
  std::string out(size, '\0');
  int failed = -1;
  if (mode == "ATTRIBUTES" && stride % 4 == 0) {
    failed = meshopt_decodeVertexBuffer(out.data(), count, stride, from, length);
    if (failed == 0 && filter == "OCTAHEDRAL" && (stride == 4 || stride == 8)) {
      meshopt_decodeFilterOct(out.data(), count, stride);
    } else if (failed == 0 && filter == "QUATERNION" && stride == 8) {
      meshopt_decodeFilterQuat(out.data(), count, stride);
    } else if (failed == 0 && filter == "EXPONENTIAL") {
      meshopt_decodeFilterExp(out.data(), count, stride);
    } else if (filter != "NONE") {
      failed = failed != 0 ? failed : -1;
    }
  } else if (mode == "TRIANGLES" && count % 3 == 0 && (stride == 2 || stride == 4)) {
    failed = meshopt_decodeIndexBuffer(out.data(), count, stride, from, length);
  } else if (mode == "INDICES" && (stride == 2 || stride == 4)) {
    failed = meshopt_decodeIndexSequence(out.data(), count, stride, from, length);
  }
  if (failed != 0) {
    packed.Wrong(absl::StrCat("does not unpack (mode ", mode, ", filter ", filter, ", ", count,
                              " x ", stride, " bytes)"));
    return "";
  }
  return out;
}

absl::string_view Document::Buffer(int buffer) const {
  return buffer < 0 ? absl::string_view() : buffers_[static_cast<size_t>(buffer)];
}

absl::string_view Document::View(int index) {
  const Json view = root()["bufferViews"].At(static_cast<size_t>(index));
  const Json packed = view["extensions"]["EXT_meshopt_compression"];
  if (packed.exists()) {
    std::unique_ptr<std::string>& own = unpacked_[static_cast<size_t>(index)];
    if (own == nullptr) own = std::make_unique<std::string>(Unpack(packed));
    return *own;
  }
  const int64_t most = static_cast<int64_t>(limits_.bytes);
  const absl::string_view all = Buffer(view["buffer"].Index(buffers_.size()));
  const auto offset = static_cast<size_t>(view["byteOffset"].Whole(0, 0, most));
  const auto length = static_cast<size_t>(view["byteLength"].Whole(0, 0, most));
  if (!status_.ok()) return {};
  if (offset > all.size() || length > all.size() - offset) {
    view.Wrong(absl::StrCat("ends at byte ", offset + length, " of a buffer of ", all.size()));
    return {};
  }
  return all.substr(offset, length);
}

absl::string_view Document::Image(int index) {
  const Json image = root()["images"].At(static_cast<size_t>(index));
  if (image["uri"].exists()) return Uri(image["uri"]);
  const int view = image["bufferView"].Index(unpacked_.size());
  if (view >= 0) return View(view);
  image.Wrong("has neither uri nor bufferView");
  return {};
}

bool Document::Take(uint64_t numbers, absl::string_view what) {
  numbers_ += numbers;
  if (numbers_ <= limits_.numbers) return true;
  Fail(absl::ResourceExhaustedError(absl::StrCat(what, ": the file's arrays have more than ",
                                                 limits_.numbers, " numbers, which is the most")));
  return false;
}

size_t Document::CountOf(int accessor) {
  return static_cast<size_t>(root()["accessors"].At(static_cast<size_t>(accessor))["count"].Whole(
      0, 0, static_cast<int64_t>(limits_.numbers)));
}

int Document::WidthOf(int accessor) {
  return WidthOfType(root()["accessors"].At(static_cast<size_t>(accessor))["type"].Text());
}

// Finds an accessor's values. `absent`: it has no view, which means zeros.
bool Document::LayoutOf(int index, int width, Layout& out, bool& absent) {
  const Json accessor = root()["accessors"].At(static_cast<size_t>(index));
  const Json type = accessor["type"];
  out.component = static_cast<int>(accessor["componentType"].Whole(0, kByte, kFloat));
  out.count = CountOf(index);
  out.width = WidthOfType(type.Text());
  out.normalized = accessor["normalized"].Bool(false);
  out.element = BytesOf(out.component) * static_cast<size_t>(width);
  if (!status_.ok()) return false;
  if (out.width != width) {
    type.exists() ? type.Wrong(absl::StrCat("is ", type.Text(), ", expected ", width,
                                            width == 1 ? " number" : " numbers"))
                  : accessor.Wrong("has no type");
    return false;
  }
  if (out.element == 0) {
    accessor["componentType"].exists()
        ? accessor["componentType"].Wrong(absl::StrCat("is ", out.component, ", which is none"))
        : accessor.Wrong("has no componentType");
    return false;
  }
  const Json view_index = accessor["bufferView"];
  absent = !view_index.exists();
  if (absent) return status_.ok();
  const int view = view_index.Index(unpacked_.size());
  if (view < 0) return false;
  out.bytes = View(view);
  const Json written = root()["bufferViews"].At(static_cast<size_t>(view));
  const Json packed = written["extensions"]["EXT_meshopt_compression"];
  const Json stride = packed.exists() ? packed["byteStride"] : written["byteStride"];
  out.stride = static_cast<size_t>(stride.Whole(static_cast<int64_t>(out.element), 0, 256));
  if (out.stride == 0) out.stride = out.element;
  const auto offset =
      static_cast<size_t>(accessor["byteOffset"].Whole(0, 0, static_cast<int64_t>(limits_.bytes)));
  if (!status_.ok()) return false;
  const uint64_t end =
      out.count == 0 ? offset : offset + (out.count - 1) * uint64_t{out.stride} + out.element;
  if (end > out.bytes.size()) {
    accessor.Wrong(absl::StrCat("ends at byte ", end, " of a view of ", out.bytes.size()));
    return false;
  }
  out.bytes = out.bytes.substr(offset);
  return true;
}

template <typename T, typename Convert>
std::vector<T> Document::Values(int index, int width, bool wholes, Convert convert) {
  Layout from;
  bool absent = false;
  if (!LayoutOf(index, width, from, absent)) return {};
  const Json accessor = root()["accessors"].At(static_cast<size_t>(index));
  if (wholes && (from.component == kFloat || from.component == kByte || from.component == kShort)) {
    accessor["componentType"].Wrong(
        absl::StrCat("is ", from.component, ", expected whole numbers"));
    return {};
  }
  if (!Take(from.count * static_cast<uint64_t>(width), accessor.path())) return {};
  std::vector<T> out(from.count * static_cast<size_t>(width));
  const size_t size = BytesOf(from.component);
  const auto w = static_cast<size_t>(width);
  const auto put = [&](size_t place, const char* at) {
    for (size_t k = 0; k < w; ++k) {
      out[place * w + k] = convert(at + k * size, from.component, from.normalized);
    }
  };
  if (!absent) {
    for (size_t i = 0; i < from.count; ++i) put(i, from.bytes.data() + i * from.stride);
  }
  const Json sparse = accessor["sparse"];
  if (!sparse.exists()) return out;
  const auto count =
      static_cast<size_t>(sparse["count"].Whole(0, 0, static_cast<int64_t>(from.count)));
  const Json places = sparse["indices"], values = sparse["values"];
  const auto component = places["componentType"].Whole(0, kUByte, kUInt);
  const int place_view = places["bufferView"].Index(unpacked_.size());
  const int value_view = values["bufferView"].Index(unpacked_.size());
  if (!status_.ok()) return {};
  if (place_view < 0 || value_view < 0) return sparse.Wrong("has no bufferView"), std::vector<T>();
  absl::string_view place = View(place_view), value = View(value_view);
  const int64_t most = static_cast<int64_t>(limits_.bytes);
  const auto place_at = static_cast<size_t>(places["byteOffset"].Whole(0, 0, most));
  const auto value_at = static_cast<size_t>(values["byteOffset"].Whole(0, 0, most));
  const size_t place_size = BytesOf(component);
  if (!status_.ok()) return {};
  if (place_size == 0 || component == kShort || place_at > place.size() ||
      count * place_size > place.size() - place_at || value_at > value.size() ||
      count * from.element > value.size() - value_at) {
    sparse.Wrong(absl::StrCat("has ", count, " values, and its views hold fewer"));
    return {};
  }
  for (size_t i = 0; i < count; ++i) {
    const uint32_t at =
        AsWhole(place.data() + place_at + i * place_size, static_cast<int>(component), false);
    if (at >= from.count) {
      sparse.Wrong(absl::StrCat(".indices[", i, "] is ", at, ", expected less than ", from.count));
      return {};
    }
    put(at, value.data() + value_at + i * from.element);
  }
  return out;
}

std::vector<float> Document::Floats(int accessor, int width) {
  std::vector<float> out = Values<float>(accessor, width, false, AsFloat);
  for (size_t i = 0; i < out.size(); ++i) {
    if (std::isfinite(out[i]) && std::fabs(out[i]) < 1e9f) continue;
    root()["accessors"]
        .At(static_cast<size_t>(accessor))
        .Wrong(absl::StrCat("has ", out[i], " at ", i / static_cast<size_t>(width),
                            ", expected a number"));
    return {};
  }
  return out;
}

std::vector<uint32_t> Document::Wholes(int accessor, int width) {
  return Values<uint32_t>(accessor, width, true, AsWhole);
}

}  // namespace posewire::gltf
