#include "services/renderer_sink/core/picture_pacer.h"

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "services/renderer_sink/core/film_queue.h"

namespace posewire::renderer_sink {
namespace {

const timecode::FrameRate kRate{25, 1};

PictureBytes PictureOf(uint8_t value, size_t size = 4) {
  return std::make_shared<std::vector<uint8_t>>(size, value);
}

// Draws for so long, slot after slot, by a clock that is moved by hand in milliseconds; gives what
// was shown.
std::vector<int> ShowAll(PicturePacer& pacer, int draw_ms, int until_ms) {
  std::vector<int> shown;
  std::optional<int64_t> drawing;
  int ready_ms = 0;
  for (int now_ms = 0; now_ms < until_ms; ++now_ms) {
    const double now_s = now_ms / 1000.0;
    if (drawing && now_ms >= ready_ms) {
      pacer.Drawn(*drawing, PictureOf(static_cast<uint8_t>(*drawing)));
      drawing.reset();
    }
    if (!drawing && (drawing = pacer.NextToDraw(now_s))) ready_ms = now_ms + draw_ms;
    while (auto slot = pacer.NextToShow(now_s)) {
      EXPECT_EQ(slot->slot, static_cast<int64_t>(shown.size()));
      shown.push_back(slot->picture->front());
    }
  }
  return shown;
}

TEST(PicturePacer, ShowsEverySlotsOwnPictureWhenDrawingKeepsUp) {
  PicturePacer pacer(kRate, 2, PictureOf(255));
  const std::vector<int> shown = ShowAll(pacer, 39, 4081);
  ASSERT_EQ(shown.size(), 101u);
  for (size_t n = 0; n < shown.size(); ++n) EXPECT_EQ(shown[n], static_cast<int>(n));
  EXPECT_EQ(pacer.dropped(), 0);
}

TEST(PicturePacer, DropsEvenlyAndRepeatsWhenDrawingIsTooSlow) {
  PicturePacer pacer(kRate, 2, PictureOf(255));
  const std::vector<int> shown = ShowAll(pacer, 60, 4081);
  ASSERT_EQ(shown.size(), 101u) << "as many as there is time for, whatever was drawn";
  int repeats = 0;
  for (size_t n = 1; n < shown.size(); ++n) {
    repeats += shown[n] == shown[n - 1] ? 1 : 0;
    EXPECT_LE(static_cast<int>(n) - shown[n], 1) << "no older than one slot";
  }
  EXPECT_NEAR(repeats, 34, 2);
  EXPECT_EQ(pacer.dropped(), repeats);
}

TEST(PicturePacer, WhatIsDrawnFarTooLateIsStillTheNewest) {
  PicturePacer pacer(kRate, 2, PictureOf(255));
  const std::vector<int> shown = ShowAll(pacer, 400, 2000);
  EXPECT_EQ(shown.front(), 255) << "until there is one";
  EXPECT_GE(shown.back(), 28);
  EXPECT_EQ(pacer.dropped(), pacer.shown()) << "none was ready in its own time";
}

TEST(PicturePacer, AnHourHasAsManySlotsAsItShould) {
  for (const auto& [rate, slots] : {std::pair{timecode::FrameRate{25, 1}, 90000},
                                    std::pair{timecode::FrameRate{30000, 1001}, 107892}}) {
    PicturePacer pacer(rate, 0, PictureOf(0));
    for (double now_s = 0; now_s < 3600; now_s += 0.013) {
      while (pacer.NextToShow(now_s)) {
      }
    }
    while (pacer.NextToShow(std::nextafter(3600.0, 0))) {
    }
    EXPECT_NEAR(static_cast<double>(pacer.shown()), slots, 1);
  }
}

TEST(FilmQueue, GivesBytesInOrderAndInParts) {
  FilmQueue queue(4, 10);
  const std::vector<int16_t> voice = {1, 2, 3};
  queue.Push(PictureOf(7), voice);
  queue.Push(PictureOf(8), voice);
  EXPECT_EQ(queue.picture().size(), 4u);
  queue.TakePicture(3);
  EXPECT_EQ(queue.picture().size(), 1u);
  EXPECT_EQ(queue.picture().front(), 7);
  queue.TakePicture(1);
  EXPECT_EQ(queue.picture().front(), 8);
  queue.TakePicture(4);
  EXPECT_TRUE(queue.picture().empty());
  EXPECT_EQ(queue.voice().size(), 6u);
  queue.TakeVoice(6);
  queue.TakeVoice(1);
  EXPECT_EQ(queue.voice().size(), 5u);
  EXPECT_FALSE(queue.empty());
  queue.TakeVoice(5);
  EXPECT_TRUE(queue.empty());
}

TEST(FilmQueue, AStalledEncoderCostsPicturesFirstAndThenWholeSlots) {
  FilmQueue queue(3, 10);
  const std::vector<int16_t> voice(1920, 5);
  for (uint8_t n = 0; n < 20; ++n) queue.Push(PictureOf(n), voice);
  EXPECT_EQ(queue.repeated(), 7);
  EXPECT_EQ(queue.left_out(), 10);
  std::vector<int> pictures;
  size_t voice_bytes = 0;
  while (!queue.empty()) {
    pictures.push_back(queue.picture().front());
    queue.TakePicture(queue.picture().size());
    voice_bytes += queue.voice().size();
    queue.TakeVoice(queue.voice().size());
  }
  EXPECT_EQ(pictures, (std::vector<int>{0, 1, 2, 2, 2, 2, 2, 2, 2, 2}));
  EXPECT_EQ(voice_bytes, 10 * 1920 * sizeof(int16_t)) << "as long as the pictures";
  queue.Push(PictureOf(42), voice);
  EXPECT_EQ(queue.picture().front(), 42) << "all is well again";
}

}  // namespace
}  // namespace posewire::renderer_sink
