// Keys, notes and shortcuts as events; controls as variables; models as characters; headsets,
// controllers and eye targets as users; trackers as things; what performers are asked.
#include <cmath>
#include <optional>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "libs/vmc/coordinates.h"
#include "libs/vmc/datagram_reader.h"
#include "services/a2f_source/core/vmc_asker.h"
#include "services/a2f_source/core/vmc_characters.h"
#include "services/a2f_source/core/vmc_events.h"
#include "services/a2f_source/core/vmc_tags.h"
#include "services/a2f_source/core/vmc_users.h"
#include "services/a2f_source/core/vmc_variables.h"

namespace posewire::a2f_source {
namespace {

using ::testing::HasSubstr;

// Returns the one event that a message triggers.
std::optional<std::string> Fired(VmcEvents& events, const vmc::Message& message) {
  std::optional<std::string> fired;
  events.Take(message, [&](const std::string& event) {
    EXPECT_FALSE(fired.has_value());
    fired = event;
  });
  return fired;
}

TEST(VmcEvents, FireByKeyButtonNoteKnobShortcutAndOption) {
  auto events = VmcEvents::Parse({"key:B=bow", "key:#65=ay", "button:Trigger=pull",
                                  "left:Trigger=left_pull", "note:60=middle", "knob:3=up",
                                  "shortcut:Functions.FreeCamera=camera", "option:go=went"});
  ASSERT_TRUE(events.ok()) << events.status();
  EXPECT_EQ(Fired(*events, vmc::Key{1, "b", 66}), "bow");
  EXPECT_EQ(Fired(*events, vmc::Key{0, "b", 66}), std::nullopt);
  EXPECT_EQ(Fired(*events, vmc::Key{1, "A", 65}), "ay");
  EXPECT_EQ(Fired(*events, vmc::Key{1, "C", 67}), std::nullopt);
  EXPECT_EQ(Fired(*events, vmc::ControllerInput{1, "Trigger", 1, 0, 0, {}}), "left_pull");
  EXPECT_EQ(Fired(*events, vmc::ControllerInput{1, "Trigger", 0, 0, 0, {}}), "pull");
  EXPECT_EQ(Fired(*events, vmc::ControllerInput{2, "Trigger", 0, 0, 1, {}}), std::nullopt);
  EXPECT_EQ(Fired(*events, vmc::MidiNote{1, 5, 60, 0.3f}), "middle");
  EXPECT_EQ(Fired(*events, vmc::MidiNote{0, 5, 60, 0}), std::nullopt);
  EXPECT_EQ(Fired(*events, vmc::SetShortcut{"Functions.FreeCamera"}), "camera");
  EXPECT_EQ(Fired(*events, vmc::OptionText{"go"}), "went");
  EXPECT_EQ(Fired(*events, vmc::OptionText{"go"}), std::nullopt);
}

TEST(VmcEvents, AKnobFiresOnceEachTimeItRises) {
  auto events = VmcEvents::Parse({"knob:3=up"});
  ASSERT_TRUE(events.ok());
  const float values[] = {0.2f, 0.5f, 0.9f, 0.4f, 0.6f};
  const bool fires[] = {false, true, false, false, true};
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(Fired(*events, vmc::MidiValue{3, values[i]}).has_value(), fires[i]) << i;
  }
  EXPECT_EQ(Fired(*events, vmc::MidiBit{4, 1}), std::nullopt);
}

TEST(VmcEvents, FireWhenCalibrationOrTrackingChanges) {
  auto events =
      VmcEvents::Parse({"calibration:running=hold_still", "calibration:done=move",
                        "tracking:lost=where", "calibrate:ready=t_pose", "calibrate:exec=click"});
  ASSERT_TRUE(events.ok()) << events.status();
  EXPECT_EQ(Fired(*events, vmc::Ok{1, 2, 0, 1}), "hold_still");
  EXPECT_EQ(Fired(*events, vmc::Ok{1, 2, 0, 1}), std::nullopt);
  EXPECT_EQ(Fired(*events, vmc::Ok{1, {}, {}, {}}), std::nullopt);
  EXPECT_EQ(Fired(*events, vmc::Ok{1, 3, 0, 1}), "move");
  EXPECT_EQ(Fired(*events, vmc::Ok{1, 3, 0, 0}), "where");
  EXPECT_EQ(Fired(*events, vmc::Ok{1, 3, 0, 1}), std::nullopt);
  EXPECT_EQ(Fired(*events, vmc::Ok{1, 9, 0, 1}), std::nullopt) << "VMC has no such state";
  EXPECT_EQ(Fired(*events, vmc::CalibrationReady{}), "t_pose");
  EXPECT_EQ(Fired(*events, vmc::CalibrationExecute{0}), "click");
  EXPECT_FALSE(VmcEvents::Parse({"calibration:finished=move"}).ok());
}

TEST(VmcVariables, FollowKnobsAndTheSendersState) {
  auto variables = VmcVariables::Parse(
      {"knob:3=smile", "tracking=seen", "calibration=calibration", "loaded=here"});
  ASSERT_TRUE(variables.ok()) << variables.status();
  std::vector<std::string> set;
  const auto take = [&](const vmc::Message& m) {
    set.clear();
    variables->Take(m, [&](const std::string& name, float value) {
      set.push_back(absl::StrCat(name, "=", value));
    });
    return set;
  };
  using ::testing::ElementsAre;
  using ::testing::IsEmpty;
  EXPECT_THAT(take(vmc::MidiValue{3, 0.25f}), ElementsAre("smile=0.25"));
  EXPECT_THAT(take(vmc::MidiValue{3, 0.25f}), IsEmpty());
  EXPECT_THAT(take(vmc::MidiValue{4, 0.75f}), IsEmpty());
  EXPECT_THAT(take(vmc::MidiBit{3, 1}), ElementsAre("smile=1"));
  EXPECT_THAT(take(vmc::Ok{1, {}, {}, {}}), ElementsAre("here=1"));
  EXPECT_THAT(take(vmc::Ok{1, 3, 0, 0}), ElementsAre("seen=0", "calibration=3"));
  EXPECT_THAT(take(vmc::Ok{0, 3, 0, 1}), ElementsAre("seen=1", "here=0"));
  set.clear();
  variables->Repeat(
      [&](const std::string& name, float value) { set.push_back(absl::StrCat(name, "=", value)); });
  EXPECT_THAT(set, ElementsAre("smile=1", "seen=1", "calibration=3", "here=0"));
  for (const char* line : {"", "knob:3", "knob:x=a", "smile=a", "tracking="}) {
    const auto bad = VmcVariables::Parse({line});
    ASSERT_FALSE(bad.ok()) << line;
    EXPECT_THAT(bad.status().message(), HasSubstr("WHAT=VARIABLE")) << line;
  }
}

TEST(VmcCharacters, AreChosenByTitleOrOnlineAvatarAndNeverByPath) {
  auto characters = VmcCharacters::Parse({"Anna=woman", "vroidhub:123=man"});
  ASSERT_TRUE(characters.ok()) << characters.status();
  characters->Take(vmc::VrmFile{"/models/man.vrm", "", std::nullopt});
  EXPECT_EQ(characters->chosen(), "");
  characters->Take(vmc::VrmFile{"C:\\any.vrm", "Anna", std::nullopt});
  EXPECT_EQ(characters->chosen(), "woman");
  characters->Take(vmc::RemoteAvatar{"dmmvrconnect", R"({"characterModelId":"123"})"});
  EXPECT_EQ(characters->chosen(), "woman");
  characters->Take(vmc::RemoteAvatar{"vroidhub", R"({"characterModelId":"1234"})"});
  EXPECT_EQ(characters->chosen(), "woman");
  characters->Take(vmc::RemoteAvatar{"vroidhub", R"({"characterModelId":"123"})"});
  EXPECT_EQ(characters->chosen(), "man");
  EXPECT_FALSE(VmcCharacters::Parse({"Anna"}).ok());
  EXPECT_FALSE(VmcCharacters::Parse({"=woman"}).ok());
  EXPECT_FALSE(VmcCharacters::Parse({"Anna=" + std::string(200, 'x')}).ok());
}

// How many of `seconds` of tags at 60 Hz are used, from `now_s`, which advances.
template <typename Tag>
int Used(VmcTags& tags, double seconds, double& now_s, Tag tag) {
  int used = 0;
  for (int k = 0; k < std::lround(seconds * 60); ++k, now_s += 1 / 60.0) {
    used += tags.Use(tag(now_s), false, now_s).has_value() ? 1 : 0;
  }
  return used;
}

TEST(VmcTags, AreTheSendersClockAfterATrial) {
  VmcTags tags;
  double now_s = 10;
  const auto right = [](double t) { return 3.9e9 + t + 0.03 * std::sin(40 * t); };
  EXPECT_EQ(Used(tags, 0.45, now_s, right), 0);
  EXPECT_GT(Used(tags, 1, now_s, right), 55);
  // A few that are a second off are ignored, and change nothing.
  EXPECT_EQ(Used(tags, 0.05, now_s, [](double t) { return 3.9e9 + t + 1; }), 0);
  EXPECT_EQ(Used(tags, 1, now_s, right), 60);
  // The clock was set: after a while, there is a trial again.
  bool lost = false;
  const auto set = [&](double t) {
    lost = lost || tags.lost_trust();
    return 3.9e9 + t + 60;
  };
  EXPECT_LT(Used(tags, 0.7, now_s, set), 10);
  EXPECT_TRUE(lost);
  EXPECT_EQ(Used(tags, 1, now_s, set), 60);
  // VMC's own time wins, for good.
  EXPECT_EQ(tags.Use(3.9e9 + now_s + 60, true, now_s), std::nullopt);
  EXPECT_EQ(Used(tags, 1, now_s, set), 0);
  EXPECT_EQ(tags.Use(std::nullopt, false, now_s), std::nullopt);
}

TEST(VmcTags, ThatStandStillOrCountSecondsAreNotUsed) {
  for (const int kind : {0, 1, 2}) {
    VmcTags tags;
    double now_s = 10.4;
    EXPECT_EQ(Used(tags, 20, now_s,
                   [&](double t) {
                     return kind == 0 ? 3.9e9 : kind == 1 ? 3.9e9 + std::floor(t) : 3.9e9 + 2 * t;
                   }),
              0)
        << kind;
  }
}

std::vector<std::string> Sent(VmcAsker& asker, bool present, double now_s) {
  std::vector<std::string> lines;
  vmc::DatagramReader reader;
  for (const std::string& datagram : asker.Due(present, now_s)) {
    reader.Read(datagram, [&](const vmc::Message& m) {
      lines.emplace_back(vmc::AddressOf(m));
      if (const auto* exec = std::get_if<vmc::CalibrationExecute>(&m)) {
        lines.back() += absl::StrCat(" ", exec->mode);
      }
    });
  }
  return lines;
}

TEST(VmcAsker, AsksEachTimeAPerformerAppears) {
  auto asker = VmcAsker::Make({.period = "1,2,1,1,4,4",
                               .calibration = "floor",
                               .calibrate_after_s = 2,
                               .messages = {"/VMC/Ext/Set/Shortcut \"Functions.FreeCamera\""}});
  ASSERT_TRUE(asker.ok()) << asker.status();
  using ::testing::ElementsAre;
  using ::testing::IsEmpty;
  EXPECT_THAT(Sent(*asker, false, 0), IsEmpty());
  EXPECT_THAT(Sent(*asker, true, 10),
              ElementsAre("/VMC/Ext/Set/Req", "/VMC/Ext/Set/Period", "/VMC/Ext/Set/Calib/Ready",
                          "/VMC/Ext/Set/Shortcut"));
  EXPECT_THAT(Sent(*asker, true, 10.5), IsEmpty());
  EXPECT_THAT(Sent(*asker, true, 11), ElementsAre("/VMC/Ext/Set/Req", "/VMC/Ext/Set/Period"));
  EXPECT_THAT(Sent(*asker, true, 12), ElementsAre("/VMC/Ext/Set/Calib/Exec 2"));
  EXPECT_THAT(Sent(*asker, true, 99), IsEmpty());
  EXPECT_THAT(Sent(*asker, false, 100), IsEmpty());
  EXPECT_THAT(Sent(*asker, true, 101),
              ElementsAre("/VMC/Ext/Set/Req", "/VMC/Ext/Set/Period", "/VMC/Ext/Set/Shortcut"));
  EXPECT_EQ(Sent(*asker, true, 110).size(), 2u) << "no second calibration";
  EXPECT_FALSE(VmcAsker::Make({.period = "1,2,3"}).ok());
  EXPECT_FALSE(VmcAsker::Make({.period = "1,2,3,4,5,0"}).ok());
  EXPECT_FALSE(VmcAsker::Make({.calibration = "fast"}).ok());
  EXPECT_FALSE(VmcAsker::Make({.messages = {"/VMC/Ext/Nothing"}}).ok());
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

TEST(VmcUsers, TrackersAreFeetHipsAndThings) {
  Room room({.devices = {"W=hips", "L=left_foot", "R=me.right_foot", "B=prop:ball"}, .z_m = 1});
  for (const char* serial : {"W", "L", "R", "B"}) {
    room.Take(Device(vmc::DeviceKind::kTracker, serial, {0.1f, 0.2f, 0}), 1);
  }
  const auto users = room.At(1);
  ASSERT_EQ(users.size(), 2u);
  EXPECT_TRUE(users[0].hips && users[0].left_foot && !users[0].right_foot);
  EXPECT_TRUE(users[1].right_foot.has_value());
  const auto props = room.users.PropsAt(room.performer, 1);
  ASSERT_EQ(props.size(), 1u);
  EXPECT_EQ(props[0].name, "ball");
  EXPECT_NEAR(props[0].place.at.z, 1, 1e-6);
  EXPECT_TRUE(room.users.PropsAt(room.performer, 2.1).empty());
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
  for (const char* line : {"", "H", "H=", "=head", "H=foot", "H=.head", "H=prop:"}) {
    const auto users = VmcUsers::Make({.devices = {line}});
    ASSERT_FALSE(users.ok()) << line;
    EXPECT_THAT(users.status().message(), HasSubstr("SERIAL=ROLE")) << line;
  }
}

}  // namespace
}  // namespace posewire::a2f_source
