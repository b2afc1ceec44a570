#include "libs/wire/props.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "google/protobuf/any.pb.h"
#include "gtest/gtest.h"
#include "posewire.scene.v1.pb.h"
#include "tests/unit/wire/packed.h"

namespace posewire::wire {
namespace {

namespace sv = posewire::scene::v1;

Prop Named(const char* name) {
  Prop prop;
  prop.name = name;
  return prop;
}

sv::Props OneCup() {
  sv::Props props;
  sv::Prop& cup = *props.add_props();
  cup.set_name("cup");
  cup.set_x(0.5f);
  cup.set_rotation_w(1);
  cup.set_shape("cup");
  cup.set_width(0.08f);
  cup.set_height(0.1f);
  cup.set_depth(0.07f);
  return props;
}

TEST(Props, ProtobufReadsWhatIsWritten) {
  Prop cup{"cup", {1, 2, 3}, {0, 0, 1, 0}, "cup", {0.1f, 0.2f, 0.3f}, true, "anna"};
  const MetadataEntry entry = ToMetadata({cup, Named("box")});
  EXPECT_EQ(entry.key, "posewire.props");
  google::protobuf::Any any;
  sv::Props read;
  ASSERT_TRUE(any.ParseFromString(entry.any));
  ASSERT_TRUE(any.UnpackTo(&read));
  ASSERT_EQ(read.props_size(), 2);
  EXPECT_EQ(read.props(0).name(), "cup");
  EXPECT_EQ(read.props(0).z(), 3);
  EXPECT_EQ(read.props(0).rotation_y(), 1);
  EXPECT_EQ(read.props(0).depth(), 0.3f);
  EXPECT_TRUE(read.props(0).held());
  EXPECT_EQ(read.props(0).held_by(), "anna");
  EXPECT_EQ(read.props(1).rotation_w(), 1);
  EXPECT_FALSE(read.props(1).held());
  EXPECT_FALSE(read.props(0).usual_size());
  const auto own = ReadProps(entry);
  ASSERT_TRUE(own);
  ASSERT_EQ(own->size(), 2u);
  EXPECT_EQ((*own)[0].position.y, 2);
  EXPECT_EQ((*own)[0].rotation.y, 1);
  EXPECT_EQ((*own)[0].size.z, 0.3f);
  EXPECT_TRUE((*own)[0].held);
  EXPECT_EQ((*own)[0].held_by, "anna");
}

TEST(Props, ReadsWhatProtobufWrites) {
  const auto read = ReadProps(Packed(kPropsKey, OneCup()));
  ASSERT_TRUE(read);
  ASSERT_EQ(read->size(), 1u);
  EXPECT_EQ((*read)[0].position.x, 0.5f);
  EXPECT_EQ((*read)[0].size.y, 0.1f);
  EXPECT_TRUE(ReadProps(Packed(kPropsKey, sv::Props()))->empty());
}

TEST(Props, LeavesEverythingElseAlone) {
  MetadataEntry entry = Packed(kPropsKey, OneCup());
  entry.key = "other";
  EXPECT_FALSE(ReadProps(entry));
  EXPECT_FALSE(ReadProps({std::string(kPropsKey), std::string("\x0a\xff", 2)}));
  EXPECT_FALSE(ReadProps(Packed(kPropsKey, google::protobuf::Any())));
  const auto rejected = [](auto change) {
    sv::Props props = OneCup();
    change(*props.mutable_props(0));
    return !ReadProps(Packed(kPropsKey, props));
  };
  EXPECT_TRUE(rejected([](sv::Prop& p) { p.clear_name(); }));
  EXPECT_TRUE(rejected([](sv::Prop& p) { p.set_name(std::string(129, 'a')); }));
  EXPECT_TRUE(rejected([](sv::Prop& p) { p.set_y(std::nanf("")); }));
  EXPECT_TRUE(rejected([](sv::Prop& p) { p.set_z(std::numeric_limits<float>::infinity()); }));
  EXPECT_TRUE(rejected([](sv::Prop& p) { p.set_rotation_w(0); }));
  EXPECT_TRUE(rejected([](sv::Prop& p) { p.set_height(0); }));
  EXPECT_TRUE(rejected([](sv::Prop& p) { p.set_width(101); }));
  sv::Props many;
  for (size_t i = 0; i <= kMostProps; ++i) *many.add_props() = OneCup().props(0);
  EXPECT_FALSE(ReadProps(Packed(kPropsKey, many)));
}

TEST(Props, TheLastEntryCounts) {
  EXPECT_FALSE(PropsIn({{"other", ""}}));
  EXPECT_EQ(PropsIn({ToMetadata({Named("a")}), ToMetadata({Named("b"), Named("c")})})->size(), 2u);
}

}  // namespace
}  // namespace posewire::wire
