// Keeps what a VMC session puts out.
#ifndef POSEWIRE_TESTS_UNIT_A2F_SOURCE_VMC_RECORDER_H_
#define POSEWIRE_TESTS_UNIT_A2F_SOURCE_VMC_RECORDER_H_

#include <string>
#include <utility>
#include <vector>

#include "services/a2f_source/core/vmc_session.h"
#include "tests/unit/a2f_source/parsed.h"

namespace posewire::a2f_source {

class VmcRecorder : public VmcOutput {
 public:
  struct Request {
    nvidia_ace::animation_data::v1::AnimationDataStreamHeader header;
    std::vector<nvidia_ace::animation_data::v1::AnimationData> frames;
    bool ended = false;
  };
  void Begin(const wire::StreamHeader& header) override {
    requests.push_back({ParsedHeader(header), {}, false});
  }
  void Frame(wire::Message message) override {
    requests.back().frames.push_back(ParsedData(message));
  }
  void End() override { requests.back().ended = true; }
  void User(const VmcUser& user) override { users.push_back(user); }
  void Event(const std::string& name) override { events.push_back(name); }
  void Variable(const std::string& name, float value) override {
    variables.emplace_back(name, value);
  }
  void Prop(const VmcProp& prop) override { props.push_back(prop); }
  void Told(const std::string& what, const std::string& value) override {
    told.emplace_back(what, value);
  }

  std::vector<Request> requests;
  std::vector<VmcUser> users;
  std::vector<std::string> events;
  std::vector<std::pair<std::string, float>> variables;
  std::vector<VmcProp> props;
  std::vector<std::pair<std::string, std::string>> told;
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_TESTS_UNIT_A2F_SOURCE_VMC_RECORDER_H_
