// Chooses one sender of a protocol whose datagrams do not name theirs, and asks a phone to send.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_LIVE_CHOSEN_SENDER_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_LIVE_CHOSEN_SENDER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "libs/service/address.h"
#include "libs/service/logger.h"
#include "libs/service/udp_socket.h"
#include "services/a2f_source/live/warn_pace.h"

namespace posewire::a2f_source {

struct ChosenSenderSettings {
  // HOST or HOST:PORT of the sender, which is asked to send; empty: the first that comes.
  std::string phone = {};
  int phone_port = 0;  // unless `phone` has one
  // What it is asked, in turn.
  std::vector<std::string> requests = {};
};

// Takes datagrams of one host, from any of its ports: of the phone, or of the first that sends,
// until it is silent for gone_s. While the phone has sent nothing for a second, asks it once a
// second. Times are seconds of one clock that does not go back. One thread.
class ChosenSender {
 public:
  ChosenSender(const ChosenSenderSettings& settings, double gone_s)
      : settings_(settings), gone_s_(gone_s) {}

  // Looks up the phone, if there is one, for a socket that listens on `host`. INVALID_ARGUMENT if
  // it has no address, FAILED_PRECONDITION if the socket reaches only this machine and the phone is
  // another one.
  absl::Status Find(const service::UdpReceiver& socket, const std::string& host);

  // Returns true if the datagram that came from there is to be taken, otherwise counts it.
  bool Takes(const service::SocketAddress& from, double now_s);
  // Asks the phone if it is due, and warns of datagrams of others, at a limited rate.
  void Tick(service::UdpReceiver& socket, double now_s, const service::Logger& log);

  uint64_t others() const { return others_; }
  // The sender whose datagrams are taken; nothing before the first.
  const std::optional<service::SocketAddress>& chosen() const { return chosen_; }

 private:
  void Ask(service::UdpReceiver& socket, double now_s, const service::Logger& log);

  const ChosenSenderSettings settings_;
  const double gone_s_;
  std::optional<service::SocketAddress> phone_, chosen_, other_;
  std::optional<double> last_s_;  // of the chosen sender
  std::optional<double> asked_s_;
  size_t asked_ = 0;  // times
  uint64_t others_ = 0, unsent_ = 0;
  WarnPace others_warned_, unsent_warned_;
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_LIVE_CHOSEN_SENDER_H_
