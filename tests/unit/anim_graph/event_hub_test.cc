#include "services/anim_graph/runtime/event_hub.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace posewire::anim_graph {
namespace {

using Event = EventHub::Event;

EngineEvent Started(const std::string& stream, const std::string& request) {
  EngineEvent event{EngineEvent::kRequestStarted, stream, "", request, ""};
  return event;
}

TEST(EventHub, TellsEachWatcherWhatItsStreamDoes) {
  EventHub hub;
  int woken = 0;
  const auto all = hub.Subscribe("", [&] { ++woken; });
  const auto one = hub.Subscribe("a", [] {});
  hub.On(Started("a", "r1"));
  hub.On(Started("b", "r2"));
  EXPECT_EQ(woken, 2);
  EXPECT_EQ(all->Take()->request_id(), "r1");
  EXPECT_EQ(all->Take()->request_id(), "r2");
  EXPECT_FALSE(all->Take());
  const auto event = one->Take();
  ASSERT_TRUE(event);
  EXPECT_EQ(event->type(), Event::REQUEST_STARTED);
  EXPECT_EQ(event->stream_id(), "a");
  EXPECT_FALSE(one->Take());
}

TEST(EventHub, WhatConcernsTheProcessReachesAllWatchers) {
  EventHub hub;
  const auto one = hub.Subscribe("a", [] {});
  hub.Say(Event::RELOAD_FAILED, "", "node \"x\" is missing");
  const auto event = one->Take();
  ASSERT_TRUE(event);
  EXPECT_EQ(event->type(), Event::RELOAD_FAILED);
  EXPECT_EQ(event->detail(), "node \"x\" is missing");
}

TEST(EventHub, AFullQueueLosesItsOldestAndSaysHowMany) {
  EventHub hub;
  const auto watch = hub.Subscribe("", [] {});
  const size_t extra = 7;
  for (size_t i = 0; i < EventHub::Watch::kCapacity + extra; ++i) {
    hub.On(Started("a", std::to_string(i)));
  }
  const auto first = watch->Take();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->request_id(), std::to_string(extra));
  EXPECT_EQ(first->missed(), extra);
  EXPECT_EQ(watch->Take()->missed(), 0u);
}

TEST(EventHub, AfterClosingAWatchEndsWithWhatItHolds) {
  EventHub hub;
  int woken = 0;
  const auto watch = hub.Subscribe("", [&] { ++woken; });
  hub.On(Started("a", "r"));
  hub.Close();
  EXPECT_EQ(woken, 2);
  EXPECT_FALSE(watch->over());
  EXPECT_TRUE(watch->Take());
  EXPECT_TRUE(watch->over());
  EXPECT_TRUE(hub.Subscribe("", [] {})->over());
}

TEST(EventHub, AWatcherThatGoesIsForgotten) {
  EventHub hub;
  int woken = 0;
  auto watch = hub.Subscribe("", [&] { ++woken; });
  watch.reset();
  hub.On(Started("a", "r"));
  EXPECT_EQ(woken, 0);
}

TEST(EventHub, LosesNothingBetweenThreads) {
  EventHub hub;
  const auto watch = hub.Subscribe("", [] {});
  std::vector<std::thread> workers;
  for (int w = 0; w < 4; ++w) {
    workers.emplace_back([&hub, w] {
      for (int i = 0; i < 200; ++i) hub.On(Started(std::to_string(w), std::to_string(i)));
    });
  }
  for (auto& t : workers) t.join();
  int next[4] = {};
  while (const auto event = watch->Take()) {
    EXPECT_EQ(event->missed(), 0u);
    EXPECT_EQ(event->request_id(), std::to_string(next[std::stoi(event->stream_id())]++));
  }
  for (int n : next) EXPECT_EQ(n, 200);
}

}  // namespace
}  // namespace posewire::anim_graph
