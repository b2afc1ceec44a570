#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "libs/skel/bone_chains.h"
#include "libs/skel/humanoid.h"
#include "libs/skel/pose_mapper.h"
#include "libs/skel/rig_map.h"

namespace posewire::skel {
namespace {

constexpr float kSameLength_m = 1e-6f;
constexpr float kLeastHipsHeight_m = 0.05f;
constexpr float kLeastLimb_m = 1e-3f;

struct Hand {
  HumanBone wrist, middle, index, little;
};
constexpr Hand kHands[] = {
    {HumanBone::kLeftHand, HumanBone::kLeftMiddleProximal, HumanBone::kLeftIndexProximal,
     HumanBone::kLeftLittleProximal},
    {HumanBone::kRightHand, HumanBone::kRightMiddleProximal, HumanBone::kRightIndexProximal,
     HumanBone::kRightLittleProximal},
};

// Returns the ancestors of a joint from the root down, and the joint itself.
std::vector<int> WayDown(const Topology& topology, int joint) {
  std::vector<int> way;
  for (int j = joint; j >= 0; j = topology.parent(j)) way.push_back(j);
  std::reverse(way.begin(), way.end());
  return way;
}

}  // namespace

class RigMapBuilder {
 public:
  RigMapBuilder(std::shared_ptr<const Rig> from, std::shared_ptr<const Rig> to)
      : from_(*from), to_(*to) {
    map_.from_ = std::move(from);
    map_.to_ = std::move(to);
  }

  absl::StatusOr<RigMap> Build() && {
    FindPartners();
    FindShapes();
    if (std::all_of(partner_.begin(), partner_.end(), [](int j) { return j < 0; }) &&
        map_.shapes_.empty()) {
      return absl::InvalidArgumentError(absl::StrCat("rigs ", from_.rig.name(), " and ",
                                                     to_.rig.name(),
                                                     " have no joint and no shape in common"));
    }
    if (from_.rig.stance() == Stance::kAsItStands || to_.rig.stance() == Stance::kAsItStands) {
      FindTurns();
    }
    map_.used_.assign(static_cast<size_t>(from_.rig.joints()), false);
    place_.assign(partner_.size(), -1);
    for (int t = 0; t < to_.rig.joints(); ++t) {
      if (partner_[static_cast<size_t>(t)] >= 0) AddJoint(t);
    }
    AddHips();
    return std::move(map_);
  }

 private:
  // The rotation from the arms-down stance to the T-pose from a joint down: +90 degrees about Z on
  // the left, -90 on the right.
  enum class Rest { kNone, kLeft, kRight };

  static Rest RestOf(HumanBone bone) {
    const auto is = [bone](HumanBone arm) { return bone == arm || HangsOn(bone, arm); };
    if (is(HumanBone::kLeftUpperArm)) return Rest::kLeft;
    return is(HumanBone::kRightUpperArm) ? Rest::kRight : Rest::kNone;
  }

  // One of the two rigs, with data from its bones and its rest pose.
  struct Side {
    explicit Side(const Rig& r) : rig(r) {
      FindRests();
      for (int j = 0; j < rig.joints(); ++j) {
        const int p = rig.topology().parent(j);
        const Quat q = rig.rest().rotation(j);
        const Vec3 t = rig.rest().translation(j);
        turn.push_back(p < 0 ? q : Mul(turn[static_cast<size_t>(p)], q));
        at.push_back(p < 0 ? t
                           : at[static_cast<size_t>(p)] + Rotate(turn[static_cast<size_t>(p)], t));
      }
    }

    void FindRests() {
      rest.assign(static_cast<size_t>(rig.joints()), Rest::kNone);
      std::vector<bool> listed(rest.size(), false);
      for (int b = 0; b < kHumanBones; ++b) {
        const auto bone = static_cast<HumanBone>(b);
        const int j = rig.humanoid().joint(bone);
        if (j < 0 || IsTip(bone)) continue;
        rest[static_cast<size_t>(j)] = RestOf(bone);
        listed[static_cast<size_t>(j)] = true;
      }
      for (int j = 0; j < rig.joints(); ++j) {
        const int p = rig.topology().parent(j);
        if (!listed[static_cast<size_t>(j)] && p >= 0) {
          rest[static_cast<size_t>(j)] = rest[static_cast<size_t>(p)];
        }
      }
    }

    const Rig& rig;
    std::vector<Rest> rest;
    std::vector<Quat> turn;  // rest rotation of each joint, in model space
    std::vector<Vec3> at;    // and its position
  };

  void FindPartners() {
    const size_t joints = static_cast<size_t>(to_.rig.joints());
    std::vector<int> by_name(joints, -1), by_bone(joints, -1);
    int names = 0, bones = 0;
    const auto pair = [](std::vector<int>& partners, int f, int t, int& count) {
      if (f < 0 || t < 0 || partners[static_cast<size_t>(t)] >= 0) return;
      partners[static_cast<size_t>(t)] = f;
      ++count;
    };
    const PoseMapper names_of = PoseMapper::ToRig(from_.rig.joint_paths(), to_.rig);
    for (int f = 0; f < from_.rig.joints(); ++f) {
      int t = names_of.TargetOf(f);
      if (t < 0 && !from_.rig.joint_aliases().empty()) {
        t = to_.rig.FindJoint(from_.rig.joint_aliases()[static_cast<size_t>(f)]);
      }
      pair(by_name, f, t, names);
    }
    for (int b = 0; b < kHumanBones; ++b) {
      const auto bone = static_cast<HumanBone>(b);
      if (IsTip(bone)) continue;
      pair(by_bone, from_.rig.humanoid().end(bone), to_.rig.humanoid().joint(bone), bones);
    }
    // In a skeleton from another source, equal names need not be equal bones: Mixamo's LeftLeg is a
    // shank, and ACE's a thigh.
    by_name_ = from_.rig.stance() == Stance::kAsItStands && bones >= kLeastBones
                   ? names == from_.rig.joints()
                   : names >= bones;
    partner_ = by_name_ ? by_name : by_bone;
  }

  void FindShapes() {
    for (int s = 0; s < from_.rig.shapes(); ++s) {
      const int t = to_.rig.FindShape(from_.rig.shape_names()[static_cast<size_t>(s)]);
      if (t >= 0) map_.shapes_.emplace_back(s, t);
    }
  }

  // Returns the vector from one bone to another at rest, if the rig has both.
  static std::optional<Vec3> Direction(const Side& side, HumanBone bone, HumanBone end) {
    const int a = side.rig.humanoid().joint(bone), b = side.rig.humanoid().joint(end);
    if (a < 0 || b < 0) return std::nullopt;
    const Vec3 way = side.at[static_cast<size_t>(b)] - side.at[static_cast<size_t>(a)];
    if (Length(way) < kLeastLimb_m) return std::nullopt;
    return Normalized(way);
  }

  // Returns the bone at the end of a limb's segment or of a palm.
  static std::optional<HumanBone> EndOf(HumanBone bone) {
    for (const auto& [segment, end] : kLimbSegments) {
      if (segment == bone) return end;
    }
    for (const Hand& hand : kHands) {
      if (hand.wrist == bone) return hand.middle;
    }
    return std::nullopt;
  }

  // Returns the rotation from a limb of `to` at rest to the direction of its partner.
  Quat TurnOf(HumanBone bone, Quat above) const {
    if (const auto end = EndOf(bone)) {
      const auto is = Direction(to_, bone, *end), should = Direction(from_, bone, *end);
      if (is && should) return Mul(BetweenDirections(Rotate(above, *is), *should), above);
    }
    // A sole is flat at rest, regardless of the height of the ankle.
    for (const LegBones& leg : kLegs) {
      if (leg.foot != bone) continue;
      const auto is = Direction(to_, bone, leg.toes), should = Direction(from_, bone, leg.toes);
      if (!is || !should) return {};
      const Vec3 flat_is{is->x, 0, is->z}, flat_should{should->x, 0, should->z};
      if (Length(flat_is) < kLeastLimb_m || Length(flat_should) < kLeastLimb_m) return {};
      return BetweenDirections(Normalized(flat_is), Normalized(flat_should));
    }
    return above;
  }

  // The same about the hand's own axis, so that index and little finger match.
  Quat TurnOfPalm(const Hand& hand, Quat turn) const {
    const auto way = Direction(from_, hand.wrist, hand.middle);
    const auto is = Direction(to_, hand.little, hand.index);
    const auto should = Direction(from_, hand.little, hand.index);
    if (!way || !is || !should) return turn;
    const auto across = [&](Vec3 v) { return v - *way * Dot(v, *way); };
    const Vec3 a = across(Rotate(turn, *is)), b = across(*should);
    if (Length(a) < kLeastLimb_m || Length(b) < kLeastLimb_m) return turn;
    return Mul(BetweenDirections(Normalized(a), Normalized(b)), turn);
  }

  void FindTurns() {
    turns_.assign(partner_.size(), Quat{});
    for (int t = 0; t < to_.rig.joints(); ++t) {
      const int p = to_.rig.topology().parent(t);
      const Quat above = p < 0 ? Quat{} : turns_[static_cast<size_t>(p)];
      const auto bone = to_.rig.humanoid().BoneOf(t);
      Quat& turn = turns_[static_cast<size_t>(t)];
      turn = bone && partner_[static_cast<size_t>(t)] >= 0 ? TurnOf(*bone, above) : above;
      for (const Hand& hand : kHands) {
        if (bone == hand.wrist) turn = TurnOfPalm(hand, turn);
      }
    }
  }

  // Returns the constant rotation from the axes of a joint of `from` to those of its partner.
  Quat After(int f, int t) const {
    Quat stance = turns_.empty() ? Quat{} : turns_[static_cast<size_t>(t)];
    const Rest rest = from_.rest[static_cast<size_t>(f)];
    if (turns_.empty() && from_.rig.stance() != to_.rig.stance() && rest != Rest::kNone) {
      float angle = rest == Rest::kLeft ? kPi / 2 : -kPi / 2;
      if (from_.rig.stance() == Stance::kArmsDown) angle = -angle;
      stance = FromAxisAngle({0, 0, 1}, angle);
    }
    return Mul(Mul(Conjugate(from_.turn[static_cast<size_t>(f)]), stance),
               to_.turn[static_cast<size_t>(t)]);
  }

  // Adds the path in `from` from one joint to another: up, then down.
  void AddLinks(int above, int f) {
    const std::vector<int> down = WayDown(from_.rig.topology(), f);
    const std::vector<int> up =
        above < 0 ? std::vector<int>() : WayDown(from_.rig.topology(), above);
    size_t common = 0;
    while (common < up.size() && common < down.size() && up[common] == down[common]) ++common;
    for (size_t i = up.size(); i > common; --i) map_.links_.push_back({up[i - 1], true});
    for (size_t i = common; i < down.size(); ++i) map_.links_.push_back({down[i], false});
  }

  void AddJoint(int t) {
    RigMap::Joint joint;
    joint.to = t;
    joint.from = partner_[static_cast<size_t>(t)];
    joint.first_rest = static_cast<int>(map_.rests_.size());
    int a = to_.rig.topology().parent(t);
    while (a >= 0 && partner_[static_cast<size_t>(a)] < 0) {
      map_.rests_.push_back(a);
      a = to_.rig.topology().parent(a);
    }
    joint.rests = static_cast<int>(map_.rests_.size()) - joint.first_rest;
    joint.above = a < 0 ? -1 : place_[static_cast<size_t>(a)];

    // The parent of the joint is rotated like the partner above it, and by the joints at rest
    // between them, which are listed from the joint upwards.
    const int above_from = a < 0 ? -1 : partner_[static_cast<size_t>(a)];
    Quat parent = a < 0 ? Quat{} : map_.joints_[static_cast<size_t>(joint.above)].after;
    const absl::Span<const int> rests = map_.RestsOf(joint);
    for (auto r = rests.rbegin(); r != rests.rend(); ++r) {
      parent = Mul(parent, to_.rig.rest().rotation(*r));
    }
    joint.before = Conjugate(parent);
    joint.after = After(joint.from, t);

    joint.first = static_cast<int>(map_.links_.size());
    AddLinks(above_from, joint.from);
    joint.links = static_cast<int>(map_.links_.size()) - joint.first;
    for (const RigMap::Link& link : map_.LinksOf(joint)) {
      map_.used_[static_cast<size_t>(link.joint)] = true;
    }
    const bool direct = joint.rests == 0 && joint.links == 1;
    joint.copies_scale = direct;
    joint.copies_translation = by_name_ && direct;
    joint.translation_shift =
        to_.rig.rest().translation(t) - from_.rig.rest().translation(joint.from);
    if (Length(joint.translation_shift) < kSameLength_m) joint.translation_shift = {};
    place_[static_cast<size_t>(t)] = static_cast<int>(map_.joints_.size());
    map_.joints_.push_back(joint);
  }

  // Returns the middle between the hip joints at rest; the hips joint itself if the rig has none.
  Vec3 HipsPoint(const Side& side, int hips) const {
    const int left = side.rig.humanoid().joint(HumanBone::kLeftUpperLeg);
    const int right = side.rig.humanoid().joint(HumanBone::kRightUpperLeg);
    if (left < 0 || right < 0) return side.at[static_cast<size_t>(hips)];
    return (side.at[static_cast<size_t>(left)] + side.at[static_cast<size_t>(right)]) * 0.5f;
  }

  // Returns how far the ankles are below the hip joints with the leg lengths of `lengths` and the
  // directions of `ways`.
  static std::optional<float> LegsOf(const Side& lengths, const Side& ways) {
    float sum = 0;
    for (const LegBones& leg : kLegs) {
      for (const auto& [bone, end] :
           {std::pair{leg.upper, leg.lower}, std::pair{leg.lower, leg.foot}}) {
        const int a = lengths.rig.humanoid().joint(bone), b = lengths.rig.humanoid().joint(end);
        const auto way = Direction(ways, bone, end);
        if (a < 0 || b < 0 || !way) return std::nullopt;
        sum -= way->y *
               Length(lengths.at[static_cast<size_t>(b)] - lengths.at[static_cast<size_t>(a)]) / 2;
      }
    }
    return sum;
  }

  // The legs of `to` have the directions of those of `from`, not their own at rest: sets the height
  // of the hips so that its ankles are at their rest height.
  void StandOnFeet(RigMap::Hips& hips) const {
    const auto own = LegsOf(from_, from_), here = LegsOf(to_, from_);
    if (!own || !here || *own < kLeastHipsHeight_m || *here < kLeastHipsHeight_m) return;
    float ankles = 0;
    for (const LegBones& leg : kLegs) {
      ankles += to_.at[static_cast<size_t>(to_.rig.humanoid().joint(leg.foot))].y / 2;
    }
    hips.point_to.y = ankles + *here;
    hips.scale = *here / *own;
  }

  void AddHips() {
    const int t = to_.rig.humanoid().joint(HumanBone::kHips);
    const int place = t < 0 ? -1 : place_[static_cast<size_t>(t)];
    if (place < 0) return;
    RigMap::Joint& joint = map_.joints_[static_cast<size_t>(place)];
    if (joint.above >= 0) return;
    if (joint.copies_translation && Length(joint.translation_shift) == 0) return;
    joint.copies_translation = false;

    RigMap::Hips& hips = map_.hips_;
    const auto f = static_cast<size_t>(joint.from), to = static_cast<size_t>(t);
    hips.joint = place;
    hips.point_from = HipsPoint(from_, joint.from);
    hips.point_to = HipsPoint(to_, t);
    hips.offset_from = Rotate(Conjugate(from_.turn[f]), hips.point_from - from_.at[f]);
    hips.offset_to = Rotate(Conjugate(to_.turn[to]), hips.point_to - to_.at[to]);
    if (hips.point_from.y > kLeastHipsHeight_m && hips.point_to.y > kLeastHipsHeight_m) {
      hips.scale = hips.point_to.y / hips.point_from.y;
    }
    if (!turns_.empty()) StandOnFeet(hips);
    const int above = to_.rig.topology().parent(t);
    if (above >= 0) {
      hips.above_to = to_.at[static_cast<size_t>(above)];
      hips.above_turn = to_.turn[static_cast<size_t>(above)];
    }
  }

  const Side from_, to_;
  bool by_name_ = false;
  std::vector<int> partner_;  // for each joint of `to`, in `from`
  std::vector<int> place_;    // for each joint of `to`, in map_.joints_
  // For each joint of `to`, the rotation from its stance to that of `from`; empty: by the rigs'
  // stances.
  std::vector<Quat> turns_;
  RigMap map_;
};

absl::StatusOr<RigMap> RigMap::Make(std::shared_ptr<const Rig> from,
                                    std::shared_ptr<const Rig> to) {
  return RigMapBuilder(std::move(from), std::move(to)).Build();
}

}  // namespace posewire::skel
