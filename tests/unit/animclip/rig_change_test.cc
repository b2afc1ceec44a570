#include "tools/animclip/rig_change.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "libs/clipio/load_clip.h"
#include "libs/gesture_loader/gestures.h"
#include "libs/skel/rig_map.h"
#include "tests/unit/animclip/clip_fixture.h"
#include "tools/animclip/commands.h"

namespace posewire::animclip {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const skel::RigCatalog& Catalog() {
  static const auto& catalog = *new skel::RigCatalog(*skel::RigCatalog::Builtin());
  return catalog;
}

int Convert(const std::string& in, const std::string& out, const std::string& rig,
            std::string* err) {
  ConvertOptions options{.in = in, .out = out};
  options.rig = rig;
  TestConsole c;
  const int code = RunConvert(options, c.console);
  *err = c.err.str();
  return code;
}

// A gesture of the standard rig, in a file.
std::string WriteGesture(const std::string& name) {
  const auto gestures = gesture::MakeGestures(*Catalog().Find("hanim_loa3"));
  std::string path = TempPath(name + ".animdata");
  EXPECT_TRUE(clipio::WriteClip(*(*gestures)->Find(name), path).ok());
  return path;
}

// What RigMap makes of each frame, held against what the new file says.
TEST(RigChange, CarriesEveryFrameOverAsTheRigMapDoes) {
  const std::string in = WriteGesture("bow"), out = TempPath("ace.animdata");
  std::string err;
  ASSERT_EQ(Convert(in, out, "ace_biped", &err), kDone) << err;
  const auto standard = *Catalog().Find("hanim_loa3"), ace = *Catalog().Find("ace_biped");
  const skel::RigMap map = *skel::RigMap::Make(standard, ace);
  const auto before = *clipio::LoadClip(in, standard, Catalog());
  const Messages after = ReadClipFile(out);
  // A header before the frames, and a status behind them.
  ASSERT_EQ(after.size(), static_cast<size_t>(before->frames()) + 2);
  EXPECT_TRUE(after.back().has_status());
  const auto& names = after[0].animation_data_stream_header().skel_animation_header();
  ASSERT_GT(names.joints_size(), 5);
  skel::Pose want(ace->joints(), ace->shapes());
  for (int k = 0; k < before->frames(); ++k) {
    map.Apply(before->frame(k), want.span());
    const auto& skel = after[static_cast<size_t>(k) + 1].animation_data().skel_animation();
    ASSERT_EQ(skel.rotations_size(), 1);
    EXPECT_EQ(skel.rotations(0).time_code(), k / 30.0);
    ASSERT_EQ(skel.rotations(0).values_size(), names.joints_size());
    for (int i = 0; i < names.joints_size(); ++i) {
      const int j = ace->FindJoint(names.joints(i).substr(names.joints(i).rfind('/') + 1));
      ASSERT_GE(j, 0) << names.joints(i);
      const auto& q = skel.rotations(0).values(i);
      EXPECT_LT(AngleBetween({q.real(), q.i(), q.j(), q.k()}, want.view().rotation(j)), 2e-3f)
          << names.joints(i) << " frame " << k;
    }
  }
}

TEST(RigChange, ThereAndBackIsTheSameMotion) {
  const std::string in = WriteGesture("wave");
  const std::string ace = TempPath("ace.jsonl"), back = TempPath("back.animdata");
  std::string err;
  ASSERT_EQ(Convert(in, ace, "ace_biped", &err), kDone) << err;
  ASSERT_EQ(Convert(ace, back, "hanim_loa3", &err), kDone) << err;
  const auto standard = *Catalog().Find("hanim_loa3");
  const auto a = *clipio::LoadClip(in, standard, Catalog());
  const auto b = *clipio::LoadClip(back, standard, Catalog());
  ASSERT_EQ(a->frames(), b->frames());
  float most = 0;
  for (const char* joint : {"r_elbow", "r_wrist", "r_index1"}) {
    const int j = standard->FindJoint(joint);
    for (int k = 0; k < a->frames(); ++k) {
      ASSERT_TRUE(a->frame(k).has_r[j] && b->frame(k).has_r[j]) << joint;
      EXPECT_LT(AngleBetween(a->frame(k).rotation(j), b->frame(k).rotation(j)), 2e-3f) << joint;
      most = std::max(most, AngleBetween(a->frame(k).rotation(j), a->frame(0).rotation(j)));
    }
  }
  EXPECT_GT(most, 1);
}

TEST(RigChange, AllButThePosePassesUntouched) {
  const std::string in = TempPath("in.animdata"), out = TempPath("out.animdata");
  const Messages before = MakeTalk();
  WriteClipFile(in, before);
  std::string err;
  ASSERT_EQ(Convert(in, out, "vrm", &err), kDone) << err;
  const Messages after = ReadClipFile(out);
  ASSERT_EQ(after.size(), before.size());
  EXPECT_EQ(VoiceOf(after), VoiceOf(before));
  const auto& header = after[0].animation_data_stream_header();
  EXPECT_EQ(header.animation_ids().stream_id(), "stream");
  EXPECT_EQ(header.start_time_code_since_epoch(), 1000);
  EXPECT_EQ(header.skel_animation_header().blend_shapes_size(), 2);
  EXPECT_THAT(header.skel_animation_header().joints(0), Not(HasSubstr("Humanoid")));
  for (size_t i = 1; i + 1 < after.size(); ++i) {
    const auto& a = after[i].animation_data().skel_animation();
    const auto& b = before[i].animation_data().skel_animation();
    EXPECT_EQ(a.blend_shape_weights(0).SerializeAsString(),
              b.blend_shape_weights(0).SerializeAsString());
  }
  EXPECT_TRUE(after.back().has_status());
  TestConsole c;
  EXPECT_EQ(RunValidate({.file = out, .as_push = true}, c.console), kDone) << c.err.str();
}

// Weights and rotations in messages of their own, at the given shift from one another.
std::string WriteApart(double shift_s) {
  const Messages talk = MakeTalk({.audio_hz = 0});
  Message weights, rotations;
  for (const Message& m : talk) {
    const auto& skel = m.animation_data().skel_animation();
    for (const auto& k : skel.blend_shape_weights()) {
      *weights.mutable_animation_data()->mutable_skel_animation()->add_blend_shape_weights() = k;
    }
    for (const auto& k : skel.rotations()) {
      auto* key = rotations.mutable_animation_data()->mutable_skel_animation()->add_rotations();
      *key = k;
      key->set_time_code(k.time_code() + shift_s);
    }
  }
  std::string path = TempPath("apart.animdata");
  WriteClipFile(path, {talk[0], weights, rotations});
  return path;
}

TEST(RigChange, TracksApartAreTakenWhenTheirTimesAreTheSame) {
  const std::string out = TempPath("out.animdata");
  std::string err;
  ASSERT_EQ(Convert(WriteApart(0), out, "vrm", &err), kDone) << err;
  const Messages after = ReadClipFile(out);
  EXPECT_EQ(after[1].animation_data().skel_animation().rotations_size(), 31);
  EXPECT_EQ(after[2].animation_data().skel_animation().rotations_size(), 0);
  EXPECT_EQ(Convert(WriteApart(0.01), out, "vrm", &err), kNo);
  EXPECT_THAT(err, HasSubstr("must advance together"));
}

TEST(RigChange, NamesTheRigsAndRejectsStandardInput) {
  const std::string in = WriteGesture("nod"), out = TempPath("out.animdata");
  std::string err;
  EXPECT_EQ(Convert(in, out, "giraffe", &err), kNo);
  EXPECT_THAT(err, AllOf(HasSubstr("giraffe"), HasSubstr("ace_biped")));
  EXPECT_EQ(Convert("-", out, "vrm", &err), kNo);
  EXPECT_THAT(err, HasSubstr("cannot be read twice"));
  EXPECT_FALSE(std::filesystem::exists(out));
}

}  // namespace
}  // namespace posewire::animclip
