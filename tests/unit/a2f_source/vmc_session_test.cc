#include "services/a2f_source/core/vmc_session.h"

#include <algorithm>
#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "libs/wire/appearance.h"
#include "libs/wire/vmc_entry.h"
#include "tests/unit/a2f_source/vmc_recorder.h"
#include "tests/unit/a2f_source/vmc_sender.h"

namespace posewire::a2f_source {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Stage {
  explicit Stage(VmcSessionSettings settings = {}) {
    auto made = VmcSession::Make(settings, &out);
    if (!made.ok()) ADD_FAILURE() << made.status();
    session = *std::move(made);
  }
  void Offer(const std::vector<vmc::Message>& messages, VmcPort port = VmcPort::kMarionette) {
    std::vector<std::string> elements;
    for (const vmc::Message& m : messages) elements.push_back(Encoded(m));
    session->Offer(Bundle(elements), port, now_s);
  }
  // Ticks at 60 Hz, each after `messages`.
  void Run(double seconds, const std::vector<vmc::Message>& messages = {}) {
    for (int k = 0; k < std::lround(seconds * 60); ++k) {
      now_s += 1 / 60.0;
      if (!messages.empty()) Offer(messages);
      session->Tick(now_s);
    }
  }
  double now_s = 1000;
  VmcRecorder out;
  std::unique_ptr<VmcSession> session;
};

vmc::BonePose Bone(const char* name, skel::Quat turn = {}) {
  return {name, vmc::ToUnity({{0, 0.1f, 0}, turn})};
}
const vmc::Message kNod = Bone("Head", {0.98f, 0.2f, 0, 0});

TEST(VmcSession, ARequestBeginsWithThePerformerAndEndsInSilence) {
  Stage s;
  s.Run(1);
  EXPECT_TRUE(s.out.requests.empty());
  s.Run(1, {kNod});
  ASSERT_EQ(s.out.requests.size(), 1u);
  EXPECT_FALSE(s.out.requests[0].ended);
  const size_t alive = s.out.requests[0].frames.size();
  EXPECT_NEAR(static_cast<double>(alive), 60 * 0.85, 2);
  // The last pose is held for half a second, then nothing is sent, then it is over.
  s.Run(2);
  EXPECT_NEAR(static_cast<double>(s.out.requests[0].frames.size() - alive), 30, 2);
  EXPECT_FALSE(s.out.requests[0].ended);
  EXPECT_EQ(s.session->counts().gaps, 1u);
  s.Run(1.1);
  EXPECT_TRUE(s.out.requests[0].ended);
  s.Run(1, {kNod});
  EXPECT_EQ(s.out.requests.size(), 2u);
}

TEST(VmcSession, ExpressionsOfAnotherShapeSetBecomeArkits) {
  Stage s;
  s.Run(1, {vmc::BlendValue{"viseme_sil", 0}, vmc::BlendValue{"viseme_PP", 0},
            vmc::BlendValue{"viseme_ou", 1}, vmc::BlendApply{}});
  ASSERT_EQ(s.out.requests.size(), 1u);
  ASSERT_NE(s.session->shape_set().set, nullptr);
  EXPECT_EQ(s.session->shape_set().set->id(), "oculus");
  EXPECT_EQ(s.session->shape_set().matched, 3);
  EXPECT_EQ(s.session->performer().counts().unknown_shapes, 0u);
  const auto& shapes = s.out.requests[0].header.skel_animation_header().blend_shapes();
  EXPECT_THAT(shapes, ::testing::Contains("mouthPucker"));
  EXPECT_THAT(shapes, ::testing::Not(::testing::Contains("browInnerUp")));
}

TEST(VmcSession, AfterAShortSilenceTheRequestGoesOn) {
  Stage s;
  s.Run(1, {kNod});
  s.Run(2);
  const size_t before = s.out.requests[0].frames.size();
  s.Run(0.5, {kNod});
  ASSERT_EQ(s.out.requests.size(), 1u);
  EXPECT_GE(s.out.requests[0].frames.size(), before + 29);
}

TEST(VmcSession, ASenderWithoutAModelEndsItAtOnce) {
  Stage s;
  s.Run(1, {kNod, vmc::Ok{1, {}, {}, {}}});
  s.Run(0.1, {kNod, vmc::Ok{0, {}, {}, {}}});
  ASSERT_EQ(s.out.requests.size(), 1u);
  EXPECT_TRUE(s.out.requests[0].ended);
}

TEST(VmcSession, TheHeaderNamesWhatTheSenderHasAndNoMore) {
  Stage s;
  s.Run(1, {kNod, vmc::BlendValue{"JawOpen", 0.5f}, vmc::BlendApply{}});
  ASSERT_EQ(s.out.requests.size(), 1u);
  const auto& skel = s.out.requests[0].header.skel_animation_header();
  EXPECT_THAT(skel.blend_shapes(), ElementsAre("jawOpen"));
  EXPECT_LT(skel.joints_size(), 12);
  EXPECT_THAT(skel.joints(skel.joints_size() - 1), HasSubstr("skullbase"));
  EXPECT_EQ(s.out.requests[0].header.source_service_id(), "vmc");
}

TEST(VmcSession, WhatComesLaterGetsARequestOfItsOwn) {
  Stage s;
  s.Run(1, {kNod});
  s.Run(1, {kNod, Bone("LeftLowerArm")});
  ASSERT_EQ(s.out.requests.size(), 2u);
  EXPECT_TRUE(s.out.requests[0].ended);
  EXPECT_GT(s.out.requests[1].header.skel_animation_header().joints_size(),
            s.out.requests[0].header.skel_animation_header().joints_size());
  // Codes go on.
  EXPECT_GT(s.out.requests[1].frames.front().skel_animation().rotations(0).time_code(),
            s.out.requests[0].frames.back().skel_animation().rotations(0).time_code());
}

TEST(VmcSession, CodesLieOnTheGridAndRise) {
  Stage s;
  s.Run(2, {kNod});
  double last = -1;
  for (const auto& frame : s.out.requests[0].frames) {
    const double time_code_s = frame.skel_animation().rotations(0).time_code();
    EXPECT_NEAR(time_code_s * 60, std::round(time_code_s * 60), 1e-6);
    EXPECT_GT(time_code_s, last);
    last = time_code_s;
  }
}

TEST(VmcSession, APerformerPortSetsTheRateOfEachKind) {
  Stage s;
  s.Offer({vmc::SetPeriod{1, 1, 4, 2, 1, 1}}, VmcPort::kPerformer);
  s.Run(2, {kNod, vmc::BlendValue{"JawOpen", 0.5f}, vmc::BlendApply{}});
  int bones = 0, shapes = 0, frames = 0;
  for (const auto& frame : s.out.requests[0].frames) {
    ++frames;
    bones += frame.skel_animation().rotations_size();
    shapes += frame.skel_animation().blend_shape_weights_size();
  }
  EXPECT_NEAR(bones, frames / 4.0, 1);
  EXPECT_NEAR(shapes, frames / 2.0, 1);
  Stage other;
  other.Offer({vmc::SetPeriod{1, 1, 4, 2, 1, 1}}, VmcPort::kMarionette);
  other.Run(1, {kNod});
  for (const auto& frame : other.out.requests[0].frames) {
    EXPECT_EQ(frame.skel_animation().rotations_size(), 1);
  }
}

TEST(VmcSession, ACameraBecomesTheStreamsCamera) {
  Stage s;
  // Unity: three metres in front, turned about to look at the avatar.
  const vmc::UnityPose pose{{1, 1.5f, 3}, {0, 0, 1, 0}};
  s.Run(1, {kNod, vmc::CameraPose{"Cam", pose, 27}});
  const auto& camera = s.out.requests[0].frames.back().camera();
  ASSERT_EQ(camera.position_size(), 1);
  EXPECT_NEAR(camera.position(0).value().x(), -1, 1e-6);
  EXPECT_NEAR(camera.position(0).value().z(), 3, 1e-6);
  const auto& q = camera.rotation(0).value();
  // It looks along its own -Z: to -Z of the stream.
  const skel::Vec3 looks = skel::Rotate({q.real(), q.i(), q.j(), q.k()}, {0, 0, -1});
  EXPECT_NEAR(looks.z, -1, 1e-5);
  EXPECT_NEAR(camera.focal_length(0).value(), 50, 0.1);
}

TEST(VmcSession, UsersAndEventsComeOut) {
  Stage s({.events = {"key:B=bow"}});
  s.Offer({vmc::Key{1, "B", 66}});
  s.Run(0.2, {vmc::DevicePose{vmc::DeviceKind::kHeadset, false, "H", {{0, 1.6f, 1}, {}}}});
  EXPECT_THAT(s.out.events, ElementsAre("bow"));
  EXPECT_NEAR(static_cast<double>(s.out.users.size()), 6, 1);
  EXPECT_TRUE(s.out.requests.empty());
}

// Messages in the metadata of a request's frames.
std::vector<std::string> ExtrasOf(const VmcRecorder::Request& request) {
  std::vector<std::string> addresses;
  vmc::DatagramReader reader;
  for (const auto& frame : request.frames) {
    for (const auto& [key, any] : frame.metadata()) {
      const auto bundle = wire::VmcBundleIn({key, any.SerializeAsString()});
      if (!bundle) continue;
      reader.Read(*bundle,
                  [&](const vmc::Message& m) { addresses.emplace_back(vmc::AddressOf(m)); });
    }
  }
  return addresses;
}

TEST(VmcSession, WhatAStreamHasNoFieldForTravelsInItsMetadata) {
  Stage s;
  s.Run(1, {kNod});
  s.Offer({vmc::Key{1, "A", 65}, vmc::MidiBit{2, 1}, vmc::Through{"/VMC/Thru/a/b", "x", 1.5f}});
  s.Run(0.1, {kNod});
  EXPECT_THAT(ExtrasOf(s.out.requests.at(0)),
              ElementsAre("/VMC/Ext/Key", "/VMC/Ext/Midi/CC/Bit", "/VMC/Thru/a/b"));
  // States are repeated for pulls that begin later.
  s.Offer({vmc::BackgroundColor{{0, 1, 0, 1}}});
  s.Run(3.1, {kNod});
  EXPECT_GE(ExtrasOf(s.out.requests.at(0)).size(), 5u);
  // It does not outlive the performer; what the next one says before moving is kept.
  s.Run(4);
  s.Offer({vmc::Light{"Sun", {}, {1, 1, 1, 1}}});
  s.Run(1, {kNod});
  EXPECT_THAT(ExtrasOf(s.out.requests.at(1)), ElementsAre("/VMC/Ext/Light"));
}

TEST(VmcSession, VariablesAreRepeatedAndLostTrackingDoesNotOutliveThePerformer) {
  Stage s({.variables = {"knob:1=smile"}});
  s.Offer({vmc::MidiValue{1, 0.5f}});
  s.Run(11, {kNod});
  EXPECT_GE(s.out.variables.size(), 3u);
  s.Offer({vmc::Ok{1, 3, 0, 0}});
  EXPECT_TRUE(s.session->tracking_lost());
  s.Run(5);
  EXPECT_FALSE(s.session->tracking_lost());
  const size_t before = s.out.requests.size();
  s.Run(1, {kNod});
  EXPECT_EQ(s.out.requests.size(), before + 1) << "the next sender says nothing about tracking";
}

TEST(VmcSession, LostTrackingHoldsThePoseAndThenCountsAsSilence) {
  Stage s({.variables = {"tracking=tracked"}});
  s.Run(1, {kNod, vmc::Ok{1, 3, 0, 1}});
  const size_t before = s.out.requests.at(0).frames.size();
  const auto newest = [&] {
    return s.out.requests.at(0).frames.back().skel_animation().rotations(0).values();
  };
  const auto held = newest();
  // What the sender makes up meanwhile is not shown.
  s.Run(2, {Bone("Head", {0.5f, 0.8f, 0, 0}), vmc::Ok{1, 3, 0, 0}});
  EXPECT_NEAR(static_cast<double>(s.out.requests[0].frames.size() - before), 30, 2);
  const auto now = newest();
  for (int j = 0; j < held.size(); ++j) EXPECT_EQ(now[j].real(), held[j].real());
  EXPECT_EQ(s.out.requests.size(), 1u);
  EXPECT_EQ(s.session->counts().gaps, 1u);
  s.Run(0.5, {kNod, vmc::Ok{1, 3, 0, 1}});
  EXPECT_EQ(s.out.requests.size(), 1u);
  const auto last = std::unique(s.out.variables.begin(), s.out.variables.end());  // repeated
  s.out.variables.erase(last, s.out.variables.end());
  EXPECT_THAT(s.out.variables, ElementsAre(std::pair<std::string, float>("tracked", 1),
                                           std::pair<std::string, float>("tracked", 0),
                                           std::pair<std::string, float>("tracked", 1)));
}

TEST(VmcSession, EyesLookAtTheTargetUnlessTheSenderMovesThem) {
  Stage s;
  const vmc::SetEye left{1, {-1, 0, 2}};  // Unity's X is the avatar's right
  s.Run(1, {kNod, left});
  const auto& request = s.out.requests.at(0);
  const auto shapes = request.header.skel_animation_header().blend_shapes();
  const auto weight = [&](const VmcRecorder::Request& r, const std::string& name) {
    const auto& names = r.header.skel_animation_header().blend_shapes();
    const auto at = std::find(names.begin(), names.end(), name) - names.begin();
    return r.frames.back().skel_animation().blend_shape_weights(0).values(static_cast<int>(at));
  };
  ASSERT_EQ(shapes.size(), 8);
  EXPECT_GT(weight(request, "eyeLookOutLeft"), 0.6f);
  EXPECT_EQ(weight(request, "eyeLookInLeft"), 0);

  Stage moved;
  moved.Run(1, {kNod, left, vmc::BlendValue{"EyeLookInLeft", 0.4f}, vmc::BlendApply{}});
  EXPECT_NEAR(weight(moved.out.requests.at(0), "eyeLookInLeft"), 0.4f, 1e-5);
}

TEST(VmcSession, ModelsChooseCharactersAndTrackersMoveThings) {
  Stage s({.users = {.devices = {"B=prop:ball"}}, .characters = {"Anna=woman"}});
  s.Offer({vmc::VrmFile{"x", "Somebody", std::nullopt}});
  s.Run(1, {kNod, vmc::DevicePose{vmc::DeviceKind::kTracker, false, "B", {{-1, 0, 0}, {}}}});
  const auto chosen = [&] {
    std::vector<std::string> names;
    for (const auto& frame : s.out.requests.at(0).frames) {
      for (const auto& [key, any] : frame.metadata()) {
        const auto appearance = wire::ReadAppearance({key, any.SerializeAsString()});
        if (appearance) names.push_back(appearance->character);
      }
    }
    return names;
  };
  EXPECT_TRUE(chosen().empty());
  s.Offer({vmc::VrmFile{"x", "Anna", std::nullopt}});
  s.Run(1, {kNod});
  EXPECT_THAT(chosen(), ElementsAre("woman"));
  ASSERT_FALSE(s.out.props.empty());
  EXPECT_EQ(s.out.props[0].name, "ball");
  EXPECT_FLOAT_EQ(s.out.props[0].place.at.x, 1);
}

TEST(VmcSession, WhatASenderSaysAboutItselfIsToldOnce) {
  Stage s;
  for (int k = 0; k < 3; ++k) {
    s.Offer({vmc::Receives{1, 39540, "10.0.0.2"}, vmc::ConfigFile{"a.json"},
             vmc::WindowAttributes{1, 0, 0, 1}});
    s.Offer({vmc::SetResponse{"done"}, vmc::SetConfig{"b.json"}}, VmcPort::kPerformer);
  }
  using Told = std::pair<std::string, std::string>;
  EXPECT_THAT(
      s.out.told,
      ElementsAre(Told("/VMC/Ext/Rcv", "1 39540 10.0.0.2"), Told("/VMC/Ext/Config", "a.json"),
                  Told("/VMC/Ext/Setting/Win", "1 0 0 1"), Told("/VMC/Ext/Set/Res", "done"),
                  Told("/VMC/Ext/Set/Config", "b.json")));
}

TEST(VmcSession, TheNextPerformerInheritsNothing) {
  Stage s({.variables = {"loaded=here"}, .characters = {"Anna=woman"}});
  s.Offer({vmc::VrmFile{"x", "Anna", std::nullopt}});
  s.Run(1, {kNod, vmc::Ok{1, {}, {}, {}}, vmc::Time{5}});
  s.Run(4);
  EXPECT_EQ(s.out.variables.back(), (std::pair<std::string, float>("here", 0.0f)));
  const size_t told = s.out.variables.size();
  s.Run(20);
  EXPECT_EQ(s.out.variables.size(), told) << "nothing keeps a stream alive";
  // A face alone, without a time of its own.
  s.Run(1, {vmc::BlendValue{"JawOpen", 0.5f}, vmc::BlendApply{}});
  ASSERT_EQ(s.out.requests.size(), 2u);
  EXPECT_EQ(s.out.requests[1].header.skel_animation_header().joints_size(), 0);
  for (const auto& frame : s.out.requests[1].frames) EXPECT_TRUE(frame.metadata().empty());
}

TEST(VmcSession, ASenderThatNeverAppliesIsUnderstood) {
  Stage s;
  s.Run(1, {kNod, vmc::BlendValue{"JawOpen", 0.5f}});
  const auto& frame = s.out.requests.back().frames.back().skel_animation();
  ASSERT_EQ(frame.blend_shape_weights_size(), 1);
  EXPECT_NEAR(frame.blend_shape_weights(0).values(0), 0.5, 1e-3);
}

TEST(VmcSession, ASenderThatStartsAgainGoesOn) {
  Stage s;
  for (int k = 0; k < 60; ++k) s.Run(1 / 60.0, {vmc::Time{500 + static_cast<float>(k) / 60}, kNod});
  for (int k = 0; k < 60; ++k) {
    s.Run(1 / 60.0, {vmc::Time{static_cast<float>(k) / 60}, Bone("Head", {0, 0, 1, 0})});
  }
  EXPECT_EQ(s.out.requests.size(), 1u);
  const auto& keys = s.out.requests[0].frames.back().skel_animation().rotations(0);
  const auto& q = keys.values(keys.values_size() - 1);
  EXPECT_NEAR(std::fabs(q.j()), 1, 1e-3);
}

TEST(VmcSession, ASkeletonThatIsTurnedInItsTPoseIsTakenFromThere) {
  Stage s({.t_pose_first = true});
  const skel::Quat rest = skel::FromAxisAngle({0, 1, 0}, 1.2f);
  const skel::Quat nod = skel::FromAxisAngle({1, 0, 0}, 0.4f);
  s.Run(1, {Bone("Head", rest)});
  const auto turn = [&] {
    const auto& keys = s.out.requests[0].frames.back().skel_animation().rotations(0);
    const auto& q = keys.values(keys.values_size() - 1);
    return skel::Quat{q.real(), q.i(), q.j(), q.k()};
  };
  EXPECT_LT(skel::AngleBetween(turn(), {}), 1e-4f);
  // About the axis of the body, not that of the turned bone.
  s.Run(1, {Bone("Head", skel::Mul(nod, rest))});
  EXPECT_LT(skel::AngleBetween(turn(), nod), 1e-3f);
}

TEST(VmcSession, SettingsThatMakeNoSenseAreRejected) {
  VmcRecorder out;
  for (const VmcSessionSettings& settings :
       {VmcSessionSettings{.hold_s = 2, .gone_s = 1}, VmcSessionSettings{.fps = {0, 1}},
        VmcSessionSettings{.users = {.devices = {"nonsense"}}},
        VmcSessionSettings{.events = {"nonsense"}}}) {
    EXPECT_EQ(VmcSession::Make(settings, &out).status().code(), absl::StatusCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace posewire::a2f_source
