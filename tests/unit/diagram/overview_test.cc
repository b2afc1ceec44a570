#include "libs/diagram/overview.h"

#include <cstdio>
#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/diagram/rigs.h"

namespace posewire::diagram {
namespace {

using testing::HasSubstr;

OverviewCell Cell(const skel::Rig& rig, const std::string& name, bool face) {
  OverviewCell cell;
  cell.name = name;
  cell.note = "1.0 s";
  cell.pose = skel::Pose(rig.joints(), rig.shapes());
  cell.face = face;
  return cell;
}

std::string WidthAndHeight(const std::string& svg) {
  const size_t at = svg.find("width=");
  return svg.substr(at, svg.find("viewBox") - at);
}

TEST(Overview, DrawsEachCellAndGrowsByRows) {
  const auto rig = *skel::RigCatalog::Builtin()->Find("hanim_loa3");
  std::vector<OverviewGroup> groups{{"Bodies", {}}, {"Faces", {}}};
  for (int i = 0; i < 8; ++i) groups[0].cells.push_back(Cell(*rig, "body", false));
  groups[1].cells.push_back(Cell(*rig, "face", true));
  const auto one = DrawOverview(*rig, "All", groups, ImageFormat::kSvg);
  ASSERT_TRUE(one.ok()) << one.status();
  groups[0].cells.push_back(Cell(*rig, "body", false));
  const auto two = DrawOverview(*rig, "All", groups, ImageFormat::kSvg);
  ASSERT_TRUE(two.ok());
  EXPECT_NE(WidthAndHeight(*one), WidthAndHeight(*two)) << "a ninth body opens a row";
  EXPECT_GT(two->size(), one->size());
  // A weight changes the face, a turn the body.
  groups[1].cells[0].pose.span().SetWeight(rig->FindShape("jawOpen"), 1);
  const auto three = DrawOverview(*rig, "All", groups, ImageFormat::kSvg);
  EXPECT_NE(*three, *two);
  groups[0].cells[0].pose.span().SetRotation(rig->FindJoint("l_shoulder"),
                                             skel::FromAxisAngle({0, 0, 1}, 1));
  EXPECT_NE(*DrawOverview(*rig, "All", groups, ImageFormat::kSvg), *three);
}

TEST(Overview, SaysWhatIsWrong) {
  const auto rig = *skel::RigCatalog::Builtin()->Find("hanim_loa3");
  EXPECT_THAT(std::string(DrawOverview(*rig, "", {}, ImageFormat::kPng).status().message()),
              HasSubstr("nothing to draw"));
  std::vector<OverviewGroup> groups{{"Bodies", {Cell(*rig, "short", false)}}};
  groups[0].cells[0].pose = skel::Pose(3, 1);
  EXPECT_THAT(std::string(DrawOverview(*rig, "", groups, ImageFormat::kPng).status().message()),
              HasSubstr("cell \"short\" has 3 joints"));
  const auto plain = *skel::Rig::Parse("rig plain\njoint A - 0 0 0\nshape s\n");
  EXPECT_THAT(
      std::string(DrawOverview(*plain, "", {{"F", {Cell(*plain, "f", true)}}}, ImageFormat::kPng)
                      .status()
                      .message()),
      HasSubstr("has no shapes for one"));
}

TEST(Overview, WritesAFileWhole) {
  const auto rig = *skel::RigCatalog::Builtin()->Find("hanim_loa3");
  const std::vector<OverviewGroup> groups{{"Bodies", {Cell(*rig, "body", false)}}};
  EXPECT_FALSE(WriteOverview(*rig, "All", groups, "/no/such/folder/all.png").ok());
  EXPECT_EQ(WriteOverview(*rig, "All", groups, "all.jpeg").code(),
            absl::StatusCode::kInvalidArgument);
  const std::string path = testing::TempDir() + "/overview_test.png";
  ASSERT_TRUE(WriteOverview(*rig, "All", groups, path).ok());
  std::ifstream file(path, std::ios::binary);
  char head[4] = {};
  file.read(head, 4);
  EXPECT_EQ(std::string(head + 1, 3), "PNG");
  std::remove(path.c_str());
}

}  // namespace
}  // namespace posewire::diagram
