#include "services/anim_graph/runtime/graph_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/gesture_loader/gestures.h"
#include "libs/skel/rig_map.h"
#include "libs/wire/text_check.h"
#include "tests/support/no_temporary_folder.h"

namespace posewire::anim_graph {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kGraph[] = R"pb(
  name: "mine"
  output: "clip"
  variables {
    name: "play"
    choice { values: "none" values_from: CLIPS }
  }
  nodes {
    name: "idle"
    idle {}
  }
  nodes {
    name: "clip"
    gesture { below: "idle" variable: "play" }
  }
)pb";

// Cannot be without the clip "gape".
constexpr char kNeedy[] = R"pb(
  name: "needy"
  output: "clip"
  nodes {
    name: "clip"
    clip { clip: "gape" }
  }
)pb";

std::string RecordingOfJaw(double jaw) {
  std::string text =
      R"({"animation_data_stream_header": {"animation_ids": {"request_id": "r", "stream_id": "s"},
          "skel_animation_header": {"blend_shapes": ["JawOpen"]}}})";
  for (int i = 0; i < 5; ++i) {
    absl::StrAppend(&text, R"({"animation_data": {"skel_animation": {"blend_shape_weights":
        [{"time_code": )",
                    i / 30.0, R"(, "values": [)", jaw, "]}]}}}\n");
  }
  return text;
}

class GraphStoreTest : public ::testing::Test {
 protected:
  GraphStoreTest() {
    dir_ = fs::path(::testing::TempDir()) /
           absl::StrCat("graph_store_",
                        ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(dir_);
    fs::create_directories(dir_ / "clips");
    catalog_ = std::make_shared<skel::RigCatalog>(*skel::RigCatalog::Builtin());
    rig_ = *catalog_->Find("hanim_loa3");
    gestures_ = *gesture::MakeGestures(rig_);
  }
  ~GraphStoreTest() override { fs::remove_all(dir_); }

  // Each version of a file is younger than the one before, whatever the file system's clock.
  void Write(const std::string& name, const std::string& text) {
    std::ofstream(dir_ / name, std::ios::binary) << text;
    const auto time = fs::file_time_type::clock::now() + std::chrono::seconds(++writes_);
    fs::last_write_time(dir_ / name, time);
  }
  std::string Path(const std::string& name) const { return (dir_ / name).string(); }

  absl::Status Make(const std::string& graph, double clip_precision_mm = 0.1) {
    auto store = GraphStore::Make({graph, (dir_ / "clips").string(), clip_precision_mm}, rig_,
                                  catalog_, gestures_, [this] { return stopped_; });
    if (!store.ok()) return store.status();
    store_ = *std::move(store);
    store_->SetListener(
        [this](const std::shared_ptr<const graph::GraphAsset>& asset, const absl::Status& status) {
          if (asset != nullptr) {
            ++versions_;
          } else {
            rejections_.push_back(std::string(status.message()));
          }
        });
    return absl::OkStatus();
  }
  void PollTwice() {
    store_->Poll();
    store_->Poll();
  }
  std::vector<std::string> ClipNames() const {
    std::vector<std::string> names;
    for (const auto& clip : store_->clips()) {
      if (clip.origin() != "built-in") names.push_back(clip.origin() + " " + clip.name());
    }
    return names;
  }

  fs::path dir_;
  int writes_ = 0;
  bool stopped_ = false;
  std::shared_ptr<skel::RigCatalog> catalog_;
  std::shared_ptr<const skel::Rig> rig_;
  std::shared_ptr<const clip::ClipLibrary> gestures_;
  std::unique_ptr<GraphStore> store_;
  int versions_ = 0;
  std::vector<std::string> rejections_;
};

// Somebody who stands in a T, as motion capture has it; on our rig, whose arms hang, that is a
// pose.
TEST_F(GraphStoreTest, ClipsOfOtherProgramsAreCarriedOverToTheRig) {
  const auto joint = [](const std::string& name, const char* offset, const std::string& below) {
    return absl::StrCat("JOINT ", name, "\n{\nOFFSET ", offset,
                        "\nCHANNELS 3 Zrotation Xrotation Yrotation\n", below, "}\n");
  };
  const std::string end = "End Site\n{\nOFFSET 0 5 0\n}\n";
  std::string text =
      "HIERARCHY\nROOT Hips\n{\nOFFSET 0 90 0\nCHANNELS 3 Zrotation Xrotation "
      "Yrotation\n";
  std::string spine = joint("Head", "0 50 0", end);
  for (const auto& [side, sign] : {std::pair{"Left", ""}, std::pair{"Right", "-"}}) {
    const std::string s = side;
    const std::string hand = joint(s + "Hand", absl::StrCat(sign, "25 0 0").c_str(), end);
    const std::string fore = joint(s + "ForeArm", absl::StrCat(sign, "27 0 0").c_str(), hand);
    spine += joint(s + "Arm", absl::StrCat(sign, "17 35 0").c_str(), fore);
    const std::string foot = joint(s + "Foot", "0 -40 0", end);
    text +=
        joint(s + "UpLeg", absl::StrCat(sign, "9 0 0").c_str(), joint(s + "Leg", "0 -42 0", foot));
  }
  text += joint("Spine", "0 10 0", spine) + "}\nMOTION\nFrames: 2\nFrame Time: 0.033333\n";
  for (int i = 0; i < 2 * 15; ++i) text += "0 0 0 ";
  Write("clips/tee.bvh", text);
  ASSERT_TRUE(Make("default").ok());
  EXPECT_THAT(ClipNames(), ElementsAre("file tee"));
  const auto clip = store_->asset()->clips()->Find("tee");
  ASSERT_NE(clip, nullptr);
  skel::Pose pose(rig_->joints(), rig_->shapes());
  clip->CopyFrame(0, pose.span());
  const int shoulder = rig_->FindJoint("l_shoulder");
  ASSERT_TRUE(pose.view().has_r[shoulder]);
  EXPECT_NEAR(skel::AngleBetween(pose.view().rotation(shoulder), skel::Quat{}), 1.57f, 0.2f);
}

TEST_F(GraphStoreTest, AGraphThatIsWrongAtTheStartListsEveryError) {
  Write("bad.txtpb", R"pb(
    name: "bad"
    output: "top"
    nodes {
      name: "top"
      layer { below: "nowhere" layer: "clip" }
    }
    nodes {
      name: "clip"
      clip { clip: "no_such_clip" }
    })pb");
  const absl::Status status = Make(Path("bad.txtpb"));
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("nowhere"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("no_such_clip"));
  EXPECT_THAT(std::string(Make(Path("none.txtpb")).message()), HasSubstr("none.txtpb"));
}

TEST_F(GraphStoreTest, AChangedGraphIsTakenUpOnceItStandsStill) {
  Write("g.txtpb", kGraph);
  ASSERT_TRUE(Make(Path("g.txtpb")).ok());
  PollTwice();
  EXPECT_EQ(versions_, 0);
  std::string changed = kGraph;
  changed.replace(changed.find("mine"), 4, "changed");
  Write("g.txtpb", changed);
  store_->Poll();
  EXPECT_EQ(versions_, 0);  // it may still be being written
  store_->Poll();
  EXPECT_EQ(versions_, 1);
  EXPECT_EQ(store_->asset()->name(), "changed");
  EXPECT_EQ(store_->revision(), 2u);
}

TEST_F(GraphStoreTest, ABadVersionLeavesTheOldOneRunningAndSaysSoOnce) {
  Write("g.txtpb", kGraph);
  ASSERT_TRUE(Make(Path("g.txtpb")).ok());
  const auto before = store_->asset();
  Write("g.txtpb", "name: \"x\" output: \"nothing\"");
  PollTwice();
  PollTwice();
  EXPECT_EQ(store_->asset(), before);
  ASSERT_EQ(rejections_.size(), 1u);
  EXPECT_THAT(rejections_[0], HasSubstr("nothing"));
  EXPECT_EQ(store_->last_error(), rejections_[0]);
  fs::remove(dir_ / "g.txtpb");
  PollTwice();
  EXPECT_EQ(store_->asset(), before);
  EXPECT_EQ(rejections_.size(), 2u);
  Write("g.txtpb", kGraph);
  PollTwice();
  EXPECT_EQ(versions_, 1);
  EXPECT_EQ(store_->last_error(), "");
}

TEST_F(GraphStoreTest, ClipsOfTheFolderComeChangeAndGo) {
  Write("g.txtpb", kGraph);
  ASSERT_TRUE(Make(Path("g.txtpb")).ok());
  Write("clips/gape.jsonl", RecordingOfJaw(1));
  PollTwice();
  EXPECT_THAT(ClipNames(), Contains("file gape"));
  const auto& values = store_->asset()->variables()->spec(0).values;
  EXPECT_THAT(values, Contains("gape"));
  const auto gape = store_->asset()->clips()->Find("gape");
  ASSERT_NE(gape, nullptr);
  Write("clips/gape.jsonl", "{\"what\": 1}");
  PollTwice();
  ASSERT_EQ(rejections_.size(), 1u);
  EXPECT_THAT(rejections_[0], HasSubstr("gape.jsonl"));
  EXPECT_EQ(store_->asset()->clips()->Find("gape"), gape);  // the old one stays
  fs::remove(dir_ / "clips/gape.jsonl");
  PollTwice();
  EXPECT_THAT(ClipNames(), Not(Contains("file gape")));
}

TEST_F(GraphStoreTest, AGraphThatIsWrongHoldsUpNoClips) {
  // The first is no graph at all, the second names a node that is not there.
  for (const char* wrong : {"name: ", "name: \"x\" output: \"nothing\""}) {
    Write("g.txtpb", kGraph);
    ASSERT_TRUE(Make(Path("g.txtpb")).ok());
    versions_ = 0;
    rejections_.clear();
    Write("g.txtpb", wrong);
    Write("clips/together.jsonl", RecordingOfJaw(1));
    PollTwice();
    Write("clips/later.jsonl", RecordingOfJaw(1));
    PollTwice();
    fs::remove(dir_ / "clips/together.jsonl");
    PollTwice();
    EXPECT_THAT(ClipNames(), ElementsAre("file later"));
    EXPECT_THAT(store_->asset()->variables()->spec(0).values, Contains("later"));
    EXPECT_EQ(store_->asset()->name(), "mine");
    EXPECT_EQ(versions_, 3);
    EXPECT_EQ(rejections_.size(), 3u);
    EXPECT_NE(store_->last_error(), "");
    std::string right = kGraph;
    right.replace(right.find("mine"), 4, "right");
    Write("g.txtpb", right);
    PollTwice();
    EXPECT_EQ(store_->asset()->name(), "right");
    EXPECT_EQ(store_->last_error(), "");
    fs::remove(dir_ / "clips/later.jsonl");
  }
}

TEST_F(GraphStoreTest, AGraphMayComeBeforeTheClipThatItNeeds) {
  Write("g.txtpb", kGraph);
  ASSERT_TRUE(Make(Path("g.txtpb")).ok());
  Write("g.txtpb", kNeedy);
  PollTwice();
  EXPECT_EQ(store_->asset()->name(), "mine");
  EXPECT_THAT(store_->last_error(), HasSubstr("gape"));
  Write("clips/gape.jsonl", RecordingOfJaw(1));
  PollTwice();
  EXPECT_EQ(store_->asset()->name(), "needy");
  EXPECT_EQ(store_->last_error(), "");
}

TEST_F(GraphStoreTest, AClipThatChangesBesideAnErrorIsReadOnceTheErrorIsGone) {
  const std::string needed = RecordingOfJaw(1);
  Write("clips/gape.jsonl", needed);
  Write("clips/other.jsonl", RecordingOfJaw(1));
  Write("g.txtpb", kNeedy);
  ASSERT_TRUE(Make(Path("g.txtpb")).ok());
  const auto other = store_->asset()->clips()->Find("other");
  fs::remove(dir_ / "clips/gape.jsonl");
  Write("clips/other.jsonl", RecordingOfJaw(0.5));
  PollTwice();
  ASSERT_EQ(rejections_.size(), 1u);
  EXPECT_EQ(store_->asset()->clips()->Find("other"), other);
  Write("clips/gape.jsonl", needed);
  PollTwice();
  EXPECT_EQ(store_->last_error(), "");
  EXPECT_NE(store_->asset()->clips()->Find("other"), other);
}

TEST_F(GraphStoreTest, ClipsCanBePutListedAndRemoved) {
  ASSERT_TRUE(Make("default").ok());
  EXPECT_EQ(store_->PutClip("gape", RecordingOfJaw(1), "", false).value(), false);
  EXPECT_THAT(ClipNames(), Contains("put gape"));
  EXPECT_EQ(store_->PutClip("gape", RecordingOfJaw(0.5), "gesture", false).value(), true);
  EXPECT_EQ(versions_, 2);
  EXPECT_EQ(store_->PutClip("wave", RecordingOfJaw(1), "", false).status().code(),
            absl::StatusCode::kAlreadyExists);
  const absl::Status junk = store_->PutClip("junk", "no clip at all", "", false).status();
  EXPECT_FALSE(junk.ok());
  EXPECT_THAT(std::string(junk.message()), Not(HasSubstr("/")));
  EXPECT_THAT(
      std::string(store_->PutClip("k", RecordingOfJaw(1), "dance", false).status().message()),
      HasSubstr("facial_gesture"));
  EXPECT_TRUE(store_->RemoveClip("gape").ok());
  EXPECT_EQ(store_->RemoveClip("gape").code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(store_->RemoveClip("wave").code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(versions_, 3);
}

TEST_F(GraphStoreTest, PuttingAClipNeedsNoTemporaryFile) {
  ASSERT_TRUE(Make("default").ok());
  const NoTemporaryFolder none;
  const auto put = store_->PutClip("gape", RecordingOfJaw(1), "", false);
  EXPECT_TRUE(put.ok()) << put.status();
  EXPECT_EQ(store_->PutClip("junk", "no clip at all", "", false).status().message().substr(0, 6),
            "data: ");
}

TEST_F(GraphStoreTest, WhatWasPutSurvivesAReload) {
  Write("g.txtpb", kGraph);
  ASSERT_TRUE(Make(Path("g.txtpb")).ok());
  ASSERT_TRUE(store_->PutClip("gape", RecordingOfJaw(1), "", false).ok());
  Write("g.txtpb", absl::StrCat(kGraph, "# changed"));
  PollTwice();
  EXPECT_EQ(versions_, 2);  // the clip, and the file
  EXPECT_THAT(ClipNames(), Contains("put gape"));
}

TEST_F(GraphStoreTest, AClipThatTheGraphNeedsIsNotRemoved) {
  Write("clips/gape.jsonl", RecordingOfJaw(1));
  Write("g.txtpb", kNeedy);
  ASSERT_TRUE(Make(Path("g.txtpb")).ok());
  fs::remove(dir_ / "clips/gape.jsonl");
  PollTwice();
  ASSERT_EQ(rejections_.size(), 1u);
  EXPECT_THAT(rejections_[0], HasSubstr("gape"));
  EXPECT_NE(store_->asset()->clips()->Find("gape"), nullptr);
}

TEST_F(GraphStoreTest, OnlySoManyClipsMayBePut) {
  ASSERT_TRUE(Make("passthrough").ok());
  const std::string recording = RecordingOfJaw(1);
  absl::Status status;
  int put = 0;
  while (status.ok() && put <= 300) {
    status = store_->PutClip(absl::StrCat("c", put), recording, "", false).status();
    put += status.ok();
  }
  EXPECT_EQ(put, 256);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(store_->PutClip("c0", recording, "", false).ok());
}

TEST_F(GraphStoreTest, ArrangementsAreBoundedByBytesToo) {
  ASSERT_TRUE(Make("default").ok());
  graph::v1::Arrangement arrangement;
  arrangement.set_name("long");
  for (int i = 0; i < 300'000; ++i) arrangement.add_items()->set_clip("wave");
  const absl::Status rejected = store_->PutArrangement(arrangement).status();
  EXPECT_EQ(rejected.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(rejected.message()), HasSubstr("at most 1048576 may be"));
}

// A few keys are enough for any length; they are at most 300 s apart.
std::string LongRecording(double seconds) {
  return absl::StrCat(
      R"({"animation_data_stream_header": {"animation_ids": {"request_id": "r", "stream_id": "s"},
          "skel_animation_header": {"blend_shapes": ["JawOpen"]}}})",
      R"({"animation_data": {"skel_animation": {"blend_shape_weights":
          [{"time_code": 0, "values": [1]}, {"time_code": )",
      seconds / 2, R"(, "values": [0]}, {"time_code": )", seconds, R"(, "values": [1]}]}}})", "\n");
}

TEST_F(GraphStoreTest, ClipsOfHalfAnHourMayBePutTogether) {
  ASSERT_TRUE(Make("passthrough").ok());
  for (int i = 0; i < 3; ++i) {
    const auto put = store_->PutClip(absl::StrCat("c", i), LongRecording(599), "", false);
    ASSERT_TRUE(put.ok()) << put.status();
  }
  const absl::Status status = store_->PutClip("c6", LongRecording(20), "", false).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()), HasSubstr("at most 1800 s may be"));
  EXPECT_TRUE(store_->PutClip("c0", LongRecording(20), "", false).ok());
  EXPECT_TRUE(store_->PutClip("c6", LongRecording(20), "", false).ok());
}

TEST_F(GraphStoreTest, AFileWhoseNameIsNoTextIsRejectedInText) {
  Write("g.txtpb", kGraph);
  ASSERT_TRUE(Make(Path("g.txtpb")).ok());
  Write("clips/\xFF.jsonl", RecordingOfJaw(1));
  PollTwice();
  EXPECT_TRUE(ClipNames().empty());
  ASSERT_EQ(rejections_.size(), 1u);
  EXPECT_THAT(rejections_[0], HasSubstr("\\xff.jsonl"));
  Write("clips/\xFE.txtpb", "arrangements { what");
  PollTwice();
  ASSERT_EQ(rejections_.size(), 2u);
  EXPECT_TRUE(wire::IsUtf8(rejections_[1])) << rejections_[1];
  EXPECT_TRUE(wire::IsUtf8(store_->last_error()));
}

TEST_F(GraphStoreTest, AnArrangementFileThatIsWrongKeepsItsOldVersion) {
  Write("g.txtpb", R"pb(
    name: "g"
    output: "top"
    variables {
      name: "play"
      choice { values: "none" values_from: ARRANGEMENTS }
    }
    nodes {
      name: "idle"
      idle {}
    }
    nodes {
      name: "top"
      arrangement { below: "idle" variable: "play" }
    })pb");
  Write("clips/more.txtpb", "arrangements { name: 'hello' items { pause_s: 1 } }");
  ASSERT_TRUE(Make(Path("g.txtpb")).ok());
  const auto values = [&] { return store_->asset()->variables()->spec(0).values; };
  EXPECT_THAT(values(), Contains("hello"));
  Write("clips/more.txtpb", "arrangements { name: 'hello' items { pause");
  PollTwice();
  ASSERT_EQ(rejections_.size(), 1u);
  EXPECT_THAT(rejections_[0], HasSubstr("more.txtpb"));
  EXPECT_THAT(values(), Contains("hello"));
  fs::remove(dir_ / "clips/more.txtpb");
  PollTwice();
  EXPECT_THAT(values(), Not(Contains("hello")));
}

TEST_F(GraphStoreTest, FilesAreReadNoFurtherOnceItIsStopped) {
  Write("clips/first.jsonl", RecordingOfJaw(0.5));
  stopped_ = true;
  EXPECT_EQ(Make("default").code(), absl::StatusCode::kCancelled);
  stopped_ = false;
  ASSERT_TRUE(Make("default").ok());
  Write("clips/second.jsonl", RecordingOfJaw(0.5));
  stopped_ = true;
  PollTwice();
  EXPECT_EQ(versions_, 0);
  EXPECT_THAT(rejections_, ElementsAre());
  EXPECT_EQ(store_->last_error(), "");
  EXPECT_THAT(ClipNames(), ElementsAre("file first"));
}

TEST_F(GraphStoreTest, ClipsOfFilesAndCallsAreCompressedUnlessToldNotTo) {
  Write("clips/file.jsonl", RecordingOfJaw(0.25));
  for (const double precision_mm : {0.1, 0.0}) {
    ASSERT_EQ(Make("default", precision_mm), absl::OkStatus());
    ASSERT_TRUE(store_->PutClip("put", RecordingOfJaw(0.625), "", false).ok());
    const auto clips = store_->asset()->clips();
    const int jaw = rig_->FindShape("jawOpen");
    for (const auto& [name, weight] : {std::pair("file", 0.25f), std::pair("put", 0.625f)}) {
      const clip::Clip* clip = clips->Find(name);
      ASSERT_NE(clip, nullptr) << name;
      EXPECT_EQ(clip->compressed(), precision_mm > 0) << name;
      skel::Pose pose(rig_->joints(), rig_->shapes());
      clip->Sample(0.05, pose.span());
      EXPECT_EQ(pose.view().weights[jaw], weight) << name;
      EXPECT_EQ(pose.view().has_r[0], 0) << name;
    }
    // What is built in is played as it is given.
    EXPECT_EQ(clips->Find("wave"), gestures_->Find("wave"));
  }
}

TEST_F(GraphStoreTest, GesturesOfTextAreClipsAndAreReadAgainWhenTheyChange) {
  const auto gesture = [](const std::string& name, double elbow) {
    return absl::StrCat("gestures { name: \"", name,
                        "\" length_s: 1 moves { at_s: [0.1, 0.5] arm { ",
                        "bends { joint: ELBOW degrees: ", elbow, " } } } }\n");
  };
  Write("mine.graph.txtpb", kGraph);
  Write("clips/all.gesture.txtpb", gesture("flex", 60) + gesture("wave", 20));
  ASSERT_TRUE(Make(Path("mine.graph.txtpb")).ok());
  EXPECT_THAT(ClipNames(),
              ElementsAre("file flex", "file wave"));  // in the place of the built-in one
  Write("clips/all.gesture.txtpb", gesture("stretch", 10));
  PollTwice();
  EXPECT_EQ(versions_, 1);
  EXPECT_THAT(ClipNames(), ElementsAre("file stretch"));
  Write("clips/all.gesture.txtpb", gesture("stretch", 999));
  PollTwice();
  ASSERT_EQ(rejections_.size(), 1u);
  EXPECT_THAT(rejections_[0],
              HasSubstr("all.gesture.txtpb:1: gesture \"stretch\", moves[0]: degrees is 999"));
  EXPECT_THAT(ClipNames(), ElementsAre("file stretch"));
  fs::remove(dir_ / "clips/all.gesture.txtpb");
  PollTwice();
  EXPECT_THAT(ClipNames(), ElementsAre());
}

}  // namespace
}  // namespace posewire::anim_graph
