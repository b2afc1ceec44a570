#include "services/a2f_source/core/play_source.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "libs/clipio/load_clip.h"
#include "libs/recording/chunk_record.h"
#include "libs/wire/contributions.h"
#include "tests/unit/a2f_source/parsed.h"
#include "tests/unit/a2f_source/test_clip.h"

namespace posewire::a2f_source {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const PlayOptions kUnchecked = {.checked_bytes = -1};

std::unique_ptr<PlaySource> Open(const std::string& path, const PlayOptions& options = {}) {
  auto source = PlaySource::Open(path, options);
  EXPECT_TRUE(source.ok()) << source.status();
  return *std::move(source);
}

std::vector<double> PoseCodes(PlaySource& source, int messages) {
  std::vector<double> codes;
  for (int i = 0; i < messages; ++i) {
    auto data = source.Next();
    EXPECT_TRUE(data.ok()) << data.status();
    if (!data.ok() || !*data) break;
    const AnimationData parsed = ParsedData(**data);
    for (const auto& key : parsed.skel_animation().blend_shape_weights()) {
      codes.push_back(key.time_code());
    }
    const auto& chunk_s = (*data)->data()->pose[wire::kWeights].time_codes_s;
    EXPECT_TRUE(std::equal(chunk_s.begin(), chunk_s.end(),
                           codes.end() - static_cast<std::ptrdiff_t>(chunk_s.size())))
        << "what a message says and its bytes differ";
  }
  return codes;
}

TEST(PlaySource, GivesTheHeaderTheDataAndTheStatusesWhereTheyStand) {
  AnimationDataStream status;
  status.mutable_status()->set_message("starts");
  for (const char* name : {"plain.animdata", "plain.jsonl"}) {
    auto source = Open(WriteClip(
        name, {HeaderMessage(), status, FrameMessage(0), status, FrameMessage(0.5), status}));
    const auto header = source->Header();
    ASSERT_TRUE(header.ok()) << header.status();
    EXPECT_THAT(header->shapes, ElementsAre("jawOpen"));
    std::string parts;
    while (true) {
      const auto part = source->Next();
      ASSERT_TRUE(part.ok()) << part.status();
      if (!*part) break;
      parts += (*part)->data() != nullptr ? 'd' : (*part)->status()->message[0];
    }
    EXPECT_EQ(parts, "sdsds");
  }
}

TEST(PlaySource, ALoopHasNoStatuses) {
  AnimationDataStream last;
  last.mutable_status()->set_message("over");
  auto source = Open(
      WriteClip("loop_status.animdata", {HeaderMessage(0), FrameMessage(0), FrameMessage(1), last}),
      {.loop = true});
  ASSERT_TRUE(source->Header().ok());
  EXPECT_THAT(PoseCodes(*source, 4), ElementsAre(0, 1, 2, 3));
}

// Ten keys a second, each with its sound.
std::string TenSecondsOfTenKeys(const std::string& name) {
  std::vector<AnimationDataStream> messages = {HeaderMessage()};
  for (int k = 0; k < 100; ++k) messages.push_back(FrameMessage(k / 10.0, 1600));
  return WriteClip(name, messages);
}

TEST(PlaySource, BeginsWhereItIsTold) {
  const std::string path = TenSecondsOfTenKeys("from.animdata");
  auto source = Open(path, {.from_s = 9.65});
  ASSERT_TRUE(source->Header().ok());
  const auto first = source->Next();
  ASSERT_TRUE(first.ok() && *first) << first.status();
  // In the middle of a message: the rest of its sound. The keys come with their own messages.
  const AnimationData data = ParsedData(**first);
  EXPECT_EQ(data.audio().time_code(), 0);
  EXPECT_EQ(data.audio().audio_buffer().size(), 2u * 800);
  EXPECT_FALSE(data.has_skel_animation());
  const std::vector<double> codes = PoseCodes(*source, 3);
  ASSERT_EQ(codes.size(), 3u);
  for (size_t k = 0; k < 3; ++k) EXPECT_NEAR(codes[k], 0.05 + static_cast<double>(k) / 10, 1e-9);
  EXPECT_FALSE(*source->Next());
}

TEST(PlaySource, BeginsThereInEachPassOfALoop) {
  auto source = Open(TenSecondsOfTenKeys("from_loop.animdata"), {.loop = true, .from_s = 9.8});
  ASSERT_TRUE(source->Header().ok());
  const std::vector<double> codes = PoseCodes(*source, 5);
  ASSERT_EQ(codes.size(), 5u);
  for (size_t k = 0; k < 5; ++k) EXPECT_NEAR(codes[k], static_cast<double>(k) / 10, 1e-9);
}

TEST(PlaySource, FromATimeOnHoldsTheLastKeyOfASilentTrack) {
  AnimationDataStream once = FrameMessage(0);
  auto* turn = once.mutable_animation_data()->mutable_camera()->add_focal_length();
  turn->set_time_code(0);
  turn->set_value(50);
  auto source = Open(
      WriteClip("from_held.animdata", {HeaderMessage(), once, FrameMessage(1), FrameMessage(2)}),
      {.from_s = 2});
  ASSERT_TRUE(source->Header().ok());
  const auto first = source->Next();
  ASSERT_TRUE(first.ok() && *first) << first.status();
  const AnimationData data = ParsedData(**first);
  ASSERT_EQ(data.camera().focal_length_size(), 1);
  EXPECT_EQ(data.camera().focal_length(0).time_code(), 0);
  EXPECT_EQ(data.camera().focal_length(0).value(), 50);
  ASSERT_EQ(data.skel_animation().blend_shape_weights_size(), 1);
  EXPECT_EQ(data.skel_animation().blend_shape_weights(0).time_code(), 0);
  EXPECT_FALSE(*source->Next());
}

// By the index of a recording, or by reading all of a file that has none.
TEST(PlaySource, BeginsAlikeWithAnIndexAndWithout) {
  std::vector<AnimationDataStream> messages = {HeaderMessage()};
  for (int i = 0; i < 600; ++i) messages.push_back(FrameMessage(i / 10.0, 1600));
  messages[1].mutable_animation_data()->mutable_camera()->add_focal_length()->set_value(50);
  messages[40].mutable_status()->set_message("on its way");
  const std::string path = WriteClip("indexed.animdata", messages);
  std::string old;
  for (const AnimationDataStream& m : messages) {
    recording::AppendVarint(m.ByteSizeLong(), &old);
    old += m.SerializeAsString();
  }
  const std::string old_path = path + ".old.animdata";
  std::ofstream(old_path, std::ios::binary) << old;
  for (const double from_s : {0.0, 0.05, 31.0, 47.23, 59.9}) {
    auto a = Open(path, {.from_s = from_s});
    auto b = Open(old_path, {.from_s = from_s});
    ASSERT_TRUE(a->Header().ok() && b->Header().ok());
    while (true) {
      const auto left = a->Next(), right = b->Next();
      ASSERT_TRUE(left.ok() && right.ok()) << left.status() << right.status();
      ASSERT_EQ(left->has_value(), right->has_value());
      if (!*left) break;
      EXPECT_EQ(*(**left).bytes, *(**right).bytes) << from_s;
    }
  }
}

TEST(PlaySource, SaysThatNothingLiesBehindItsBeginning) {
  const std::string path = TenSecondsOfTenKeys("from_end.animdata");
  for (const bool loop : {false, true}) {
    auto source = Open(path, {.loop = loop, .from_s = 11});
    ASSERT_TRUE(source->Header().ok());
    const auto first = source->Next();
    EXPECT_EQ(first.status().code(), absl::StatusCode::kOutOfRange);
    EXPECT_THAT(std::string(first.status().message()), HasSubstr("nothing at or after 11 s"));
  }
}

std::vector<wire::Contribution> Said(PlaySource& source, int messages) {
  std::vector<wire::Contribution> out;
  for (int i = 0; i < messages; ++i) {
    const auto message = source.Next();
    EXPECT_TRUE(message.ok() && *message) << message.status();
    if (!message.ok() || !*message) break;
    for (const wire::MetadataEntry& entry : (*message)->data()->metadata) {
      const auto said = wire::ReadContributions(entry);
      if (!said) continue;
      EXPECT_EQ(said->contributions.size(), 1u);
      out.push_back(said->contributions[0]);
    }
    EXPECT_EQ(ParsedData(**message).metadata_size(),
              static_cast<int>((*message)->data()->metadata.size()));
  }
  return out;
}

// By the hash that animclip bake gives the offsets of this clip.
TEST(PlaySource, SaysWhichClipItIsAndWhereInIt) {
  PlayOptions options;
  options.rigs = *skel::RigCatalog::Builtin("arkit68");
  options.rig = *options.rigs.Find("hanim_loa3");
  // The clip's 0 s is at 2 s of the file.
  std::vector<AnimationDataStream> messages = {HeaderMessage(0)};
  for (int k = 0; k < 31; ++k) messages.push_back(FrameMessage(2 + k / 30.0));
  const std::string path = WriteClip("which.animdata", messages);
  const auto clip = clipio::LoadClip(path, options.rig, options.rigs);
  ASSERT_TRUE(clip.ok()) << clip.status();
  const auto expect = [&](const PlayOptions& with, int count, const std::vector<double>& times) {
    auto source = Open(path, with);
    ASSERT_TRUE(source->Header().ok());
    const auto said = Said(*source, count);
    ASSERT_EQ(said.size(), times.size());
    for (size_t i = 0; i < said.size(); ++i) {
      EXPECT_EQ(said[i].clip, (*clip)->name());
      EXPECT_EQ(said[i].clip_hash, (*clip)->content_hash());
      EXPECT_EQ(said[i].weight, 1);
      EXPECT_NEAR(said[i].time_s, times[i], 1e-9) << i;
    }
  };
  expect(options, 3, {0, 1 / 30.0, 2 / 30.0});
  options.from_s = 2 + 0.5;
  expect(options, 2, {0.5, 0.5 + 1 / 30.0});
  options.loop = true;
  options.from_s = 2 + 29 / 30.0;
  expect(options, 5, {29 / 30.0, 1, 29 / 30.0, 1, 29 / 30.0});
  // Not without a rig, for then nobody can know the hash, nor of a file that is too large to read.
  PlayOptions none = options;
  none.rig = nullptr;
  expect(none, 3, {});
  none = options;
  none.checked_bytes = -1;
  expect(none, 3, {});
  none = options;
  none.identify = false;
  expect(none, 3, {});
}

TEST(PlaySource, ATakeSaysItself) {
  PlayOptions options;
  options.rigs = *skel::RigCatalog::Builtin("arkit68");
  options.rig = *options.rigs.Find("hanim_loa3");
  AnimationDataStream frame = FrameMessage(0);
  const wire::MetadataEntry own =
      wire::ToMetadata({.contributions = {{.clip = "wave", .clip_hash = 9, .weight = 1}}});
  ASSERT_TRUE(
      (*frame.mutable_animation_data()->mutable_metadata())[own.key].ParseFromString(own.any));
  auto source =
      Open(WriteClip("itself.animdata", {HeaderMessage(), frame, FrameMessage(1)}), options);
  ASSERT_TRUE(source->Header().ok());
  const auto said = Said(*source, 2);
  ASSERT_EQ(said.size(), 1u);  // it holds for the second message too
  EXPECT_EQ(said[0].clip, "wave");
}

TEST(TimeInClip, ReadsSecondsAndTimeCodeAtTheRateOfTheClip) {
  const std::string path = TenSecondsOfTenKeys("time.animdata");
  EXPECT_EQ(*TimeInClip("1.25", path), 1.25);
  EXPECT_EQ(*TimeInClip("00:00:02:05", path), 2.5);
  EXPECT_EQ(*TimeInClip("1.25", "-"), 1.25);
  for (const auto& [text, words] : {std::pair{"00:00:00:10", "frames 0..9 at 10"},
                                    {"00:00:01;00", "no drop-frame"},
                                    {"-1", "before 0"},
                                    {"soon", "write seconds"}}) {
    EXPECT_THAT(std::string(TimeInClip(text, path).status().message()), HasSubstr(words));
  }
  EXPECT_THAT(std::string(TimeInClip("00:00:01:00", "-").status().message()),
              HasSubstr("give seconds"));
  EXPECT_EQ(TimeInClip("00:00:01:00", "/nowhere/clip.animdata").status().code(),
            absl::StatusCode::kNotFound);
}

TEST(PlaySource, RejectsFilesThatAreNoStream) {
  EXPECT_EQ(PlaySource::Open("/nowhere/clip.animdata").status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(PlaySource::Open("clip.mp4").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Open(WriteClip("empty.animdata", {}))->Header().status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(PlaySource::Open(WriteClip("headless.animdata", {FrameMessage(0)})).status().code(),
            absl::StatusCode::kFailedPrecondition);
  auto twice = Open(WriteClip("twice.animdata", {HeaderMessage(), HeaderMessage()}), kUnchecked);
  ASSERT_TRUE(twice->Header().ok());
  EXPECT_THAT(std::string(twice->Next().status().message()), HasSubstr("message 1"));
}

// Fields with numbers that no build knows, at each level that holds any.
AnimationDataStream FrameOfTheFuture(double time_code_s) {
  AnimationDataStream message = FrameMessage(time_code_s, 100);
  const auto add = [](auto* part) {
    part->GetReflection()->MutableUnknownFields(part)->AddLengthDelimited(3000, "from the future");
  };
  add(&message);
  add(message.mutable_animation_data());
  add(message.mutable_animation_data()->mutable_audio());
  add(message.mutable_animation_data()->mutable_skel_animation());
  add(message.mutable_animation_data()->mutable_skel_animation()->mutable_blend_shape_weights(0));
  return message;
}

TEST(PlaySource, GivesTheBytesOfTheFileAsTheyLie) {
  AnimationDataStream last;
  last.mutable_status()->set_message("over");
  last.mutable_status()->GetReflection()->MutableUnknownFields(&last)->AddVarint(77, 7);
  const std::vector<AnimationDataStream> clip = {HeaderMessage(), FrameOfTheFuture(0),
                                                 AnimationDataStream(), FrameOfTheFuture(1), last};
  auto source = Open(WriteClip("future.animdata", clip));
  ASSERT_TRUE(source->Header().ok());
  for (size_t i = 1; i < clip.size(); ++i) {
    const auto message = source->Next();
    ASSERT_TRUE(message.ok() && *message) << message.status();
    EXPECT_EQ(*(*message)->bytes, clip[i].SerializeAsString()) << i;
  }
}

TEST(PlaySource, ALoopMovesTheCodesAndKeepsTheRest) {
  auto source = Open(WriteClip("future_loop.animdata",
                               {HeaderMessage(), FrameOfTheFuture(0), FrameOfTheFuture(1)}),
                     {.loop = true});
  ASSERT_TRUE(source->Header().ok());
  for (int k = 0; k < 6; ++k) {
    const auto message = source->Next();
    ASSERT_TRUE(message.ok() && *message) << message.status();
    AnimationDataStream want = FrameOfTheFuture(k % 2);
    auto& data = *want.mutable_animation_data();
    data.mutable_skel_animation()->mutable_blend_shape_weights(0)->set_time_code(k);
    data.mutable_audio()->set_time_code(k);
    EXPECT_EQ(Parsed((*message)->bytes).SerializeAsString(), want.SerializeAsString()) << k;
    EXPECT_EQ((*message)->data()->audio->time_code_s, k);
  }
}

TEST(PlaySource, AFaultNamesFileMessageAndField) {
  AnimationDataStream bad = FrameMessage(1);
  bad.mutable_animation_data()
      ->mutable_skel_animation()
      ->mutable_blend_shape_weights(0)
      ->set_values(0, NAN);
  auto source =
      Open(WriteClip("fault.animdata", {HeaderMessage(), FrameMessage(0), bad}), kUnchecked);
  ASSERT_TRUE(source->Header().ok());
  EXPECT_TRUE(source->Next().ok());
  const absl::Status fault = source->Next().status();
  EXPECT_EQ(fault.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(fault.message()),
              AllOf(HasSubstr("fault.animdata: message 2"),
                    HasSubstr("blend_shape_weights[0].values[0]"), HasSubstr("\"jawOpen\"")));
}

TEST(PlaySource, WhatBoundsAServerDoesNotBoundAFile) {
  AnimationDataStream header = HeaderMessage();
  auto& names = *header.mutable_animation_data_stream_header()->mutable_skel_animation_header();
  AnimationDataStream frame = FrameMessage(0);
  auto& rotations = *frame.mutable_animation_data()->mutable_skel_animation()->add_rotations();
  for (int j = 0; j < 3000; ++j) {
    names.add_joints(absl::StrCat("joint", j));
    rotations.add_values()->set_real(1);
  }
  auto source = Open(WriteClip("crowd.animdata", {header, frame}));
  const auto read = source->Header();
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->joints.size(), 3000u);
  const auto message = source->Next();
  ASSERT_TRUE(message.ok() && *message) << message.status();
  EXPECT_EQ(*(*message)->bytes, frame.SerializeAsString());
}

TEST(PlaySource, ATornTailComesAfterWhatIsWhole) {
  const std::string path = WriteClip("torn.animdata", {HeaderMessage(), FrameMessage(0)});
  std::ofstream(path, std::ios::app | std::ios::binary) << "\x7f"
                                                        << "abc";
  auto source = Open(path, kUnchecked);
  ASSERT_TRUE(source->Header().ok());
  EXPECT_TRUE(source->Next().ok());
  EXPECT_EQ(source->Next().status().code(), absl::StatusCode::kDataLoss);
}

TEST(PlaySource, RejectsWhatItCannotPlayToItsEndBeforeItBegins) {
  const std::string torn = WriteClip("refused.animdata", {HeaderMessage(), FrameMessage(0)});
  std::ofstream(torn, std::ios::app | std::ios::binary) << "\x7f"
                                                        << "abc";
  const absl::Status status = PlaySource::Open(torn).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()), HasSubstr("nothing was sent. animclip recover"));
  AnimationDataStream faulty = FrameMessage(1);
  faulty.mutable_animation_data()
      ->mutable_skel_animation()
      ->mutable_blend_shape_weights(0)
      ->add_values(1);
  for (const char* name : {"faulty.animdata", "faulty.jsonl"}) {
    const std::string path = WriteClip(name, {HeaderMessage(), FrameMessage(0), faulty});
    EXPECT_THAT(std::string(PlaySource::Open(path).status().message()), HasSubstr("message 2"));
    EXPECT_TRUE(PlaySource::Open(path, kUnchecked).ok());
  }
  const std::string bvh = ::testing::TempDir() + "a2f_source_refused.bvh";
  std::ofstream(bvh) << "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n}\nMOTION\n"
                        "Frames: 3\nFrame Time: 0.1\n1\n2\n0-7.5\n";
  EXPECT_THAT(std::string(PlaySource::Open(bvh).status().message()),
              HasSubstr("line 12: \"0-7.5\""));
}

TEST(PlaySource, KnowsWhatItsFileLeavesOpenWhenItIsOpened) {
  const std::string bvh = ::testing::TempDir() + "a2f_source_doubtful.bvh";
  std::ofstream(bvh) << "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n}\nMOTION\n"
                        "Frames: 1\nFrame Time: 0\n1\n2\n";
  const auto source = Open(bvh);
  EXPECT_THAT(source->notes(), ElementsAre(HasSubstr("--fps"), HasSubstr("Frames: says 1")));
  ASSERT_TRUE(source->Header().ok());
  while (true) {
    const auto message = source->Next();
    ASSERT_TRUE(message.ok()) << message.status();
    if (!*message) break;
  }
  EXPECT_EQ(source->notes().size(), 2u);
  EXPECT_THAT(Open(bvh, {.fps = timecode::FrameRate{25, 1}})->notes().size(), 1u);
}

TEST(PlaySource, ALoopGoesOnWithoutASeam) {
  std::vector<AnimationDataStream> clip = {HeaderMessage(0)};
  for (int k = 0; k < 90; ++k) clip.push_back(FrameMessage(7 + k / 30.0));
  auto source = Open(WriteClip("loop.animdata", clip), {.loop = true});
  ASSERT_TRUE(source->Header().ok());
  const std::vector<double> codes = PoseCodes(*source, 90 * 20);
  ASSERT_EQ(codes.size(), 90u * 20);
  for (size_t k = 0; k < codes.size(); ++k) {
    // Every key of every pass lies on the grid of the first.
    ASSERT_NEAR(codes[k], 7 + static_cast<double>(k) / 30, 1e-9) << k;
  }
  EXPECT_EQ(source->passes(), 20);
}

TEST(PlaySource, ALoopWaitsForItsVoice) {
  // The voice ends 0.25 s after the last key: 7.5 steps.
  std::vector<AnimationDataStream> clip = {HeaderMessage(16000)};
  for (int k = 0; k < 30; ++k) clip.push_back(FrameMessage(k / 30.0, k == 29 ? 4000 : 0));
  auto source = Open(WriteClip("voice.animdata", clip), {.loop = true});
  ASSERT_TRUE(source->Header().ok());
  const std::vector<double> codes = PoseCodes(*source, 31);
  EXPECT_NEAR(codes[30], 37 / 30.0, 1e-9);
}

TEST(PlaySource, ALoopOfUnevenKeysStillRises) {
  auto source = Open(WriteClip("uneven.animdata", {HeaderMessage(0), FrameMessage(0),
                                                   FrameMessage(0.1), FrameMessage(0.37)}),
                     {.loop = true});
  ASSERT_TRUE(source->Header().ok());
  const std::vector<double> codes = PoseCodes(*source, 9);
  for (size_t i = 1; i < codes.size(); ++i) EXPECT_GT(codes[i], codes[i - 1] + 0.05);
  EXPECT_NEAR(codes[3], 0.47, 1e-9);
}

TEST(PlaySource, ALoopOfOneMessageWithTheWholeClip) {
  AnimationDataStream all;
  for (int k = 0; k < 25; ++k) AddKey(k / 25.0, *all.mutable_animation_data());
  auto source = Open(WriteClip("one.animdata", {HeaderMessage(0), all}), {.loop = true});
  ASSERT_TRUE(source->Header().ok());
  const std::vector<double> codes = PoseCodes(*source, 3);
  ASSERT_EQ(codes.size(), 75u);
  for (size_t k = 0; k < codes.size(); ++k) {
    EXPECT_NEAR(codes[k], static_cast<double>(k) / 25, 1e-9);
  }
}

TEST(PlaySource, ALoopWithoutCodesEnds) {
  AnimationDataStream empty;
  empty.mutable_animation_data();
  auto source = Open(WriteClip("timeless.animdata", {HeaderMessage(), empty}), {.loop = true});
  ASSERT_TRUE(source->Header().ok());
  EXPECT_TRUE(source->Next().ok());
  EXPECT_EQ(source->Next().status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(PlaySource::Open("-", {.loop = true}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(PlaySource, CutsMessagesOverTheLimit) {
  AnimationDataStream all;
  for (int k = 0; k < 1000; ++k) AddKey(k / 30.0, *all.mutable_animation_data());
  auto& audio = *all.mutable_animation_data()->mutable_audio();
  audio.set_time_code(0);
  std::string samples;
  for (int i = 0; i < 500000; ++i) samples += static_cast<char>(i * 31 % 251);
  audio.set_audio_buffer(samples);
  auto source =
      Open(WriteClip("large.animdata", {HeaderMessage(16000), all}), {.message_bytes = 20000});
  ASSERT_TRUE(source->Header().ok());
  double pose_s = -1;
  int64_t position = 0;
  std::string got;
  int keys = 0, messages = 0;
  while (true) {
    auto part = source->Next();
    ASSERT_TRUE(part.ok()) << part.status();
    if (!*part) break;
    const AnimationData data = ParsedData(**part);
    ++messages;
    EXPECT_LE((*part)->bytes->size(), 20000u);
    for (const auto& key : data.skel_animation().blend_shape_weights()) {
      EXPECT_GT(key.time_code(), pose_s);
      pose_s = key.time_code();
      EXPECT_EQ(key.values(0), static_cast<float>(pose_s));
      ++keys;
    }
    if (data.has_audio()) {
      EXPECT_EQ(std::lround(data.audio().time_code() * 16000), position);
      got += data.audio().audio_buffer();
      position = static_cast<int64_t>(got.size() / 2);
    }
  }
  EXPECT_EQ(keys, 1000);
  EXPECT_EQ(got, samples);
  EXPECT_GT(messages, 25);
}

// Other programs' fields are passed on, on each level and once.
TEST(PlaySource, CuttingAMessageKeepsUnknownFields) {
  const auto add = [](google::protobuf::Message* m) {
    m->GetReflection()->MutableUnknownFields(m)->AddVarint(77, 5);
  };
  const auto has = [](const google::protobuf::Message& m) {
    return m.GetReflection()->GetUnknownFields(m).field_count();
  };
  AnimationDataStream all;
  auto& data = *all.mutable_animation_data();
  for (int k = 0; k < 1000; ++k) {
    AddKey(k / 30.0, data);
    add(data.mutable_skel_animation()->mutable_blend_shape_weights(k));
  }
  data.mutable_audio()->set_audio_buffer(std::string(100000, 'x'));
  (*data.mutable_metadata())["mood"].set_value("calm");
  for (google::protobuf::Message* m :
       {static_cast<google::protobuf::Message*>(&all),
        static_cast<google::protobuf::Message*>(&data),
        static_cast<google::protobuf::Message*>(data.mutable_skel_animation()),
        static_cast<google::protobuf::Message*>(data.mutable_audio())}) {
    add(m);
  }
  auto source =
      Open(WriteClip("foreign.animdata", {HeaderMessage(16000), all}), {.message_bytes = 20000});
  ASSERT_TRUE(source->Header().ok());
  int outer = 0, inner = 0, skel = 0, keys = 0, metadata = 0;
  size_t sound = 0;
  for (int parts = 0;; ++parts) {
    auto part = source->Next();
    ASSERT_TRUE(part.ok()) << part.status();
    if (!*part) break;
    AnimationDataStream read;
    ASSERT_TRUE(read.ParseFromString(*(*part)->bytes));
    outer += has(read);
    inner += has(read.animation_data());
    skel += has(read.animation_data().skel_animation());
    metadata += static_cast<int>(read.animation_data().metadata().size());
    for (const auto& key : read.animation_data().skel_animation().blend_shape_weights()) {
      keys += has(key);
    }
    sound += read.animation_data().audio().audio_buffer().size();
    EXPECT_LE((*part)->bytes->size(), 20000u);
  }
  EXPECT_EQ(keys, 1000);
  EXPECT_EQ(outer, 1);
  EXPECT_EQ(inner, 1);
  EXPECT_EQ(skel, 1);
  EXPECT_EQ(metadata, 1);
  EXPECT_EQ(sound, 100000u);
}

TEST(PlaySource, SaysWhatCannotBeCut) {
  AnimationDataStream large;
  auto& key = *large.mutable_animation_data()->mutable_skel_animation()->add_blend_shape_weights();
  AnimationDataStream header = HeaderMessage();
  auto& names = *header.mutable_animation_data_stream_header()->mutable_skel_animation_header();
  names.clear_blend_shapes();
  for (int i = 0; i < 10000; ++i) {
    names.add_blend_shapes(absl::StrCat("shape", i));
    key.add_values(1);
  }
  auto source = Open(WriteClip("uncut.animdata", {header, large}), {.message_bytes = 2000});
  ASSERT_TRUE(source->Header().ok());
  const absl::Status cut = source->Next().status();
  EXPECT_EQ(cut.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(cut.message()),
              HasSubstr("uncut.animdata: message 1: the data at time code"));
}

}  // namespace
}  // namespace posewire::a2f_source
