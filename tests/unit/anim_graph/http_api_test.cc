// The table of paths against the calls that it names, and JSON to and from those calls.
#include <gmock/gmock.h>
#include <google/protobuf/struct.pb.h>
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <string>
#include <vector>

#include "libs/service/http/http_router.h"
#include "posewire.control.v1.pb.h"
#include "services/anim_graph/ace_events.h"
#include "services/anim_graph/http/call_json.h"
#include "services/anim_graph/http/endpoints.h"
#include "services/anim_graph/http/openapi.h"

namespace posewire::anim_graph {
namespace {

namespace cv1 = posewire::control::v1;
using ::testing::HasSubstr;

TEST(Endpoints, FillFieldsThatTheirCallsHave) {
  for (const Endpoint& e : Endpoints()) {
    if (*e.call == '\0') continue;
    auto call = MakeControlCall(e.call);
    ASSERT_TRUE(call.ok()) << e.pattern << ": " << call.status();
    google::protobuf::Message* request = (*call)->request.get();
    for (const std::string& name : NamesIn(e.pattern)) {
      const std::string field = FieldOf(e, name);
      if (field.empty()) continue;
      EXPECT_TRUE(SetField(field, "x", request).ok())
          << e.method << " " << e.pattern << " " << name;
    }
    for (const char* name : e.query) {
      EXPECT_NE(request->GetDescriptor()->FindFieldByName(name), nullptr) << e.pattern << name;
    }
    if (*e.body_field == '\0') continue;
    const auto* field = request->GetDescriptor()->FindFieldByName(e.body_field);
    ASSERT_NE(field, nullptr) << e.pattern;
    EXPECT_EQ(field->message_type() != nullptr, e.body == Endpoint::kJson) << e.pattern;
  }
}

TEST(Endpoints, ReachEveryCallThatIsAnsweredOnce) {
  std::set<std::string> reached;
  for (const Endpoint& e : Endpoints()) reached.insert(e.call);
  const auto& service = *FindControlMethod("ListStreams")->service();
  for (int i = 0; i < service.method_count(); ++i) {
    if (service.method(i)->server_streaming()) continue;
    EXPECT_TRUE(reached.count(service.method(i)->name())) << service.method(i)->name();
  }
}

TEST(Endpoints, AreRoutesWithoutDoubles) {
  std::vector<service::HttpRoute> routes;
  for (const Endpoint& e : Endpoints()) {
    routes.push_back({e.method, e.pattern, service::Fixed("", "")});
  }
  EXPECT_TRUE(service::HttpRouter::Make(routes).ok());
}

TEST(OpenApi, IsJsonWithEachPathOnce) {
  google::protobuf::Struct document;
  ASSERT_TRUE(ReadJson(OpenApiDocument("1.2.3"), &document).ok());
  EXPECT_EQ(document.fields().at("info").struct_value().fields().at("version").string_value(),
            "1.2.3");
  std::set<std::string> patterns = {"/ws"};
  for (const Endpoint& e : Endpoints()) patterns.insert(e.pattern);
  EXPECT_EQ(document.fields().at("paths").struct_value().fields_size(),
            static_cast<int>(patterns.size()));
}

TEST(CallJson, KnowsTheCallsByName) {
  auto call = MakeControlCall("SetVariable");
  ASSERT_TRUE(call.ok());
  EXPECT_EQ((*call)->response->GetDescriptor(), cv1::SetVariableResponse::descriptor());
  for (const auto& [name, said] :
       {std::pair("", "such as SetGesture"), std::pair("setVariable", "did you mean SetVariable"),
        std::pair("SetVariable\n", "did you mean SetVariable"),
        std::pair("WatchEvents", "re are 28")}) {
    const absl::Status status = MakeControlCall(name).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kNotFound) << name;
    EXPECT_THAT(std::string(status.message()), HasSubstr(said));
  }
}

TEST(CallJson, ReadsBothSpellingsAndRejectsTheRest) {
  cv1::SetVariableRequest request;
  ASSERT_TRUE(ReadJson(R"({"stream_id": "a", "targetObjectId": "b"})", &request).ok());
  EXPECT_EQ(request.stream_id(), "a");
  EXPECT_EQ(request.target_object_id(), "b");
  EXPECT_TRUE(ReadJson("  \n", &request).ok());
  EXPECT_EQ(request.stream_id(), "a");
  std::string deep = R"({"a":)";
  for (int i = 0; i < 5000; ++i) deep += "[";
  for (const std::string& text :
       {std::string("{"), std::string("[]"), std::string("1"), std::string(R"({"no": 1})"),
        std::string("{\"stream_id\": \"\xff\"}"), std::string(R"({"stream_id": 1e400})"), deep}) {
    const absl::Status status = ReadJson(text, &request);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text.substr(0, 40);
  }
  google::protobuf::Struct any;
  EXPECT_FALSE(ReadJson(deep, &any).ok());
}

TEST(CallJson, WhatItWritesItReads) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    cv1::Event event;
    event.set_type(static_cast<cv1::Event::Type>(random() % 20));
    std::string text;
    for (size_t i = random() % 20; i > 0; --i) {
      text += static_cast<char>(random() % 127 + 1);
      text += "\xc3\xa4";
    }
    event.set_stream_id(text);
    event.set_time_code_s(std::uniform_real_distribution<>(-1e6, 1e6)(random));
    event.set_missed(random());
    cv1::Event back;
    const std::string json = WriteJson(event);
    ASSERT_TRUE(ReadJson(json, &back).ok()) << json;
    ASSERT_EQ(back.SerializeAsString(), event.SerializeAsString()) << json;
  }
  EXPECT_EQ(WriteJson(cv1::ListStreamsResponse()), R"({"streams":[],"missing":[]})");
}

TEST(CallJson, SetsFieldsFromText) {
  cv1::GetSitesRequest sites;
  ASSERT_TRUE(SetField("names", "a", &sites).ok());
  ASSERT_TRUE(SetField("names", "b", &sites).ok());
  EXPECT_EQ(sites.names_size(), 2);
  cv1::PutClipRequest clip;
  ASSERT_TRUE(SetField("loop", "true", &clip).ok());
  EXPECT_TRUE(clip.loop());
  ASSERT_TRUE(SetField("loop", "0", &clip).ok());
  EXPECT_FALSE(clip.loop());
  EXPECT_THAT(std::string(SetField("loop", "maybe", &clip).message()), HasSubstr("maybe"));
  EXPECT_THAT(std::string(SetField("name", "\xff", &clip).message()), HasSubstr("UTF-8"));
  cv1::PlaceAvatarRequest place;
  ASSERT_TRUE(SetField("x_m", "-1.5", &place).ok());
  EXPECT_EQ(place.x_m(), -1.5);
  for (const char* text : {"", "x", "nan", "inf"}) {
    EXPECT_FALSE(SetField("x_m", text, &place).ok()) << text;
  }
  cv1::SetUserRequest user;
  ASSERT_TRUE(SetField("user.name", "anna", &user).ok());
  EXPECT_EQ(user.user().name(), "anna");
}

TEST(AceEvents, KnowsTwoKinds) {
  cv1::Event event;
  event.set_stream_id("s\"1\n");
  event.set_request_id("r1");
  for (int type = 0; type < 20; ++type) {
    event.set_type(static_cast<cv1::Event::Type>(type));
    const std::string json = AceEvents::ToJson(event);
    const bool known = type == cv1::Event::REQUEST_ENDED || type == cv1::Event::REQUEST_INTERRUPTED;
    ASSERT_EQ(!json.empty(), known) << type;
    if (!known) continue;
    google::protobuf::Struct object;
    ASSERT_TRUE(ReadJson(json, &object).ok()) << json;
    EXPECT_EQ(object.fields().at("event_type").string_value(),
              type == cv1::Event::REQUEST_ENDED ? "request_playback_ended"
                                                : "request_playback_interrupted");
    EXPECT_EQ(object.fields().at("stream_id").string_value(), event.stream_id());
    EXPECT_EQ(object.fields().at("request_id").string_value(), "r1");
  }
}

}  // namespace
}  // namespace posewire::anim_graph
