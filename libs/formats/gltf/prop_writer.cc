#include "libs/formats/gltf/prop_writer.h"

#include <rapidjson/document.h>
#include <rapidjson/pointer.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "absl/strings/match.h"
#include "libs/formats/gltf/character_writer.h"
#include "libs/formats/gltf/document_writer.h"
#include "libs/formats/gltf/json.h"

namespace posewire::gltf {
namespace {

// Of a GLB: its header, and the header of a chunk.
constexpr size_t kGlbHeaderBytes = 12, kChunkHeaderBytes = 8;

}  // namespace

absl::StatusOr<std::string> WriteProp(const character::PropModel& model, const std::string& name) {
  return WriteCharacter(character::AsCharacter(model, name));
}

absl::StatusOr<std::string> ScaleProp(absl::string_view glb, skel::Vec3 scale) {
  const absl::Status wrong = absl::InvalidArgumentError("is no GLB of a prop");
  constexpr size_t kJsonStart = kGlbHeaderBytes + kChunkHeaderBytes;
  if (glb.size() < kJsonStart || !absl::StartsWith(glb, "glTF")) return wrong;
  uint32_t json_bytes = 0;
  std::memcpy(&json_bytes, glb.data() + kGlbHeaderBytes, sizeof(json_bytes));
  if (json_bytes > glb.size() - kJsonStart) return wrong;
  rapidjson::Document json;
  if (absl::Status s = ParseJson(glb.substr(kJsonStart, json_bytes), json); !s.ok()) return s;
  const rapidjson::Value* const roots = rapidjson::Pointer("/scenes/0/nodes/0").Get(json);
  if (roots == nullptr || !roots->IsUint()) return wrong;
  rapidjson::Value* const root =
      rapidjson::Pointer("/nodes").Append(rapidjson::SizeType{roots->GetUint()}).Get(json);
  if (root == nullptr || !root->IsObject()) return wrong;
  root->RemoveMember("scale");
  rapidjson::Value factors(rapidjson::kArrayType);
  for (const float one : {scale.x, scale.y, scale.z}) {
    factors.PushBack(static_cast<double>(one), json.GetAllocator());
  }
  root->AddMember("scale", factors, json.GetAllocator());
  rapidjson::StringBuffer text;
  JsonWriter writer(text);
  json.Accept(writer);
  absl::string_view bin = glb.substr(kJsonStart + json_bytes);
  bin.remove_prefix(std::min(bin.size(), kChunkHeaderBytes));
  std::string out = GlbStart({text.GetString(), text.GetSize()}, bin.size());
  out.append(bin.data(), bin.size());
  return out;
}

}  // namespace posewire::gltf
