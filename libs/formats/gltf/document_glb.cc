// Writes the whole document as one GLB: its buffers one after another, and its pictures in them.
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "libs/formats/gltf/document.h"
#include "libs/formats/gltf/document_writer.h"

namespace posewire::gltf {
namespace {

constexpr char kMeshopt[] = "EXT_meshopt_compression";

void Align(std::string& bytes) { bytes.resize((bytes.size() + 3) / 4 * 4, '\0'); }

const char* MimeTypeOf(absl::string_view picture) {
  if (absl::StartsWith(picture, "\x89PNG")) return "image/png";
  if (absl::StartsWith(picture, "RIFF")) return "image/webp";
  return "image/jpeg";
}

}  // namespace

absl::StatusOr<std::string> Document::ToGlb() {
  rapidjson::Document out;
  auto& memory = out.GetAllocator();
  out.CopyFrom(json_, memory);
  std::string bin;
  rapidjson::Value buffers(rapidjson::kArrayType);
  buffers.PushBack(rapidjson::Value(rapidjson::kObjectType), memory);
  struct Place {
    size_t buffer = 0, offset = 0;
  };
  std::vector<Place> places;
  for (size_t i = 0; i < buffers_.size(); ++i) {
    // A fallback buffer without bytes stays as it is, because the meshopt views use another buffer.
    const bool empty =
        buffers_[i].empty() && root()["buffers"].At(i)["extensions"][kMeshopt].exists();
    if (empty) {
      places.push_back({buffers.Size(), 0});
      buffers.PushBack(out["buffers"][static_cast<rapidjson::SizeType>(i)], memory);
      continue;
    }
    Align(bin);
    places.push_back({0, bin.size()});
    bin.append(buffers_[i].data(), buffers_[i].size());
  }
  const auto move = [&](const Json& said, rapidjson::Value& view) {
    const int buffer = said["buffer"].Index(places.size());
    const int64_t offset = said["byteOffset"].Whole(0, 0, static_cast<int64_t>(limits_.bytes));
    if (buffer < 0) return said.Wrong("names no buffer");
    const Place& place = places[static_cast<size_t>(buffer)];
    for (const char* member : {"buffer", "byteOffset"}) view.RemoveMember(member);
    view.AddMember("buffer", static_cast<uint64_t>(place.buffer), memory);
    view.AddMember("byteOffset",
                   static_cast<uint64_t>(place.offset) + static_cast<uint64_t>(offset), memory);
  };
  const Json views = root()["bufferViews"];
  for (size_t i = 0; i < views.size() && status_.ok(); ++i) {
    rapidjson::Value& view = out["bufferViews"][static_cast<rapidjson::SizeType>(i)];
    if (!views.At(i).IsObject()) views.At(i).Wrong("is no object");
    if (!status_.ok()) break;
    move(views.At(i), view);
    const Json packed = views.At(i)["extensions"][kMeshopt];
    if (packed.exists() && status_.ok()) move(packed, view["extensions"][kMeshopt]);
  }
  const Json images = root()["images"];
  for (size_t i = 0; i < images.size() && status_.ok(); ++i) {
    if (!images.At(i)["uri"].exists()) continue;
    const absl::string_view picture = Image(static_cast<int>(i));
    if (!status_.ok()) break;
    if (!out.HasMember("bufferViews")) {
      out.AddMember("bufferViews", rapidjson::Value(rapidjson::kArrayType), memory);
    }
    Align(bin);
    rapidjson::Value view(rapidjson::kObjectType);
    view.AddMember("buffer", 0, memory)
        .AddMember("byteOffset", static_cast<uint64_t>(bin.size()), memory)
        .AddMember("byteLength", static_cast<uint64_t>(picture.size()), memory);
    bin.append(picture.data(), picture.size());
    rapidjson::Value& image = out["images"][static_cast<rapidjson::SizeType>(i)];
    for (const char* member : {"uri", "mimeType"}) image.RemoveMember(member);
    image.AddMember("bufferView", out["bufferViews"].Size(), memory)
        .AddMember("mimeType", rapidjson::StringRef(MimeTypeOf(picture)), memory);
    out["bufferViews"].PushBack(view, memory);
  }
  if (!status_.ok()) return status_;
  out.RemoveMember("buffers");
  if (!bin.empty() || buffers.Size() > 1) {
    Align(bin);
    buffers[0].AddMember("byteLength", static_cast<uint64_t>(bin.size()), memory);
    out.AddMember("buffers", buffers, memory);
  }
  rapidjson::StringBuffer text;
  rapidjson::Writer<rapidjson::StringBuffer> writer(text);
  out.Accept(writer);
  return GlbStart({text.GetString(), text.GetSize()}, bin.size()) + bin;
}

}  // namespace posewire::gltf
