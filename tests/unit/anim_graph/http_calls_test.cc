// Control calls over HTTP and WebSocket that are under way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>

#include "libs/service/connection_table.h"
#include "services/anim_graph/http/http_api.h"
#include "tests/unit/anim_graph/bell_waiter.h"
#include "tests/unit/anim_graph/engine_harness.h"
#include "tests/unit/service/http_client.h"

namespace posewire::anim_graph {
namespace {

using service::HttpClient;
using ::testing::HasSubstr;

TEST(HttpCalls, OverTheBudgetAreRejectedUntilOneIsAnswered) {
  Harness h;
  EngineSettings settings = *h.parts.settings;
  settings.max_calls = 1;
  h.parts.capacity = std::make_shared<Capacity>(settings);
  const stream::Budget& under_way = h.parts.capacity->calls;
  const stream::AllowAll authorizer;
  AllHere directory;
  EventHub events;
  Workers workers(1, h.parts);
  CallParts parts{&workers, &authorizer, &directory, {}};
  parts.capacity = h.parts.capacity;
  Control control(parts, nullptr, &events);
  const Readiness readiness(h.parts);
  const service::ConnectionTable connections;
  const RelayCounts relayed;
  const Metrics metrics(&workers, h.parts.capacity, &connections, &directory.counters(), &relayed,
                        {});
  auto api = HttpApi::Start({.listen = "127.0.0.1:0"}, &control, &readiness, &metrics, "1", {});
  ASSERT_TRUE(api.ok()) << api.status();

  // The worker does not run yet, so that nothing is answered.
  HttpClient first((*api)->port());
  first.Send("GET /streams HTTP/1.1\r\nHost: localhost\r\n\r\n");
  while (under_way.used() == 0) std::this_thread::yield();
  const std::string why = "1 control calls are under way, and --max-calls allows 1";
  HttpClient second((*api)->port());
  const HttpClient::Reply reply = second.Call("GET", "/streams");
  EXPECT_EQ(reply.status, 429);
  EXPECT_THAT(reply.body, HasSubstr(why));
  HttpClient third((*api)->port());
  ASSERT_EQ(third.OpenWebSocket("/ws").status, 101);
  third.SendFrame(1, R"({"id": 1, "method": "ListStreams"})");
  EXPECT_THAT(third.ReadFrame().payload, HasSubstr(why));

  workers.all()[0]->Start(std::make_unique<BellWaiter>());
  EXPECT_EQ(first.ReadReply().status, 200);
  while (under_way.used() > 0) std::this_thread::yield();
  third.SendFrame(1, R"({"id": 2, "method": "ListStreams"})");
  EXPECT_THAT(third.ReadFrame().payload, HasSubstr(R"("id":2,"result")"));
  while (under_way.used() > 0) std::this_thread::yield();
}

}  // namespace
}  // namespace posewire::anim_graph
