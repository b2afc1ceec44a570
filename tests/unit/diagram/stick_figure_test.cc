#include "libs/diagram/stick_figure.h"

#include <cairo.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "libs/diagram/palette.h"
#include "tests/unit/diagram/rigs.h"

namespace posewire::diagram {
namespace {

using skel::Vec3;

// A picture in memory, and the share of its pixels that look like a colour.
class FigurePicture {
 public:
  FigurePicture() : surface_(cairo_image_surface_create(CAIRO_FORMAT_RGB24, kSide, kSide)) {
    cr_ = cairo_create(surface_);
    cairo_set_source_rgb(cr_, 1, 1, 1);
    cairo_paint(cr_);
  }
  ~FigurePicture() {
    cairo_destroy(cr_);
    cairo_surface_destroy(surface_);
  }
  cairo_t* context() { return cr_; }
  int Count(Color color, int x0, int y0, int x1, int y1) {
    cairo_surface_flush(surface_);
    const unsigned char* data = cairo_image_surface_get_data(surface_);
    const ptrdiff_t stride = cairo_image_surface_get_stride(surface_);
    int n = 0;
    for (int y = y0; y < y1; ++y) {
      for (int x = x0; x < x1; ++x) {
        const unsigned char* p = data + y * stride + ptrdiff_t{4} * x;
        const double far = std::fabs(p[2] / 255.0 - color.r) + std::fabs(p[1] / 255.0 - color.g) +
                           std::fabs(p[0] / 255.0 - color.b);
        n += far < 0.2;
      }
    }
    return n;
  }
  static constexpr int kSide = 400;

 private:
  cairo_surface_t* surface_;
  cairo_t* cr_;
};

struct Standing {
  Standing() : rig(BuiltinRig("hanim_loa3")), plan(MakeBodyPlan(*rig)), pose(rig->joints(), 0) {
    pose.span().ClearPresence();
  }
  ModelPose model() { return ToModel(*rig, PoseOfRig()); }
  skel::PoseView PoseOfRig() {
    wide = skel::Pose(rig->joints(), rig->shapes());
    wide.span().ClearPresence();
    for (int j = 0; j < rig->joints(); ++j) {
      if (pose.view().has_r[j]) wide.span().SetRotation(j, pose.view().rotation(j));
    }
    return wide.view();
  }
  FigurePlacement Place(View view) {
    return {AxesOf(view), {0, plan.floor_y_m, 0}, {200, 380}, 190};
  }

  std::shared_ptr<const skel::Rig> rig;
  BodyPlan plan;
  skel::Pose pose, wide;
};

TEST(StickFigure, FromTheFrontLeftIsBlueOnTheRightHalfAndRightOrangeOnTheLeft) {
  Standing body;
  FigurePicture picture;
  Canvas canvas(picture.context());
  DrawFigure(canvas, body.plan, body.model(), body.Place(View::kFront));
  const int half = FigurePicture::kSide / 2, all = FigurePicture::kSide;
  EXPECT_GT(picture.Count(kLeft, half + 4, 0, all, all), 1000);
  EXPECT_GT(picture.Count(kRight, 0, 0, half - 4, all), 1000);
  EXPECT_EQ(picture.Count(kLeft, 0, 0, half - 20, all), 0);
  EXPECT_EQ(picture.Count(kRight, half + 20, 0, all, all), 0);
}

TEST(StickFigure, ARaisedRightArmShowsAboveTheHead) {
  Standing body;
  const int shoulder = body.rig->FindJoint("r_shoulder");
  FigurePicture before, after;
  {
    Canvas canvas(before.context());
    DrawFigure(canvas, body.plan, body.model(), body.Place(View::kFront));
  }
  body.pose.span().SetRotation(shoulder, skel::FromAxisAngle({0, 0, 1}, -2.8f));
  {
    Canvas canvas(after.context());
    DrawFigure(canvas, body.plan, body.model(), body.Place(View::kFront));
  }
  const int shoulders_y = 380 - static_cast<int>(1.6 * 190);
  EXPECT_EQ(before.Count(kRight, 0, 0, 200, shoulders_y), 0);
  EXPECT_GT(after.Count(kRight, 0, 0, 200, shoulders_y), 300);
}

TEST(StickFigure, FromTheSideTheNearRightLegHidesTheLeft) {
  Standing body;
  FigurePicture picture;
  Canvas canvas(picture.context());
  DrawFigure(canvas, body.plan, body.model(), body.Place(View::kSide));
  const int knee_y = 380 - static_cast<int>(0.6 * 190), foot_y = 380 - static_cast<int>(0.2 * 190);
  EXPECT_GT(picture.Count(kRight, 0, knee_y, 400, foot_y), 300);
  EXPECT_EQ(picture.Count(kLeft, 0, knee_y, 400, foot_y), 0);
}

TEST(StickFigure, ExtentEnclosesEveryPointOfABone) {
  std::mt19937 random(3);
  std::normal_distribution<float> angle(0, 0.5f);
  Standing body;
  for (int trial = 0; trial < 20; ++trial) {
    for (int j = 0; j < body.rig->joints(); ++j) {
      body.pose.span().SetRotation(j, skel::Exp({angle(random), angle(random), angle(random)}));
    }
    const ModelPose model = body.model();
    for (View view : {View::kFront, View::kSide, View::kThreeQuarter}) {
      const ViewAxes axes = AxesOf(view);
      Vec3 low{1e9f, 1e9f, 1e9f}, high{-1e9f, -1e9f, -1e9f};
      GrowExtent(body.plan, model, axes, {0, 0, 0}, low, high);
      for (const Bone& bone : body.plan.bones) {
        for (const Anchor& end : {bone.from, bone.to}) {
          const Vec3 v = axes.Project(model.At(end));
          EXPECT_TRUE(v.x >= low.x && v.x <= high.x && v.y >= low.y && v.y <= high.y);
        }
      }
    }
  }
}

TEST(FacingPalm, ShowsTheWholePalmHoweverTheHandIsTurned) {
  std::mt19937 random(11);
  std::normal_distribution<float> angle(0, 1.2f);
  Standing body;
  for (int trial = 0; trial < 50; ++trial) {
    for (const char* name : {"r_shoulder", "r_elbow", "r_wrist"}) {
      body.pose.span().SetRotation(body.rig->FindJoint(name),
                                   skel::Exp({angle(random), angle(random), angle(random)}));
    }
    const ModelPose model = body.model();
    const ViewAxes axes = FacingPalm(body.plan, model, 1, AxesOf(View::kFront));
    EXPECT_NEAR(skel::Dot(skel::Cross(axes.right, axes.up), axes.toward), 1, 1e-4);
    const auto at = [&](int j) { return model.position[static_cast<size_t>(j)]; };
    const Vec3 across = at(body.plan.index[1]) - at(body.plan.little[1]);
    // Seen face on, nothing of the palm's width is lost to depth.
    EXPECT_NEAR(skel::Dot(across, axes.toward), 0, 1e-4);
    const Vec3 along = at(body.plan.index[1]) - at(body.plan.wrist[1]);
    EXPECT_NEAR(skel::Dot(along, axes.toward), 0, 1e-4);
  }
}

TEST(FacingPalm, KeepsTheViewOfARigWithoutFingers) {
  const auto rig = BuiltinRig("hanim_loa1");
  const BodyPlan plan = MakeBodyPlan(*rig);
  const ViewAxes front = AxesOf(View::kFront);
  const ViewAxes axes = FacingPalm(plan, ToModel(*rig, rig->rest()), 0, front);
  EXPECT_EQ(axes.toward.z, front.toward.z);
  EXPECT_EQ(axes.right.x, front.right.x);
}

}  // namespace
}  // namespace posewire::diagram
