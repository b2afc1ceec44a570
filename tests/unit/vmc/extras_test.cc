#include "libs/vmc/extras.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "libs/vmc/datagram_reader.h"

namespace posewire::vmc {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Addresses of what goes with the next frame, and texts.
std::vector<std::string> NextOf(Extras& extras, bool all = false) {
  std::vector<std::string> out;
  DatagramReader reader;
  for (const std::string& bundle : extras.Next(all, 0)) {
    reader.Read(bundle, [&](const Message& m) {
      std::string text(AddressOf(m));
      if (const auto* key = std::get_if<Key>(&m)) absl::StrAppend(&text, " ", key->name);
      if (const auto* light = std::get_if<Light>(&m)) absl::StrAppend(&text, " ", light->name);
      if (const auto* vrm = std::get_if<VrmFile>(&m)) {
        absl::StrAppend(&text, " ", vrm->path, " ", vrm->title);
      }
      if (const auto* config = std::get_if<ConfigFile>(&m)) {
        absl::StrAppend(&text, " ", config->path);
      }
      out.push_back(text);
    });
  }
  EXPECT_EQ(reader.counts().rejected_in_all(), 0u);
  return out;
}

TEST(VmcExtras, EachEventGoesOnceAndInOrder) {
  Extras extras;
  EXPECT_THAT(NextOf(extras), IsEmpty());
  extras.Take(Key{1, "A", 65}, 0);
  extras.Take(MidiNote{1, 2, 60, 0.5f}, 0);
  extras.Take(Key{0, "A", 65}, 0);
  EXPECT_THAT(NextOf(extras),
              ElementsAre("/VMC/Ext/Key A", "/VMC/Ext/Midi/Note", "/VMC/Ext/Key A"));
  EXPECT_THAT(NextOf(extras, true), IsEmpty());
}

TEST(VmcExtras, OfAStateTheNewestGoesWhenItChangesAndOnRequest) {
  Extras extras;
  extras.Take(Light{"Sun", {}, {1, 1, 1, 1}}, 0);
  extras.Take(Light{"Sun", {}, {1, 0, 0, 1}}, 0);
  extras.Take(Light{"Lamp", {}, {1, 1, 1, 1}}, 0);
  EXPECT_THAT(NextOf(extras), ElementsAre("/VMC/Ext/Light Lamp", "/VMC/Ext/Light Sun"));
  extras.Take(Light{"Sun", {}, {1, 0, 0, 1}}, 0);
  EXPECT_THAT(NextOf(extras), IsEmpty());
  extras.Take(Light{"Sun", {}, {0, 0, 1, 1}}, 0);
  EXPECT_THAT(NextOf(extras), ElementsAre("/VMC/Ext/Light Sun"));
  EXPECT_THAT(NextOf(extras, true), ElementsAre("/VMC/Ext/Light Lamp", "/VMC/Ext/Light Sun"));
}

TEST(VmcExtras, DevicesGoWithEachFrameThatHasThem) {
  Extras extras;
  const DevicePose tracker{DeviceKind::kTracker, true, "T", {}};
  extras.Take(tracker, 0);
  extras.Take(tracker, 0);
  EXPECT_THAT(NextOf(extras), ElementsAre("/VMC/Ext/Tra/Pos/Local"));
  EXPECT_THAT(NextOf(extras, true), IsEmpty());
  extras.Take(tracker, 0);
  EXPECT_THAT(NextOf(extras), ElementsAre("/VMC/Ext/Tra/Pos/Local"));
}

TEST(VmcExtras, AnEventThatWaitedTooLongIsDropped) {
  Extras extras;
  extras.Take(Key{1, "A", 65}, 10);
  extras.Take(Key{1, "B", 66}, 10.3);
  DatagramReader reader;
  std::string names;
  for (const std::string& bundle : extras.Next(false, 10.6)) {
    reader.Read(bundle, [&](const Message& m) { names += std::string(std::get<Key>(m).name); });
  }
  EXPECT_EQ(names, "B");
  EXPECT_EQ(extras.dropped(), 1u);
}

TEST(VmcExtras, AModelIsAFileOrAnOnlineAvatar) {
  Extras extras;
  extras.Take(VrmFile{"a.vrm", "A", std::nullopt}, 0);
  extras.Take(RemoteAvatar{"vroidhub", "{}"}, 0);
  EXPECT_THAT(NextOf(extras, true), ElementsAre("/VMC/Ext/Remote"));
  extras.Take(VrmFile{"a.vrm", "A", std::nullopt}, 0);
  EXPECT_THAT(NextOf(extras, true), ElementsAre("/VMC/Ext/VRM a.vrm A"));
  extras.Forget();
  EXPECT_THAT(NextOf(extras, true), IsEmpty());
}

TEST(VmcExtras, PathsLoseTheirFolders) {
  EXPECT_EQ(NameInPath("C:\\Users\\anna\\model.vrm"), "model.vrm");
  EXPECT_EQ(NameInPath("/models/anna/model.vrm"), "model.vrm");
  EXPECT_EQ(NameInPath("model.vrm"), "model.vrm");
  Extras extras;
  extras.Take(VrmFile{"/models/anna/model.vrm", "Anna", std::nullopt}, 0);
  extras.Take(ConfigFile{"C:\\Users\\anna\\my.json"}, 0);
  EXPECT_THAT(NextOf(extras),
              ElementsAre("/VMC/Ext/Config my.json", "/VMC/Ext/VRM model.vrm Anna"));
}

TEST(VmcExtras, WhatTheStreamHasOrOnlyAPerformerUsesIsLeftOut) {
  Extras extras;
  for (const Message& m : std::initializer_list<Message>{
           BonePose{"Hips", {}}, BlendValue{"Joy", 1}, BlendApply{}, Time{1},
           RootPose{"root", {}, {}}, CameraPose{"c", {}, 30}, Ok{1, {}, {}, {}}, SetPeriod{},
           SetEye{}, SetRequest{}, CalibrationReady{}, CalibrationExecute{}, SetShortcut{"x"},
           Receives{1, 2, {}}}) {
    extras.Take(m, 0);
  }
  EXPECT_THAT(NextOf(extras, true), IsEmpty());
  extras.Take(Ok{1, 3, 0, std::nullopt}, 0);
  EXPECT_THAT(NextOf(extras), ElementsAre("/VMC/Ext/OK"));
}

TEST(VmcExtras, AFloodIsBoundedAndCounted) {
  Extras extras;
  for (int k = 0; k < 1000; ++k) {
    extras.Take(MidiNote{1, 0, k, 1}, 0);
    const std::string serial = absl::StrCat("tracker ", k);
    extras.Take(DevicePose{DeviceKind::kTracker, false, serial, {}}, 0);
  }
  const std::string long_text(5000, 'x');
  extras.Take(OptionText{long_text}, 0);
  EXPECT_EQ(extras.dropped(), 1000 - Extras::kMostEvents + 1000 - Extras::kMostStates + 1);
  size_t sent = 0;
  for (int frame = 0; frame < 3; ++frame) sent += NextOf(extras).size();
  EXPECT_EQ(sent, Extras::kMostEvents + Extras::kMostStates);
  // A frame has a bound of its own; the rest waits.
  const std::string text(3000, 'y');
  for (int k = 0; k < 50; ++k) extras.Take(Through{"/VMC/Thru/a/b", text, {}}, 0);
  std::vector<size_t> frames;
  for (sent = 0; sent < 50; sent += frames.back()) {
    frames.push_back(NextOf(extras).size());
    ASSERT_GT(frames.back(), 0u);
  }
  EXPECT_EQ(sent, 50u);
  EXPECT_GT(frames.size(), 2u);
  EXPECT_LE(frames[0], 2 * Extras::kMostBundlesAFrame);
}

}  // namespace
}  // namespace posewire::vmc
