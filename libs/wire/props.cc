#include "libs/wire/props.h"

#include <array>
#include <cmath>
#include <utility>

#include "libs/wire/any_entry.h"
#include "libs/wire/wire_writer.h"

namespace posewire::wire {
namespace {

constexpr absl::string_view kPropsType = "posewire.scene.v1.Props";
constexpr float kFar_m = 1e5f, kMostSize_m = 100;

enum : uint32_t { kProps = 1 };
// The floats are numbered from kX to kRotationZ, and from kWidth to kDepth.
enum : uint32_t {
  kName = 1,
  kX,
  kRotationW = 5,
  kRotationZ = 8,
  kShape,
  kWidth,
  kDepth = 12,
  kHeld,
  kHeldBy,
  kUsualSize
};

std::array<float, 7> Place(const Prop& p) {
  return {p.position.x, p.position.y, p.position.z, p.rotation.w,
          p.rotation.x, p.rotation.y, p.rotation.z};
}

size_t TextSize(const std::string& text) { return text.empty() ? 0 : LengthFieldSize(text.size()); }

size_t SizeOf(const Prop& p) {
  return TextSize(p.name) + 10 * kFloatFieldSize + TextSize(p.shape) + (p.held ? 2 : 0) +
         TextSize(p.held_by) + (p.usual_size ? 2 : 0);
}

bool Near(skel::Vec3 v, float most) {
  return std::fabs(v.x) <= most && std::fabs(v.y) <= most && std::fabs(v.z) <= most;
}

bool IsRight(Prop& p) {
  const float square = Dot(p.rotation, p.rotation);
  if (p.name.empty() || !Near(p.position, kFar_m) || !(std::fabs(square - 1) < 2e-2f)) return false;
  p.rotation = Normalized(p.rotation);
  return p.size.x > 0 && p.size.y > 0 && p.size.z > 0 && Near(p.size, kMostSize_m);
}

bool TakeProp(Bytes bytes, Prop& out) {
  std::array<float, 7> place{};
  std::array<float, 3> size{};
  FieldReader fields(bytes);
  for (Field f; fields.Next(&f);) {
    if (f.Is(kName, kLength) && !TakeText(f.bytes, out.name)) return false;
    if (f.Is(kShape, kLength) && !TakeText(f.bytes, out.shape)) return false;
    if (f.Is(kHeldBy, kLength) && !TakeText(f.bytes, out.held_by)) return false;
    if (f.Is(kHeld, kVarint)) out.held = f.value != 0;
    if (f.Is(kUsualSize, kVarint)) out.usual_size = f.value != 0;
    if (f.type != kFixed32) continue;
    if (f.number >= kX && f.number <= kRotationZ) place[f.number - kX] = f.AsFloat();
    if (f.number >= kWidth && f.number <= kDepth) size[f.number - kWidth] = f.AsFloat();
  }
  out.position = {place[0], place[1], place[2]};
  out.rotation = {place[3], place[4], place[5], place[6]};
  out.size = {size[0], size[1], size[2]};
  return fields.ok() && IsRight(out);
}

}  // namespace

skel::Vec3 UsualSize(absl::string_view shape) {
  if (shape == "cup") return {0.08f, 0.1f, 0.08f};
  if (shape == "table") return {1.0f, 0.74f, 0.6f};
  return {0.1f, 0.1f, 0.1f};
}

bool StandsOnItsOrigin(absl::string_view shape) { return shape == "cup" || shape == "table"; }

MetadataEntry ToMetadata(const std::vector<Prop>& props) {
  size_t size = 0;
  for (const Prop& p : props) size += LengthFieldSize(SizeOf(p));
  std::string message(size, '\0');
  auto* const begin = reinterpret_cast<uint8_t*>(message.data());
  WireWriter out(begin);
  for (const Prop& p : props) {
    out.Open(kProps, SizeOf(p));
    if (!p.name.empty()) out.TextField(kName, p.name);
    uint32_t number = kX;
    for (const float v : Place(p)) out.FloatField(number++, v);
    if (!p.shape.empty()) out.TextField(kShape, p.shape);
    number = kWidth;
    for (const float v : {p.size.x, p.size.y, p.size.z}) out.FloatField(number++, v);
    if (p.held) out.VarintField(kHeld, 1);
    if (!p.held_by.empty()) out.TextField(kHeldBy, p.held_by);
    if (p.usual_size) out.VarintField(kUsualSize, 1);
  }
  return PackEntry(kPropsKey, kPropsType, message);
}

std::optional<std::vector<Prop>> ReadProps(const MetadataEntry& entry) {
  const std::optional<Bytes> message = UnpackEntry(entry, kPropsKey, kPropsType);
  if (!message) return std::nullopt;
  std::vector<Prop> out;
  FieldReader fields(*message);
  for (Field f; fields.Next(&f);) {
    if (!f.Is(kProps, kLength)) continue;
    if (out.size() == kMostProps || !TakeProp(f.bytes, out.emplace_back())) return std::nullopt;
  }
  if (!fields.ok()) return std::nullopt;
  return out;
}

std::optional<std::vector<Prop>> PropsIn(const std::vector<MetadataEntry>& entries) {
  std::optional<std::vector<Prop>> out;
  for (const MetadataEntry& entry : entries) {
    if (auto read = ReadProps(entry)) out = std::move(read);
  }
  return out;
}

}  // namespace posewire::wire
