#include "libs/character/body_contact.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "libs/character/deformer.h"
#include "libs/character_file/builtin.h"
#include "libs/skel/local_to_model_job.h"
#include "libs/skel/rig_map.h"
#include "tests/support/allocation_count.h"
#include "tests/unit/character/reading.h"
#include "tests/unit/character/tube_person.h"

namespace posewire::character {
namespace {

using skel::HandTouch;
using skel::HumanBone;
using skel::kLeft;
using skel::kRight;
using skel::Pose;
using skel::Quat;
using skel::Vec3;

const skel::Rig& Standard() {
  static const auto rig = *Rigs().Find("hanim_loa3");
  return *rig;
}

// What a person with the standard's bones is in a pose, by name of the bone, and the same person
// drawn.
struct Places {
  std::function<Vec3(HumanBone)> at;

  Vec3 Palm(const skel::Hand& hand) const {
    return at(hand.hand) + (at(hand.knuckle) - at(hand.hand)) * 0.7f;
  }
  Vec3 Between(HumanBone a, HumanBone b) const { return (at(a) + at(b)) * 0.5f; }
  Vec3 Hips() const { return Between(HumanBone::kLeftUpperLeg, HumanBone::kRightUpperLeg); }
  Vec3 Shoulders() const { return Between(HumanBone::kLeftUpperArm, HumanBone::kRightUpperArm); }
};

Places Of(const skel::PoseView& pose) {
  return {[pose](HumanBone bone) { return skel::At(Standard(), pose, bone); }};
}
Places Of(const Deformer& deformer) {
  return {[&deformer](HumanBone bone) {
    const Character& c = deformer.character();
    for (const Link& link : c.links) {
      if (c.rig->humanoid().BoneOf(link.joint) == bone) {
        return deformer.nodes()[static_cast<size_t>(link.node)].row[3];
      }
    }
    ADD_FAILURE() << "no " << skel::NameOf(bone);
    return Vec3{};
  }};
}

// Where a point is, seen from a tube that rises from `low`: how high, how far round it by its
// angle, and how far off its surface.
struct OnTube {
  float height_m, round_rad, off_m;
};
OnTube Beside(Vec3 point, Vec3 low, HandTouch::Ring ring) {
  const Vec3 p = point - low;
  const float x = p.x / ring.side_m, z = p.z / (p.z > 0 ? ring.front_m : ring.back_m);
  const float far = std::hypot(p.x, p.z);
  return {p.y, std::atan2(x, z), far - far / std::hypot(x, z)};
}
HandTouch::Ring At(const HandTouch::Rings& rings, float share) {
  const float at = std::clamp(share, 0.0f, 1.0f) * (HandTouch::kRings - 1);
  const auto k = std::min(static_cast<size_t>(at), HandTouch::kRings - 2);
  const float t = at - static_cast<float>(k);
  const auto &a = rings[k], &b = rings[k + 1];
  return {a.side_m + (b.side_m - a.side_m) * t, a.front_m + (b.front_m - a.front_m) * t,
          a.back_m + (b.back_m - a.back_m) * t};
}

struct Scene {
  const TubePerson& who;
  Places was, is;
  float scale;  // of the hands

  // How far a palm is from the same place at the trunk: as high in it, as far round, as far off.
  float OffTrunk(const skel::Hand& hand) const {
    const float was_m = was.Shoulders().y - was.Hips().y, is_m = is.Shoulders().y - is.Hips().y;
    const float share = (was.Palm(hand).y - was.Hips().y) / was_m;
    const Vec3 low = was.Hips() + (was.Shoulders() - was.Hips()) * share;
    const OnTube a =
        Beside(was.Palm(hand), {low.x, was.Hips().y, low.z}, At(StandardFlesh().trunk, share));
    const OnTube b = Beside(is.Palm(hand), is.Hips(), who.trunk);
    return Apart(a, b, is_m / was_m);
  }
  float OffHead(const skel::Hand& hand) const {
    const Flesh& flesh = StandardFlesh();
    const Vec3 chin = was.at(HumanBone::kHead) + flesh.chin;
    const float share = (was.Palm(hand).y - chin.y) / flesh.skull.y;
    const OnTube a = Beside(was.Palm(hand), chin, At(flesh.head, share));
    const OnTube b = Beside(is.Palm(hand), {0, who.chin_m, 0}, who.head);
    return Apart(a, b, share < 0 ? scale : (who.top_m - who.chin_m) / flesh.skull.y);
  }
  float Apart(OnTube a, OnTube b, float tall) const {
    const float radius = std::hypot(who.trunk.side_m * std::sin(a.round_rad),
                                    who.trunk.front_m * std::cos(a.round_rad));
    return std::hypot(b.height_m - a.height_m * tall, (b.round_rad - a.round_rad) * radius,
                      b.off_m - a.off_m * scale);
  }
  float OffPalms() const {
    return skel::Length((is.Palm(kLeft) - is.Palm(kRight)) -
                        (was.Palm(kLeft) - was.Palm(kRight)) * scale);
  }
  // How deep a palm is in the trunk and thighs, of which a tube is made.
  float InThighs() const {
    float most = 0;
    for (const skel::Hand& hand : {kLeft, kRight}) {
      most = std::max(most, 0.02f - Beside(is.Palm(hand), is.Hips(), who.trunk).off_m);
    }
    return most;
  }
};

// Something done with the hands: puts palms of the standard person there, and says by how much a
// character fails.
struct Deed {
  const char* name;
  std::vector<std::pair<skel::Hand, Vec3>> palms;
  std::function<float(const Scene&)> off;
};
const std::vector<Deed>& Deeds() {
  static const auto& deeds = *new std::vector<Deed>{
      {"hands folded",
       {{kLeft, {0.03f, 1.08f, 0.19f}}, {kRight, {-0.03f, 1.07f, 0.2f}}},
       [](const Scene& s) { return s.OffPalms(); }},
      {"hands folded low",
       {{kLeft, {0.03f, 0.9f, 0.17f}}, {kRight, {-0.03f, 0.89f, 0.19f}}},
       [](const Scene& s) { return s.OffPalms(); }},
      {"hands on the hips",
       {{kLeft, {0.2f, 1.05f, 0.03f}}, {kRight, {-0.2f, 1.05f, 0.03f}}},
       [](const Scene& s) { return std::max(s.OffTrunk(kLeft), s.OffTrunk(kRight)); }},
      {"a hand on the hip",
       {{kRight, {-0.2f, 1.03f, 0.05f}}},
       [](const Scene& s) { return s.OffTrunk(kRight); }},
      {"a hand on the belly",
       {{kLeft, {-0.02f, 1.12f, 0.16f}}},
       [](const Scene& s) { return s.OffTrunk(kLeft); }},
      {"hands hanging", {}, [](const Scene& s) { return s.InThighs(); }},
      {"clap",
       {{kLeft, {0.03f, 1.25f, 0.38f}}, {kRight, {-0.03f, 1.25f, 0.38f}}},
       [](const Scene& s) { return s.OffPalms(); }},
      {"fist at the chin",
       {{kRight, {-0.02f, 1.52f, 0.12f}}},
       [](const Scene& s) { return s.OffHead(kRight); }},
      {"hand at the mouth",
       {{kRight, {-0.03f, 1.57f, 0.14f}}},
       [](const Scene& s) { return s.OffHead(kRight); }},
      {"salute",
       {{kRight, {-0.11f, 1.66f, 0.07f}}},
       [](const Scene& s) { return s.OffHead(kRight); }},
      {"hand at the ear",
       {{kLeft, {0.13f, 1.6f, 0.02f}}},
       [](const Scene& s) { return s.OffHead(kLeft); }},
      {"hand on the heart",
       {{kRight, {0.04f, 1.31f, 0.16f}}},
       [](const Scene& s) { return s.OffTrunk(kRight); }},
  };
  return deeds;
}

Pose PoseOf(const Deed& deed) {
  Pose pose(Standard().joints(), Standard().shapes());
  pose.span().CopyFrom(Standard().rest());
  for (const auto& [hand, palm] : deed.palms) skel::Reach(Standard(), pose.span(), hand, palm);
  return pose;
}

Pose Mapped(const Character& c, const Pose& pose) {
  const auto map = skel::RigMap::Make(*Rigs().Find("hanim_loa3"), c.rig);
  EXPECT_TRUE(map.ok()) << map.status();
  Pose out(c.rig->joints(), c.rig->shapes());
  map->Apply(pose.view(), out.span());
  return out;
}

TEST(BodyContact, PutsHandsWhereTheyBelongOnBodiesOfOtherBuilds) {
  for (const Deed& deed : Deeds()) {
    const Pose pose = PoseOf(deed);
    float with_m = 0, without_m = 0;
    for (const TubePerson& who : kTubePeople) {
      const auto person = Good(who.Glb());
      ASSERT_NE(person, nullptr);
      ASSERT_NE(person->contact, nullptr) << who.name;
      auto bare = std::make_shared<Character>(*person);
      bare->contact = nullptr;
      const Pose mapped = Mapped(*person, pose);
      for (const auto& c : {person, std::shared_ptr<const Character>(bare)}) {
        Deformer deformer(c);
        ASSERT_TRUE(deformer.PoseJoints(mapped.view()).ok());
        const Scene scene{who, Of(pose.view()), Of(deformer), who.hand_m / StandardFlesh().hand_m};
        const float off = deed.off(scene);
        if (c == person)
          std::cout << deed.name << ", " << who.name << ": " << 1000 * off << " mm\n";
        float& most = c == person ? with_m : without_m;
        most = std::max(most, off);
      }
    }
    EXPECT_LT(with_m, 0.02f) << deed.name;
    EXPECT_GT(without_m, 0.02f) << deed.name << ": there was something to keep";
  }
}

// Hands that come near the body and part from it again, slowly: nothing jumps.
TEST(BodyContact, BeginsAndEndsSmoothly) {
  for (const TubePerson& who : kTubePeople) {
    const auto person = Good(who.Glb());
    Deformer deformer(person);
    std::vector<Vec3> last;
    constexpr int kSteps = 300;
    for (int k = 0; k <= kSteps; ++k) {
      const float t = static_cast<float>(k) / kSteps;
      const Pose pose = PoseOf({"",
                                {{kLeft, {0.03f + 0.2f * t, 1.1f + 0.1f * t, 0.17f + 0.2f * t}},
                                 {kRight, {-0.03f - 0.1f * t, 1.1f + 0.5f * t, 0.2f}}},
                                nullptr});
      ASSERT_TRUE(deformer.PoseJoints(Mapped(*person, pose).view()).ok());
      const Places is = Of(deformer);
      const std::vector<Vec3> now = {is.Palm(kLeft), is.Palm(kRight), is.at(kLeft.lower),
                                     is.at(kRight.lower)};
      for (size_t i = 0; i < last.size(); ++i) {
        EXPECT_LT(skel::Length(now[i] - last[i]), 0.02f) << who.name << " at " << t;
      }
      last = now;
    }
  }
}

// Arms out to the sides, and up, are as they were to the bit.
TEST(BodyContact, LeavesHandsThatTouchNothing) {
  const auto person = Good(kTubePeople[0].Glb());
  auto bare = std::make_shared<Character>(*person);
  bare->contact = nullptr;
  Deformer with(person), without(bare);
  for (const float deg : {40.0f, 90.0f, 150.0f}) {
    Pose pose = PoseOf({"", {}, nullptr});
    for (const skel::Hand& hand : {kLeft, kRight}) {
      skel::TurnInModel(Standard(), Standard().humanoid().joint(hand.upper),
                        skel::FromAxisAngle({0, 0, 1}, hand.sign * deg * skel::kDegree),
                        pose.span());
    }
    const Pose mapped = Mapped(*person, pose);
    ASSERT_TRUE(with.PoseJoints(mapped.view()).ok());
    ASSERT_TRUE(without.PoseJoints(mapped.view()).ok());
    for (size_t n = 0; n < with.nodes().size(); ++n) {
      EXPECT_EQ(skel::Length(with.nodes()[n].row[3] - without.nodes()[n].row[3]), 0) << deg;
    }
  }
}

TEST(BodyContact, DoesNotAllocateAndGivesTheSameTwice) {
  const auto person = Good(kTubePeople[1].Glb());
  Deformer deformer(person);
  const Pose pose = Mapped(*person, PoseOf(Deeds()[0]));
  ASSERT_TRUE(deformer.PoseJoints(pose.view()).ok());
  const Vec3 first = Of(deformer).Palm(kLeft);
  const AllocationCount allocated;
  const absl::Status posed = deformer.PoseJoints(pose.view());
  EXPECT_EQ(allocated.count(), 0);
  ASSERT_TRUE(posed.ok()) << posed;
  EXPECT_EQ(skel::Length(Of(deformer).Palm(kLeft) - first), 0);
}

// The built-in woman is who gestures look right on: her flesh is the standard's.
TEST(BodyContact, TakesTheBuiltInWomanForTheStandard) {
  const std::string file(character_file::BuiltinFile("woman"));
  if (file.empty()) GTEST_SKIP() << "the built-in people are not made";
  const auto woman = Good(file);
  ASSERT_NE(woman, nullptr);
  const Flesh is = FleshOf(*woman), &was = StandardFlesh();
  for (const auto& [a, b] : {std::pair{was.trunk, is.trunk}, {was.pelvis, is.pelvis}}) {
    for (size_t k = 0; k < a.size(); ++k) {
      EXPECT_NEAR(a[k].side_m, b[k].side_m, 0.04f) << k;
      EXPECT_NEAR(a[k].front_m, b[k].front_m, 0.04f) << k;
    }
  }
  EXPECT_NEAR(skel::Length(was.chin - is.chin), 0, 0.03f);
  EXPECT_NEAR(was.skull.y, is.skull.y, 0.04f);
  EXPECT_NEAR(was.hand_m, is.hand_m, 0.01f);
}

// What the page's contacts.js is held to: measures of one person, and what turns arms in some
// poses.
std::string Fixture() {
  std::ostringstream out;
  out << std::fixed;
  out.precision(5);
  const auto vec = [&](Vec3 v) { out << " " << v.x << " " << v.y << " " << v.z; };
  const auto quat = [&](Quat q) { out << " " << q.w << " " << q.x << " " << q.y << " " << q.z; };
  const auto flesh = [&](const char* name, const Flesh& f) {
    for (const auto& [part, rings] :
         {std::pair{"trunk", f.trunk}, {"pelvis", f.pelvis}, {"head", f.head}}) {
      out << "flesh " << name << " " << part;
      for (const auto& ring : rings) vec({ring.side_m, ring.front_m, ring.back_m});
      out << "\n";
    }
    out << "flesh " << name << " lengths";
    vec(f.chin), vec(f.skull);
    out << " " << f.hand_m << "\n";
  };
  flesh("standard", StandardFlesh());
  for (size_t p = 0; p < std::size(kTubePeople); ++p) {
    const TubePerson& who = kTubePeople[p];
    const auto person = Good(who.Glb());
    auto bare = std::make_shared<Character>(*person);
    bare->contact = nullptr;
    Deformer deformer(bare);
    const auto each = [&](auto act) {
      for (const Link& link : person->links) {
        const auto bone = person->rig->humanoid().BoneOf(link.joint);
        if (bone) act(*bone, link.joint, deformer.nodes()[static_cast<size_t>(link.node)].row[3]);
      }
    };
    out << "person " << p << "\n";
    EXPECT_TRUE(deformer.Pose(person->rig->rest()).ok());
    each([&](HumanBone bone, int, Vec3 at) {
      out << "rest " << skel::NameOf(bone);
      vec(at);
      out << "\n";
    });
    if (p == 1) {
      const Mesh& mesh = person->meshes[0];
      for (size_t i = 0; i < mesh.points.size(); ++i) {
        const int node = person->skins[0].nodes[static_cast<size_t>(mesh.joints[i * 4])];
        out << "point " << person->nodes[static_cast<size_t>(node)].name;
        vec(deformer.points(0)[i]);
        out << "\n";
      }
    }
    flesh("own", person->contact->flesh());
    for (size_t d = p; d < Deeds().size(); d += 4) {
      const Pose pose = Mapped(*person, PoseOf(Deeds()[d]));
      EXPECT_TRUE(deformer.PoseJoints(pose.view()).ok());
      const auto joints = static_cast<size_t>(person->rig->joints());
      std::vector<Quat> rests(joints), turns(joints);
      for (const bool rest : {true, false}) {
        Pose whole(person->rig->joints(), person->rig->shapes());
        whole.span().CopyFrom(person->rig->rest());
        for (int j = 0; !rest && j < person->rig->joints(); ++j) {
          if (pose.view().has_r[j]) whole.span().SetRotation(j, pose.view().rotation(j));
        }
        skel::LocalToModelJob walk;
        walk.rig = person->rig.get();
        walk.local = whole.view();
        walk.rotations = absl::MakeSpan(rest ? rests : turns);
        EXPECT_TRUE(walk.Run());
      }
      out << "deed " << d << "\n";
      for (int b = 0; b < skel::kHumanBones; ++b) {
        const auto bone = static_cast<HumanBone>(b);
        const int joint = person->rig->humanoid().joint(bone);
        if (joint < 0) continue;
        const auto j = static_cast<size_t>(joint);
        out << "turned " << skel::NameOf(bone);
        quat(skel::Mul(turns[j], skel::Conjugate(rests[j])));
        out << "\n";
      }
      each([&](HumanBone bone, int, Vec3 at) {
        out << "at " << skel::NameOf(bone);
        vec(at);
        out << "\n";
      });
      const std::vector<Quat> before = turns;
      person->contact->Apply(rests, deformer.nodes(), absl::MakeSpan(turns));
      for (const HumanBone bone : {kLeft.upper, kLeft.lower, kRight.upper, kRight.lower}) {
        const auto j = static_cast<size_t>(person->rig->humanoid().joint(bone));
        out << "by " << skel::NameOf(bone);
        quat(skel::Mul(turns[j], skel::Conjugate(before[j])));
        out << "\n";
      }
    }
  }
  return out.str();
}

TEST(BodyContact, IsWhatThePageIsHeldTo) {
  const char* source = std::getenv("POSEWIRE_SOURCE_DIR");
  std::ifstream file(std::string(source == nullptr ? "." : source) +
                     "/tests/data/body_contact.txt");
  const std::string now = Fixture(), kept = testing::TempDir() + "body_contact.txt";
  std::ofstream(kept) << now;
  std::istringstream words(now);
  std::string is, was;
  for (size_t n = 0; words >> is; ++n) {
    ASSERT_TRUE(file >> was) << "tests/data/body_contact.txt ends early; it would be " << kept;
    char *end_is = nullptr, *end_was = nullptr;
    const float a = std::strtof(is.c_str(), &end_is), b = std::strtof(was.c_str(), &end_was);
    if (*end_is == 0 && *end_was == 0) {
      ASSERT_NEAR(a, b, 2e-3f) << "word " << n << "; it would be " << kept;
    } else {
      ASSERT_EQ(is, was) << "word " << n << "; it would be " << kept;
    }
  }
}

}  // namespace
}  // namespace posewire::character
