// `a2f_source ifacialmocap`: takes a face from the app iFacialMocap.
#include <memory>
#include <string>

#include "libs/ifacialmocap/packet.h"
#include "services/a2f_source/commands.h"
#include "services/a2f_source/ifacialmocap/ifacialmocap_input.h"

namespace posewire::a2f_source {
namespace {

// Each field is a flag, an environment variable and a config key; see --help.
struct IfacialmocapConfig {
  std::string phone;  // empty: the first that sends
};

struct IfacialmocapCommand : service::Command {
  IfacialmocapCommand(const SourceSettings& source, const LiveConfig& live, const FaceConfig& face)
      : Command("ifacialmocap", "Takes a face from the app iFacialMocap on a phone (UDP), live.",
                {"a2f_source ifacialmocap --phone 192.168.1.7 --host 0.0.0.0 --allow-plaintext "
                 "--stream-id s1"}),
        source(source),
        live(live),
        face(face) {}

  IfacialmocapConfig config;
  const SourceSettings& source;
  const LiveConfig& live;
  const FaceConfig& face;

  void Declare(service::Flags& flags) override {
    flags.OnlyFor({"ifacialmocap"});
    flags.Group("iFacialMocap");
    flags.Add("phone", &config.phone,
              "Phone that is asked to send, at port 49983 unless given, and whose data alone is "
              "taken; the first that sends unless given.",
              {.value_name = "HOST[:PORT]"});
  }
  int Run(service::Process& process, const service::Logger& log) override;
};

int IfacialmocapCommand::Run(service::Process& process, const service::Logger& log) {
  IfacialmocapSessionSettings session;
  live.Apply(source.Fps(/*otherwise=*/60), session.session);
  session.head = face.Head();
  const LiveProtocol protocol = {
      .port_key = "ifacialmocap_port",
      .port = ifacialmocap::kDefaultPort,
      .listening = "listening for iFacialMocap",
      .none_yet = "no iFacialMocap datagram has arrived yet",
      .sender = ChosenSenderSettings{.phone = config.phone,
                                     .phone_port = ifacialmocap::kDefaultPort,
                                     .requests = {std::string(ifacialmocap::kRequest),
                                                  std::string(ifacialmocap::kRequestOfVersion1)}}};
  const auto make = [&](VmcOutput* output) { return MakeIfacialmocapInput(session, output); };
  return RunLive(protocol, make, live, source, process, log);
}

}  // namespace

std::unique_ptr<service::Command> MakeIfacialmocap(const SourceSettings& source,
                                                   const LiveConfig& live, const FaceConfig& face) {
  return std::make_unique<IfacialmocapCommand>(source, live, face);
}

}  // namespace posewire::a2f_source
