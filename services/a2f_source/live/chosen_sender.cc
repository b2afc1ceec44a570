#include "services/a2f_source/live/chosen_sender.h"

#include "absl/strings/str_cat.h"

namespace posewire::a2f_source {
namespace {

constexpr double kAskPeriod_s = 1;

// An IPv6 address needs brackets before a port can follow it.
std::string PhoneAddress(const std::string& phone, int port) {
  const bool has_port = phone.find(':') != std::string::npos && phone.back() != ']';
  return has_port ? phone : absl::StrCat(phone, ":", port);
}

}  // namespace

absl::Status ChosenSender::Find(const service::UdpReceiver& socket, const std::string& host) {
  if (settings_.phone.empty()) return absl::OkStatus();
  const std::string address = PhoneAddress(settings_.phone, settings_.phone_port);
  const auto parsed = service::ParseListenAddress(address);
  if (!parsed.ok()) return parsed.status();
  if (service::IsLoopback({host, 0, ""}) && !service::IsLoopback(*parsed)) {
    return absl::FailedPreconditionError(absl::StrCat(
        "phone ", address, ": it cannot be reached from ", host,
        ", an address of this machine only; listen with --host 0.0.0.0 --allow-plaintext when the "
        "network is trusted"));
  }
  auto found = socket.Resolve(address);
  if (!found.ok()) return found.status();
  phone_ = chosen_ = *found;
  return absl::OkStatus();
}

bool ChosenSender::Takes(const service::SocketAddress& from, double now_s) {
  const bool gone = !phone_ && (!last_s_ || now_s - *last_s_ > gone_s_);
  if (gone) chosen_ = from;
  if (!chosen_->SameHost(from)) {
    ++others_;
    other_ = from;
    return false;
  }
  last_s_ = now_s;
  return true;
}

void ChosenSender::Tick(service::UdpReceiver& socket, double now_s, const service::Logger& log) {
  Ask(socket, now_s, log);
  if (const uint64_t more = others_warned_.Due(others_, now_s)) {
    log.Warning("another sender sends here, and is left out; --phone chooses one",
                {{"count", more}, {"sender", other_->HostText()}, {"shown", chosen_->HostText()}});
  }
}

void ChosenSender::Ask(service::UdpReceiver& socket, double now_s, const service::Logger& log) {
  const bool sends = last_s_ && now_s - *last_s_ < kAskPeriod_s;
  const bool waits = asked_s_ && now_s - *asked_s_ < kAskPeriod_s;
  if (!phone_ || sends || waits) return;
  asked_s_ = now_s;
  if (!socket.SendTo(*phone_, settings_.requests[asked_++ % settings_.requests.size()])) ++unsent_;
  if (const uint64_t more = unsent_warned_.Due(unsent_, now_s)) {
    log.Warning("the phone cannot be asked to send",
                {{"count", more}, {"phone", phone_->HostText()}});
  }
}

}  // namespace posewire::a2f_source
