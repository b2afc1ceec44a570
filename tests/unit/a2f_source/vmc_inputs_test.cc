// Keys, notes and shortcuts as events; headsets, controllers and eye targets as users.
#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "libs/vmc/coordinates.h"
#include "services/a2f_source/core/vmc_events.h"
#include "services/a2f_source/core/vmc_users.h"

namespace posewire::a2f_source {
namespace {

using ::testing::HasSubstr;

TEST(VmcEvents, FireByKeyButtonNoteKnobShortcutAndOption) {
  auto events = VmcEvents::Parse({"key:B=bow", "key:#65=ay", "button:Trigger=pull",
                                  "left:Trigger=left_pull", "note:60=middle", "knob:3=up",
                                  "shortcut:Functions.FreeCamera=camera", "option:go=went"});
  ASSERT_TRUE(events.ok()) << events.status();
  EXPECT_EQ(events->Take(vmc::Key{1, "b", 66}), "bow");
  EXPECT_EQ(events->Take(vmc::Key{0, "b", 66}), std::nullopt);
  EXPECT_EQ(events->Take(vmc::Key{1, "A", 65}), "ay");
  EXPECT_EQ(events->Take(vmc::Key{1, "C", 67}), std::nullopt);
  EXPECT_EQ(events->Take(vmc::ControllerInput{1, "Trigger", 1, 0, 0, {}}), "left_pull");
  EXPECT_EQ(events->Take(vmc::ControllerInput{1, "Trigger", 0, 0, 0, {}}), "pull");
  EXPECT_EQ(events->Take(vmc::ControllerInput{2, "Trigger", 0, 0, 1, {}}), std::nullopt);
  EXPECT_EQ(events->Take(vmc::MidiNote{1, 5, 60, 0.3f}), "middle");
  EXPECT_EQ(events->Take(vmc::MidiNote{0, 5, 60, 0}), std::nullopt);
  EXPECT_EQ(events->Take(vmc::SetShortcut{"Functions.FreeCamera"}), "camera");
  EXPECT_EQ(events->Take(vmc::OptionText{"go"}), "went");
  EXPECT_EQ(events->Take(vmc::OptionText{"go"}), std::nullopt);
}

TEST(VmcEvents, AKnobFiresOnceEachTimeItRises) {
  auto events = VmcEvents::Parse({"knob:3=up"});
  ASSERT_TRUE(events.ok());
  const float values[] = {0.2f, 0.5f, 0.9f, 0.4f, 0.6f};
  const bool fires[] = {false, true, false, false, true};
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(events->Take(vmc::MidiValue{3, values[i]}).has_value(), fires[i]) << i;
  }
  EXPECT_EQ(events->Take(vmc::MidiBit{4, 1}), std::nullopt);
}

TEST(VmcEvents, LinesOfAnotherFormSayWhatIsRight) {
  for (const char* line : {"", "key:B", "key:B=", "=bow", "key=bow", "mouse:1=bow", "note:C=bow"}) {
    const auto events = VmcEvents::Parse({line});
    ASSERT_FALSE(events.ok()) << line;
    EXPECT_THAT(events.status().message(), HasSubstr("WHAT=EVENT")) << line;
  }
}

vmc::DevicePose Device(vmc::DeviceKind kind, const char* serial, skel::Vec3 at) {
  return {kind, false, serial, vmc::ToUnity({at, {}})};
}

struct Room {
  explicit Room(VmcUserSettings settings = {}) : users(*VmcUsers::Make(settings)) {}
  std::vector<VmcUser> At(double now_s) { return users.At(performer, {{0, 1.5f, 0}, {}}, now_s); }
  void Take(const vmc::Message& m, double now_s) { performer.Take(m, now_s); }
  VmcUsers users;
  vmc::Performer performer;
};

TEST(VmcUsers, AHeadsetIsTheHeadAndControllersAreHandsByTheirSide) {
  Room room;
  room.Take(Device(vmc::DeviceKind::kHeadset, "H", {0, 1.6f, 1}), 10);
  room.Take(Device(vmc::DeviceKind::kController, "C1", {0.3f, 1, 1}), 10);
  room.Take(Device(vmc::DeviceKind::kController, "C2", {-0.3f, 1, 1}), 10);
  room.Take(Device(vmc::DeviceKind::kTracker, "waist", {0, 0.9f, 1}), 10);
  auto users = room.At(10);
  ASSERT_EQ(users.size(), 1u);
  EXPECT_EQ(users[0].name, "vmc");
  ASSERT_TRUE(users[0].head && users[0].left_hand && users[0].right_hand);
  EXPECT_NEAR(users[0].head->at.z, 1, 1e-6);
  EXPECT_NEAR(users[0].left_hand->at.x, 0.3, 1e-6);
  EXPECT_NEAR(users[0].right_hand->at.x, -0.3, 1e-6);
  // A hand that crosses over stays the hand that it was.
  room.Take(Device(vmc::DeviceKind::kController, "C1", {-0.5f, 1, 1}), 10.1);
  EXPECT_NEAR(room.At(10.1)[0].left_hand->at.x, -0.5, 1e-6);
}

TEST(VmcUsers, SettingsNamePeopleAndPlaceThem) {
  Room room({.name = "me",
             .devices = {"T1=left_hand", "H2=you.head", "C9=none"},
             .x_m = 1,
             .z_m = 2,
             .turn_deg = 180});
  room.Take(Device(vmc::DeviceKind::kTracker, "T1", {0.5f, 1, 0}), 1);
  room.Take(Device(vmc::DeviceKind::kTracker, "H2", {0, 1.7f, 1}), 1);
  room.Take(Device(vmc::DeviceKind::kController, "C9", {0, 1, 0}), 1);
  const auto users = room.At(1);
  ASSERT_EQ(users.size(), 2u);
  EXPECT_EQ(users[0].name, "me");
  EXPECT_NEAR(users[0].left_hand->at.x, 0.5, 1e-5);
  EXPECT_NEAR(users[0].left_hand->at.z, 2, 1e-5);
  EXPECT_EQ(users[1].name, "you");
  EXPECT_NEAR(users[1].head->at.z, 1, 1e-5);
  EXPECT_FALSE(users[1].left_hand || users[1].right_hand);
}

TEST(VmcUsers, AUserIsGoneAfterASecondWithoutData) {
  Room room;
  room.Take(Device(vmc::DeviceKind::kHeadset, "H", {0, 1.6f, 1}), 10);
  EXPECT_EQ(room.At(10.9).size(), 1u);
  EXPECT_TRUE(room.At(11.1).empty());
}

TEST(VmcUsers, AnEyeTargetIsToldFromTheHeadOrFromTheWorld) {
  Room room;
  // Unity: a metre to the avatar's right.
  room.Take(vmc::SetEye{1, {1, 0, 2}}, 5);
  auto users = room.At(5);
  ASSERT_EQ(users.size(), 1u);
  ASSERT_TRUE(users[0].gaze.has_value());
  EXPECT_NEAR(users[0].gaze->x, -1, 1e-6);
  EXPECT_NEAR(users[0].gaze->y, 1.5, 1e-6);
  EXPECT_NEAR(users[0].gaze->z, 2, 1e-6);
  room.Take(vmc::SetEye{0, {1, 0, 2}}, 5.1);
  EXPECT_TRUE(room.At(5.1).empty());

  Room world({.eye_target_in_world = true});
  world.Take(vmc::SetEye{1, {1, 0.5f, 2}}, 5);
  EXPECT_NEAR(world.At(5)[0].gaze->y, 0.5, 1e-6);
}

// How often, of 60 times in two seconds, somebody with a headset is said to speak.
int Speaks(const char* shape, float (*open)(double)) {
  Room room;
  int speaks = 0;
  for (int k = 0; k < 60; ++k) {
    const double now_s = 10 + k / 30.0;
    room.Take(Device(vmc::DeviceKind::kHeadset, "H", {0, 1.6f, 1}), now_s);
    room.Take(vmc::BlendValue{shape, open(now_s - 10)}, now_s);
    room.Take(vmc::BlendApply{}, now_s);
    speaks += room.At(now_s).at(0).speaks;
  }
  return speaks;
}

TEST(VmcUsers, WhoseMouthMovesWithSyllablesSpeaks) {
  const auto syllables = [](double t) {
    return t < 1 ? static_cast<float>(0.2 + 0.2 * std::sin(25 * t)) : 0.2f;
  };
  for (const char* shape : {"JawOpen", "A", "aa"}) {
    const int speaks = Speaks(shape, syllables);
    EXPECT_GT(speaks, 30) << shape;
    EXPECT_LT(speaks, 48) << shape << ": it ends half a second after the last syllable";
  }
  const auto yawn = [](double t) { return static_cast<float>(std::sin(1.6 * t)); };
  const auto noise = [](double t) { return static_cast<float>(0.3 + 0.02 * std::sin(30 * t)); };
  EXPECT_EQ(Speaks("JawOpen", yawn), 0);
  EXPECT_EQ(Speaks("JawOpen", noise), 0);
  EXPECT_EQ(Speaks("mouthSmileLeft", syllables), 0);
}

TEST(VmcUsers, LinesOfAnotherFormSayWhatIsRight) {
  for (const char* line : {"", "H", "H=", "=head", "H=foot", "H=.head"}) {
    const auto users = VmcUsers::Make({.devices = {line}});
    ASSERT_FALSE(users.ok()) << line;
    EXPECT_THAT(users.status().message(), HasSubstr("SERIAL=ROLE")) << line;
  }
}

}  // namespace
}  // namespace posewire::a2f_source
