#include "services/renderer_sink/draw/companions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "absl/status/statusor.h"
#include "libs/mesh/extent.h"

namespace posewire::renderer_sink {
namespace {

using skel::Vec3;

// Room for arms on both sides of those in the picture, and above and below the tallest.
constexpr float kRoomForArms_m = 0.9f, kOfHeight = 1.25f;
// A camera that sees all does not follow motion farther from a character's place.
constexpr float kFarthestSeen_m = 5;

// Has the companion wear a look, and of the other parts what it wears at first.
void Wear(const character::Character& who, const Look& look, size_t number,
          render::Painter& painter) {
  for (const character::Variant& variant : who.variants) {
    (void)painter.ChooseOfCompanion(number, variant.part, variant.choices.front().name);
  }
  for (const auto& [part, choice] : look) (void)painter.ChooseOfCompanion(number, part, choice);
}

}  // namespace

skel::Affine FromTo(const asset::GroundPlace& from, const asset::GroundPlace& to) {
  return skel::Mul(skel::Inverse(asset::Into(from)).value_or(skel::Affine{}), asset::Into(to));
}

float HeightOf(const character::Character& c) {
  return c.framing.extent.high.y - c.framing.extent.low.y;
}

render::Camera SeesAll(absl::Span<const InPicture> all, double turn_deg, float aspect) {
  const float turn = static_cast<float>(turn_deg) * std::numbers::pi_v<float> / 180;
  const Vec3 back{std::sin(turn), 0, std::cos(turn)}, right{back.z, 0, -back.x};
  float tall = 0, high = -std::numeric_limits<float>::infinity(), low = -high;
  Vec3 sum;
  for (const InPicture& one : all) {
    const float at = skel::Dot(one.place.row[3], right);
    low = std::min(low, at - kRoomForArms_m), high = std::max(high, at + kRoomForArms_m);
    sum = sum + one.place.row[3];
    tall = std::max(tall, one.height_m);
    if (!one.moves.any) continue;
    const mesh::Extent box = mesh::Transformed({one.moves.low, one.moves.high}, one.place);
    for (const float x : {box.low.x, box.high.x}) {
      for (const float z : {box.low.z, box.high.z}) {
        const float across = skel::Dot(Vec3{x, 0, z}, right);
        low = std::min(low, std::max(across, at - kFarthestSeen_m));
        high = std::max(high, std::min(across, at + kFarthestSeen_m));
      }
    }
    tall = std::max(tall, std::min(one.moves.high.y, kFarthestSeen_m));
  }
  const Vec3 mean = sum * (1 / static_cast<float>(all.size()));
  render::Camera camera;
  camera.target = right * ((low + high) / 2) + back * skel::Dot(mean, back);
  camera.target.y = 0.52f * tall;
  camera.height_m = std::max(kOfHeight * tall, (high - low) / aspect);
  const float far = camera.height_m / 2 / std::tan(camera.view_rad / 2);
  camera.eye = camera.target + back * far + Vec3{0, 0.04f * far, 0};
  return camera;
}

// Returns the one that it had, or else one that is free, or else a new one.
absl::StatusOr<size_t> Companions::SlotFor(const Member& member, absl::Span<const Member> members,
                                           render::Painter& painter) {
  std::vector<Slot>& slots = slots_[&painter];
  const auto is_free = [&](const Slot& slot) {
    return !slot.taken && std::none_of(members.begin(), members.end(), [&](const Member& one) {
      return one.id == slot.id && one.character == slot.character;
    });
  };
  auto slot = std::find_if(slots.begin(), slots.end(), [&](const Slot& one) {
    return one.id == member.id && one.character == member.character;
  });
  if (slot == slots.end()) {
    slot = std::find_if(slots.begin(), slots.end(), [&](const Slot& one) {
      return one.character == member.character && is_free(one);
    });
  }
  if (slot == slots.end()) {
    const absl::StatusOr<size_t> number = painter.AddCompanion(member.character);
    if (!number.ok()) return number.status();
    slot = slots.insert(slots.end(), {.character = member.character});
    Wear(*member.character, {}, *number, painter);
  }
  slot->id = member.id;
  const auto number = static_cast<size_t>(slot - slots.begin());
  const bool worn = member.look != nullptr && slot->look != *member.look;
  if (worn) {
    slot->look = *member.look;
    Wear(*member.character, slot->look, number, painter);
  }
  if (slot->subdivide != member.subdivide || (worn && member.subdivide > 0)) {
    Subdivide(member, *slot, number, painter);
  }
  return number;
}

// Draws it unrefined if it cannot be refined.
void Companions::Subdivide(const Member& member, Slot& slot, size_t number,
                           render::Painter& painter) {
  slot.subdivide = member.subdivide;
  const absl::StatusOr<std::string> left = painter.SubdivideCompanion(number, member.subdivide);
  const std::string why = left.ok() ? *left : std::string(left.status().message());
  if (!why.empty() && tell_) tell_(member.character->name, why);
}

absl::Status Companions::Show(absl::Span<const Member> members, render::Painter& painter,
                              bool drawn) {
  std::vector<Slot>& slots = slots_[&painter];
  for (Slot& slot : slots) slot.taken = false;
  for (const Member& member : members) {
    const absl::StatusOr<size_t> number = SlotFor(member, members, painter);
    if (!number.ok()) return number.status();
    slots[*number].taken = true;
    const absl::Status s = painter.PoseCompanion(
        *number, {member.at_s, member.pose, member.place, member.offsets, drawn});
    if (!s.ok()) return s;
  }
  for (size_t i = 0; i < slots.size(); ++i) {
    if (!slots[i].taken) painter.HideCompanion(i);
  }
  return absl::OkStatus();
}

}  // namespace posewire::renderer_sink
