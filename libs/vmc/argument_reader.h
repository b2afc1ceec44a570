// Reads the arguments of one OSC message, with every check on them. Internal to libs/vmc.
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

// An `io` of message_fields.h. After the first rejected argument it does nothing. Unexpected
// arguments that only longer forms have end the message without an error. The oscpack calls here do
// not throw, because types are checked first.
class ArgumentReader {
 public:
  explicit ArgumentReader(const osc::ReceivedMessage& message)
      : at_(message.ArgumentsBegin()), end_(message.ArgumentsEnd()) {}

  void Int(int32_t& out);
  void Number(float& out);  // any finite number
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

  const std::optional<Rejection>& rejection() const { return rejection_; }
  // The rejected argument, counted from 0.
  int index() const { return index_; }

 private:
  void Reject(Rejection rejection) { rejection_ = rejection; }
  bool AtEnd() const { return at_ == end_; }
  void Advance() {
    ++at_;
    ++index_;
  }
  bool AtNumber() const;
  // Takes the current number; rejects anything that is not a number, or does not fit into a float.
  double Take();
  void Bounded(float& out, float limit);

  osc::ReceivedMessageArgumentIterator at_, end_;
  std::optional<Rejection> rejection_;
  int index_ = 0;
};

}  // namespace posewire::vmc

#endif  // POSEWIRE_LIBS_VMC_ARGUMENT_READER_H_
