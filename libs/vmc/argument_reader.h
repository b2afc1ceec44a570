// Takes the arguments of one OSC message, with every check on them. Internal to libs/vmc.
#ifndef POSEWIRE_LIBS_VMC_ARGUMENT_READER_H_
#define POSEWIRE_LIBS_VMC_ARGUMENT_READER_H_

#include <oscpack/osc/OscReceivedElements.h>

#include <cstdint>
#include <optional>
#include <variant>

#include "absl/strings/string_view.h"
#include "libs/vmc/datagram_reader.h"
#include "libs/vmc/messages.h"

namespace posewire::vmc {

// An `io` of message_fields.h. After the first argument that is refused it does nothing more.
// Arguments that only longer forms have end the message when they are not what they ought to be,
// and refuse nothing. The calls of oscpack in here do not throw: types are looked at first.
class ArgumentReader {
 public:
  explicit ArgumentReader(const osc::ReceivedMessage& message)
      : at_(message.ArgumentsBegin()), end_(message.ArgumentsEnd()) {}

  void Int(int32_t& out);
  void Number(float& out);  // any that is finite
  void Weight(float& out);
  void Angle(float& out);
  void Text(absl::string_view& out);
  void Position(skel::Vec3& out);
  void Vector(skel::Vec3& out);
  void Pose(UnityPose& out);
  void OptionalInt(std::optional<int32_t>& out);
  void OptionalText(std::optional<absl::string_view>& out);
  void OptionalCompositing(std::optional<RootPose::Compositing>& out);
  void OptionalValue(std::variant<std::monostate, float, int32_t>& out);

  const std::optional<Refusal>& refusal() const { return refusal_; }
  // The argument that was refused, from 0.
  int index() const { return index_; }

 private:
  void Refuse(Refusal refusal) { refusal_ = refusal; }
  bool AtEnd() const { return at_ == end_; }
  void Advance() {
    ++at_;
    ++index_;
  }
  bool AtNumber() const;
  // The number at hand; refuses what is none, and what no float holds.
  double Take();
  void Bounded(float& out, float limit);

  osc::ReceivedMessageArgumentIterator at_, end_;
  std::optional<Refusal> refusal_;
  int index_ = 0;
};

}  // namespace posewire::vmc

#endif  // POSEWIRE_LIBS_VMC_ARGUMENT_READER_H_
