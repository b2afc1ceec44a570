#include "services/renderer_sink/core/detail_control.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <ostream>
#include <utility>
#include <vector>

namespace posewire::renderer_sink {

static void PrintTo(const Detail& detail, std::ostream* out) {
  *out << detail.subdivide << (detail.offsets ? " with offsets" : "");
}

namespace {

constexpr double kPeriod_s = 0.04;

// Draws pictures one after another, at most one a period, which take what `cost` says.
class PlayedFilm {
 public:
  PlayedFilm(const Detail& most, std::function<double(const Detail&)> cost)
      : control(most, kPeriod_s), cost_(std::move(cost)), shown_(control.detail()) {}

  void Play(double seconds) {
    for (const double end_s = now_s + seconds; now_s < end_s;) {
      const Detail detail = control.detail();
      const double begin_s = now_s;
      const double took_s = cost_(detail);
      control.Add(begin_s, begin_s + took_s, /*judged=*/detail == shown_);
      if (!(detail == shown_)) changes.push_back(begin_s);
      shown_ = detail;
      now_s += std::max(took_s, kPeriod_s);
    }
  }
  void SetCost(std::function<double(const Detail&)> cost) { cost_ = std::move(cost); }

  DetailControl control;
  double now_s = 100;
  std::vector<double> changes;

 private:
  std::function<double(const Detail&)> cost_;
  Detail shown_;
};

double TimeOf(const Detail& detail, double unit_s) {
  return unit_s *
         (detail.subdivide == 2   ? 5
          : detail.subdivide == 1 ? 2
                                  : 1) *
         (detail.offsets ? 1.1 : 1);
}

TEST(DetailControl, KeepsWhatWasAskedForWhileThereIsTime) {
  PlayedFilm film({2, true}, [](const Detail& d) { return TimeOf(d, 0.2 * kPeriod_s / 1.2); });
  film.Play(100);
  EXPECT_EQ(film.control.detail(), (Detail{2, true}));
  EXPECT_TRUE(film.changes.empty());
}

TEST(DetailControl, LeavesOutSubdivisionFirstThenOffsets) {
  PlayedFilm film({2, true}, [](const Detail& d) { return TimeOf(d, 10 * kPeriod_s); });
  std::vector<Detail> seen{film.control.detail()};
  for (int k = 0; k < 4000; ++k) {
    film.Play(0.01);
    if (!(seen.back() == film.control.detail())) seen.push_back(film.control.detail());
  }
  EXPECT_EQ(seen, (std::vector<Detail>{{2, true}, {1, true}, {0, true}, {0, false}}));
  film.Play(100);
  EXPECT_EQ(film.control.detail(), (Detail{0, false})) << "there is nothing more to leave out";
  EXPECT_EQ(film.control.lowered(), 3);
  EXPECT_EQ(film.control.raised(), 0);
}

TEST(DetailControl, OnePictureThatTakesLongChangesNothing) {
  int picture = 0;
  PlayedFilm film({1, true}, [&](const Detail&) {
    return ++picture % 40 == 0 ? 5 * kPeriod_s : 0.6 * kPeriod_s;
  });
  film.Play(200);
  EXPECT_EQ(film.control.detail(), (Detail{1, true}));
  EXPECT_EQ(film.control.lowered(), 0);
}

TEST(DetailControl, ComesBackWhenThereIsTime) {
  PlayedFilm film({2, true}, [](const Detail& d) { return TimeOf(d, 2 * kPeriod_s); });
  film.Play(30);
  EXPECT_EQ(film.control.detail(), (Detail{0, false}));
  const double free_s = film.now_s;
  film.SetCost([](const Detail& d) { return TimeOf(d, 0.1 * kPeriod_s); });
  film.Play(30);
  EXPECT_EQ(film.control.detail(), (Detail{2, true}));
  EXPECT_EQ(film.control.raised(), 3);
  ASSERT_EQ(film.changes.size(), 6u);
  for (size_t k = 3; k < 6; ++k) {
    EXPECT_GE(film.changes[k] - (k == 3 ? free_s - 30 : film.changes[k - 1]),
              DetailControl::kFirstWait_s - 0.1)
        << "one step after another";
  }
}

TEST(DetailControl, TriesMoreRarelyWhatDidNotHold) {
  // There seems to be time for a level, but it takes four times as long.
  PlayedFilm film({1, false},
                  [](const Detail& d) { return (d.subdivide == 1 ? 1.4 : 0.35) * kPeriod_s; });
  film.Play(1000);
  EXPECT_EQ(film.control.lowered(), film.control.raised() + 1 - film.control.detail().subdivide);
  EXPECT_LE(film.changes.size(), 2u * 11);
  EXPECT_GE(film.changes.size(), 2u * 6);
  double longest_s = 0;
  for (size_t k = 1; k < film.changes.size(); ++k) {
    longest_s = std::max(longest_s, film.changes[k] - film.changes[k - 1]);
  }
  EXPECT_GT(longest_s, DetailControl::kLongestWait_s - 1);
  EXPECT_LT(longest_s, DetailControl::kLongestWait_s + 5);
  // When it holds at last, the next time begins with the first wait.
  film.SetCost([](const Detail&) { return 0.35 * kPeriod_s; });
  film.Play(300);
  EXPECT_EQ(film.control.detail().subdivide, 1);
  film.SetCost([](const Detail&) { return 2 * kPeriod_s; });
  film.Play(5);
  EXPECT_EQ(film.control.detail().subdivide, 0);
  film.SetCost([](const Detail&) { return 0.35 * kPeriod_s; });
  film.Play(8);
  EXPECT_EQ(film.control.detail().subdivide, 1);
}

TEST(DetailControl, DividesNoEdgesThatAreShorterThanAPixelOrTwo) {
  DetailControl control({2, true}, kPeriod_s);
  const auto with = [&](double edge_px) {
    control.SetEdge(edge_px);
    return control.detail().subdivide;
  };
  EXPECT_EQ(with(10), 2);
  EXPECT_EQ(with(4.5), 2);
  EXPECT_EQ(with(3.7), 2) << "in use, it goes on";
  EXPECT_EQ(with(3.5), 1);
  EXPECT_EQ(with(3.7), 1) << "not in use, it does not begin";
  EXPECT_EQ(with(4.5), 2);
  EXPECT_EQ(with(1.5), 0);
  EXPECT_EQ(with(2.0), 0);
  EXPECT_EQ(with(2.3), 1);
  EXPECT_EQ(with(0), 0);
  EXPECT_TRUE(control.detail().offsets);
}

TEST(DetailControl, LeavesOutWhatIsInUse) {
  PlayedFilm film({2, true}, [](const Detail& d) { return TimeOf(d, 2 * kPeriod_s); });
  film.control.SetEdge(1);
  EXPECT_EQ(film.control.detail(), (Detail{0, true}));
  film.Play(4);
  EXPECT_EQ(film.control.detail(), (Detail{0, false})) << "the first step helps";
  EXPECT_EQ(film.control.lowered(), 1);
  film.SetCost([](const Detail& d) { return TimeOf(d, 0.5 * kPeriod_s); });
  film.Play(10);
  EXPECT_EQ(film.control.detail(), (Detail{0, true}));
  EXPECT_EQ(film.control.raised(), 1);
}

}  // namespace
}  // namespace posewire::renderer_sink
