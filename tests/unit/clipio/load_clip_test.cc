#include "libs/clipio/load_clip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "libs/clipio/clip_writer.h"
#include "libs/clipio/open_clip.h"
#include "libs/recording/chunk_record.h"
#include "libs/recording/clip_reader.h"
#include "tests/unit/clipio/temp_file.h"
#include "tests/unit/wire/status_matchers.h"
#include "tests/unit/wire/stream_messages.h"

namespace posewire::clipio {
namespace {

namespace ace = nvidia_ace::animation_data::v1;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const skel::RigCatalog& Catalog() {
  static const auto& catalog = *new skel::RigCatalog(*skel::RigCatalog::Builtin());
  return catalog;
}

std::shared_ptr<const skel::Rig> Standard() { return *Catalog().Find("hanim_loa3"); }

// Without the index that Close writes.
void WriteUnclosed(const std::string& path, const std::vector<ace::AnimationDataStream>& messages) {
  auto writer = ClipWriter::Open(path);
  ASSERT_THAT(writer, IsOk());
  for (const auto& m : messages) ASSERT_THAT((*writer)->Write(m), IsOk());
}

// An arm and a face that move, and a root that wanders.
clip::Clip Example(int frames) {
  const auto rig = Standard();
  std::vector<skel::Pose> poses;
  for (int i = 0; i < frames; ++i) {
    skel::Pose pose(rig->joints(), rig->shapes());
    const float t = static_cast<float>(i) / 30;
    pose.span().SetRotation(rig->FindJoint("l_shoulder"), skel::FromAxisAngle({0, 0, 1}, t));
    pose.span().SetRotation(rig->FindJoint("l_elbow"), skel::FromAxisAngle({1, 0, 0}, -t));
    pose.span().SetTranslation(rig->FindJoint("HumanoidRoot"), {t, 0.8f, 0});
    pose.span().SetWeight(rig->FindShape("jawOpen"), t);
    poses.push_back(std::move(pose));
  }
  return clip::Clip("wave", rig, {30, 1}, std::move(poses));
}

TEST(LoadClip, ClipsThatAreWrittenReadBack) {
  for (const char* extension : {".animdata", ".jsonl"}) {
    const TempFile file(extension);
    const clip::Clip clip = Example(20);
    ASSERT_THAT(WriteClip(clip, file.path()), IsOk());
    LoadOptions options;
    options.name = "back";
    const auto back = LoadClip(file.path(), Standard(), Catalog(), options);
    ASSERT_THAT(back, IsOk());
    EXPECT_EQ((*back)->name(), "back");
    ASSERT_EQ((*back)->frames(), 20);
    const int shoulder = Standard()->FindJoint("l_shoulder");
    const int elbow = Standard()->FindJoint("l_elbow");
    const int jaw = Standard()->FindShape("jawOpen");
    for (int i = 0; i < 20; ++i) {
      const skel::PoseView a = clip.frame(i), b = (*back)->frame(i);
      EXPECT_EQ(b.has_r[elbow], 1);
      EXPECT_NEAR(skel::Dot(a.rotation(shoulder), b.rotation(shoulder)), 1, 1e-6);
      EXPECT_NEAR(skel::Dot(a.rotation(elbow), b.rotation(elbow)), 1, 1e-6);
      EXPECT_EQ(a.tx[0], b.tx[0]);
      EXPECT_EQ(a.weights[jaw], b.weights[jaw]);
    }
    EXPECT_EQ((*back)->frame(0).has_r[Standard()->FindJoint("r_shoulder")], 0);
    EXPECT_EQ((*back)->frame(0).has_w[Standard()->FindShape("browInnerUp")], 0);
  }
}

TEST(LoadClip, KeepsTheMeanPlaceOfACamera) {
  for (const bool with : {false, true}) {
    ace::AnimationDataStream header = wire::SmallHeader();
    auto& names = *header.mutable_animation_data_stream_header()->mutable_skel_animation_header();
    names.Clear();
    names.add_joints("l_elbow");
    std::vector<ace::AnimationDataStream> messages = {header};
    for (int i = 0; i <= 20; ++i) {
      const float a = static_cast<float>(i) * 0.01f;
      messages.push_back(wire::Rotations(i / 30.0, {{std::cos(a), std::sin(a), 0, 0}}));
      if (!with) continue;
      auto& key = *messages.back().mutable_animation_data()->mutable_camera()->add_position();
      key.set_time_code(i / 30.0);
      key.mutable_value()->set_x(0.5f);
      key.mutable_value()->set_y(1.6f);
      key.mutable_value()->set_z(1 + a);
    }
    const TempFile file(".animdata");
    WriteUnclosed(file.path(), messages);
    const auto clip = LoadClip(file.path(), Standard(), Catalog());
    ASSERT_THAT(clip, IsOk());
    for (const auto& one : {*clip, clip::CompressedOrAsIs(*clip, {})}) {
      ASSERT_EQ(one->camera_at().has_value(), with);
      if (!with) continue;
      EXPECT_NEAR(one->camera_at()->x, 0.5f, 1e-5f);
      EXPECT_NEAR(one->camera_at()->y, 1.6f, 1e-5f);
      EXPECT_NEAR(one->camera_at()->z, 1.1f, 1e-5f);
    }
  }
}

TEST(LoadClip, NamesTheClipAfterItsFile) {
  const TempFile file(".animdata");
  ASSERT_THAT(WriteClip(Example(2), file.path()), IsOk());
  const auto clip = LoadClip(file.path(), Standard(), Catalog());
  ASSERT_THAT(clip, IsOk());
  const std::string name = (*clip)->name();
  EXPECT_THAT(file.path(), HasSubstr(name + ".animdata"));
  EXPECT_EQ(name.find('/'), std::string::npos);
}

// Keys at 25 a second, beginning late, with the weights sparser still.
TEST(LoadClip, ResamplesAtTheRate) {
  ace::AnimationDataStream header = wire::SmallHeader();
  auto& names = *header.mutable_animation_data_stream_header()->mutable_skel_animation_header();
  names.Clear();
  names.add_joints("l_elbow");
  names.add_blend_shapes("jawOpen");
  std::vector<ace::AnimationDataStream> messages = {header};
  const float turn = 0.01f;
  for (int i = 0; i <= 25; ++i) {
    const float a = static_cast<float>(i) * turn;
    messages.push_back(wire::Rotations(100 + i / 25.0, {{std::cos(a), std::sin(a), 0, 0}}));
  }
  ace::AnimationDataStream w;
  wire::AddWeights(100.25, {0}, &w);
  wire::AddWeights(100.75, {1}, &w);
  messages.push_back(w);
  const TempFile file(".animdata");
  WriteUnclosed(file.path(), messages);
  const auto clip = LoadClip(file.path(), Standard(), Catalog());
  ASSERT_THAT(clip, IsOk());
  ASSERT_EQ((*clip)->frames(), 31);
  const int elbow = Standard()->FindJoint("l_elbow"), jaw = Standard()->FindShape("jawOpen");
  for (int k = 0; k <= 30; ++k) {
    const double t = k / 30.0;
    EXPECT_NEAR((*clip)->frame(k).qx[elbow], std::sin(t * 25 * turn), 1e-6) << k;
    EXPECT_NEAR((*clip)->frame(k).weights[jaw], std::clamp((t - 0.25) * 2, 0.0, 1.0), 1e-6) << k;
  }
}

TEST(LoadClip, GivesUpWhereverItIsStopped) {
  const TempFile file(".animdata");
  ASSERT_THAT(WriteClip(Example(40), file.path()), IsOk());
  LoadOptions options;
  int asked = 0;
  options.stopped = [&] {
    ++asked;
    return false;
  };
  const auto whole = LoadClip(file.path(), Standard(), Catalog(), options);
  ASSERT_THAT(whole, IsOk());
  EXPECT_GE(asked, 2 * (*whole)->frames());  // as they are read, and as they are made
  for (int stop = 0; stop < asked; ++stop) {
    int again = 0;
    options.stopped = [&] { return again++ >= stop; };
    EXPECT_TRUE(absl::IsCancelled(LoadClip(file.path(), Standard(), Catalog(), options).status()));
    EXPECT_EQ(again, stop + 1);
  }
}

TEST(LoadClip, RejectsFilesThatHoldNoClip) {
  const TempFile empty(".animdata");
  EXPECT_THAT(LoadClip(empty.path(), Standard(), Catalog()), Invalid(HasSubstr("holds no header")));
  const TempFile voice(".animdata");
  WriteUnclosed(voice.path(), {wire::SmallHeader(), wire::Audio(0, "ab")});
  EXPECT_THAT(LoadClip(voice.path(), Standard(), Catalog()), Invalid(HasSubstr("no pose")));
  const TempFile bad(".animdata");
  WriteUnclosed(bad.path(), {wire::SmallHeader(), wire::Weights(0, {1})});
  EXPECT_THAT(LoadClip(bad.path(), Standard(), Catalog()),
              Invalid(AllOf(HasSubstr(bad.path()), HasSubstr("message 1 ("),
                            HasSubstr("blend_shape_weights[0]"))));
  const TempFile lengthy(".animdata");
  std::vector<ace::AnimationDataStream> messages = {wire::SmallHeader()};
  for (int i = 0; i < 4; ++i) messages.push_back(wire::Weights(250 * i, {0, 0}));
  WriteUnclosed(lengthy.path(), messages);
  EXPECT_THAT(LoadClip(lengthy.path(), Standard(), Catalog()),
              Fails(absl::StatusCode::kResourceExhausted, HasSubstr("longer than 600 s")));
  EXPECT_THAT(LoadClip("/nowhere/x.animdata", Standard(), Catalog()),
              Fails(absl::StatusCode::kNotFound, HasSubstr("/nowhere")));
}

TEST(WriteClip, WritesOneMessageAFrameAndAStatusThatKeepTheRules) {
  const TempFile file(".animdata");
  ASSERT_THAT(WriteClip(Example(31), file.path()), IsOk());
  auto reader = OpenClip(file.path());
  ASSERT_THAT(reader, IsOk());
  const auto first = (*reader)->Next();
  ASSERT_THAT(first, IsOk());
  const auto& header = std::get<wire::StreamHeader>((*first)->chunk);
  EXPECT_EQ(header.ids.request_id, "wave");
  EXPECT_EQ(header.joints.size(), 3u);
  EXPECT_THAT(header.shapes, ElementsAre("jawOpen"));
  for (int k = 0; k < 31; ++k) {
    const auto message = (*reader)->Next();
    ASSERT_THAT(message, IsOk());
    for (const wire::KeyBlock& track : (*message)->data()->pose)
      EXPECT_THAT(track.time_codes_s, ElementsAre(k / 30.0));
  }
  const auto last = (*reader)->Next();
  ASSERT_THAT(last, IsOk());
  ASSERT_TRUE(last->has_value());
  EXPECT_EQ((*last)->status()->code, wire::StatusChunk::kSuccess);
  const auto end = (*reader)->Next();
  ASSERT_THAT(end, IsOk());
  EXPECT_FALSE(end->has_value());
}

TEST(ClipReader, NamesFileMessageAndPlaceOfAFault) {
  const std::vector<ace::AnimationDataStream> messages = {
      wire::SmallHeader(), wire::Weights(1, {0, 0}), wire::Weights(0.5, {0, 0})};
  const auto fault = [&](const TempFile& file) {
    WriteUnclosed(file.path(), messages);
    auto reader = OpenClip(file.path());
    EXPECT_THAT(reader, IsOk());
    EXPECT_THAT((*reader)->Next(), IsOk());
    EXPECT_THAT((*reader)->Next(), IsOk());
    return (*reader)->Next().status();
  };
  const TempFile json(".jsonl"), binary(".animdata");
  EXPECT_THAT(fault(json), Invalid(HasSubstr(absl::StrCat(json.path(), ": message 2 (line 3): "))));
  const absl::Status found = fault(binary);
  size_t at = 0;  // behind the header, its record and a message
  const std::string bytes = binary.Content();
  for (int i = 0; i < 3; ++i)
    at += recording::ReadFraming(absl::string_view(bytes).substr(at))->bytes();
  EXPECT_THAT(found, Invalid(HasSubstr(absl::StrCat(binary.path(), ": message 2 (byte ", at,
                                                    "): animation_data"))));
}

TEST(ClipReader, GivesTheBytesAndTheSizeOfTheFile) {
  const std::vector<ace::AnimationDataStream> messages = {wire::SmallHeader(),
                                                          wire::Weights(1, {0, 0})};
  const TempFile file(".animdata");
  WriteUnclosed(file.path(), messages);
  auto reader = OpenClip(file.path());
  ASSERT_THAT(reader, IsOk());
  EXPECT_EQ((*reader)->size(), static_cast<int64_t>(file.Content().size()));
  for (const auto& message : messages) {
    const auto read = (*reader)->Next();
    ASSERT_THAT(read, IsOk());
    EXPECT_EQ(*(*read)->bytes, message.SerializeAsString());
  }
  EXPECT_EQ((*reader)->messages(), 2);
  EXPECT_EQ((*reader)->end_of_last(), (*reader)->size());
}

}  // namespace
}  // namespace posewire::clipio
