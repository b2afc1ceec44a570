#include "libs/render/painter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <memory>

#include "libs/avatar/model.h"
#include "libs/skel/rig.h"

namespace posewire::render {
namespace {

constexpr int kWidth = 120, kHeight = 144;

class PainterTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    model_ =
        new avatar::Model(*avatar::MakeModel(*skel::RigCatalog::Builtin()->Find("hanim_loa3")));
    auto painter = Painter::Make(*model_, kWidth, kHeight);
    ASSERT_TRUE(painter.ok()) << painter.status();
    painter_ = painter->release();
  }
  static void TearDownTestSuite() {
    delete painter_;
    delete model_;
  }

  static Picture Draw(const char* camera, const char* shape = nullptr, float weight = 1) {
    skel::Pose pose(model_->rig->joints(), model_->rig->shapes());
    if (shape != nullptr) pose.span().SetWeight(model_->rig->FindShape(shape), weight);
    Picture out;
    EXPECT_TRUE(painter_->Draw(pose.view(), *CameraPreset(camera), out).ok());
    return out;
  }
  // The mean difference over a part of the picture, in steps of 0..255.
  static double Difference(const Picture& a, const Picture& b, double from_x, double to_x) {
    double sum = 0;
    int count = 0;
    for (int y = 0; y < kHeight; ++y) {
      for (int x = static_cast<int>(from_x * kWidth); x < static_cast<int>(to_x * kWidth); ++x) {
        for (int c = 0; c < 3; ++c, ++count) {
          const auto i = static_cast<size_t>((y * kWidth + x) * 3 + c);
          sum += std::abs(a.rgb[i] - b.rgb[i]);
        }
      }
    }
    return sum / count;
  }

  static avatar::Model* model_;
  static Painter* painter_;
};
avatar::Model* PainterTest::model_ = nullptr;
Painter* PainterTest::painter_ = nullptr;

TEST_F(PainterTest, DrawsTheSameTwice) { EXPECT_EQ(Draw("face").rgb, Draw("face").rgb); }

TEST_F(PainterTest, TheFaceFillsTheMiddleInTheColourOfSkin) {
  const Picture face = Draw("face");
  ASSERT_EQ(face.rgb.size(), static_cast<size_t>(kWidth * kHeight * 3));
  // A cheek beside the nose; the upper corner is backdrop, light and without colour.
  const auto cheek = static_cast<size_t>((kHeight * 58 / 100 * kWidth + kWidth * 60 / 100) * 3);
  EXPECT_GT(face.rgb[cheek], face.rgb[cheek + 2] + 25);
  EXPECT_GT(face.rgb[0], 200);
  EXPECT_NEAR(face.rgb[0], face.rgb[2], 20);
}

TEST_F(PainterTest, AvatarsLeftIsOnTheRightOfThePicture) {
  const Picture rest = Draw("face");
  const Picture blink = Draw("face", "eyeBlinkLeft");
  EXPECT_GT(Difference(rest, blink, 0.5, 1), 0.3);
  EXPECT_LT(Difference(rest, blink, 0, 0.5), 0.05);
}

TEST_F(PainterTest, CamerasDiffer) {
  EXPECT_GT(Difference(Draw("face"), Draw("bust"), 0, 1), 5);
  EXPECT_GT(Difference(Draw("bust"), Draw("body"), 0, 1), 5);
}

TEST_F(PainterTest, SaysWhatIsWrong) {
  EXPECT_FALSE(CameraPreset("feet").ok());
  EXPECT_EQ(Painter::Make(*model_, 8, 100).status().code(), absl::StatusCode::kInvalidArgument);
  Picture out;
  EXPECT_FALSE(painter_->Draw(skel::Pose(1, 1).view(), *CameraPreset("face"), out).ok());
}

}  // namespace
}  // namespace posewire::render
