#include "libs/vmc/datagram_packer.h"

#include <oscpack/osc/OscOutboundPacketStream.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "libs/vmc/datagram_reader.h"
#include "libs/vmc/message_fields.h"

namespace posewire::vmc {
namespace {

constexpr size_t kLeastDatagramBytes = 256;
constexpr size_t kSizeBytes = 4;
constexpr absl::string_view kBundleName("#bundle\0", 8);
constexpr size_t kBundleStartBytes = 16;  // the name and a time tag
// Upper bound on a message's address, types and arguments other than text.
constexpr size_t kMostBytesWithoutText = 256;

// Measures the text of a message, and checks whether it has a NUL, which would end it in OSC. An
// `io` of message_fields.h.
struct TextMeasure {
  size_t bytes = 0;
  bool has_nul = false;
  void Text(absl::string_view text) {
    bytes += text.size() + 4;
    has_nul = has_nul || text.find('\0') != absl::string_view::npos;
  }
  void OptionalText(const std::optional<absl::string_view>& text) {
    if (text) Text(*text);
  }
  template <typename T>
  void Int(const T&) {}
  template <typename T>
  void Number(const T&) {}
  template <typename T>
  void Weight(const T&) {}
  template <typename T>
  void Angle(const T&) {}
  template <typename T>
  void Position(const T&) {}
  template <typename T>
  void Vector(const T&) {}
  template <typename T>
  void Pose(const T&) {}
  template <typename T>
  void OptionalInt(const T&) {}
  template <typename T>
  void OptionalCompositing(const T&) {}
  template <typename T>
  void OptionalValue(const T&) {}
};

// Text with a terminating NUL, as oscpack's stream requires.
class Terminated {
 public:
  explicit Terminated(absl::string_view text) {
    if (text.size() < here_.size()) {
      std::copy(text.begin(), text.end(), here_.begin());
      here_[text.size()] = '\0';
      text_ = here_.data();
    } else {
      there_.assign(text.data(), text.size());
      text_ = there_.c_str();
    }
  }
  Terminated(const Terminated&) = delete;
  Terminated& operator=(const Terminated&) = delete;

  const char* get() const { return text_; }

 private:
  std::array<char, 64> here_;
  std::string there_;  // used if the text is long
  const char* text_;
};

// An `io` of message_fields.h that appends to an open message.
class ArgumentWriter {
 public:
  explicit ArgumentWriter(osc::OutboundPacketStream& stream) : stream_(stream) {}

  void Int(int32_t x) { stream_ << x; }
  void Number(float x) { stream_ << x; }
  void Weight(float x) { stream_ << x; }
  void Angle(float x) { stream_ << x; }
  void Text(absl::string_view text) { stream_ << Terminated(text).get(); }
  void Vector(skel::Vec3 v) { stream_ << v.x << v.y << v.z; }
  void Position(skel::Vec3 v) { Vector(v); }
  void Pose(const UnityPose& pose) {
    Vector(pose.position);
    const skel::Quat& q = pose.rotation;
    stream_ << q.x << q.y << q.z << q.w;
  }
  void OptionalInt(const std::optional<int32_t>& x) {
    ended_ = ended_ || !x;
    if (!ended_) Int(*x);
  }
  void OptionalText(const std::optional<absl::string_view>& text) {
    if (text) Text(*text);
  }
  void OptionalCompositing(const std::optional<RootPose::Compositing>& compositing) {
    if (!compositing) return;
    Vector(compositing->scale);
    Vector(compositing->offset);
  }
  void OptionalValue(const std::variant<std::monostate, float, int32_t>& value) {
    if (const auto* const number = std::get_if<float>(&value)) Number(*number);
    if (const auto* const count = std::get_if<int32_t>(&value)) Int(*count);
  }

 private:
  osc::OutboundPacketStream& stream_;
  bool ended_ = false;  // a value of a longer form is missing
};

// Encodes one message into `out`, and reuses its memory.
absl::Status Encode(const Message& message, std::string& out) {
  const absl::string_view address = AddressOf(message);
  TextMeasure measure;
  measure.Text(address);
  Message fields = message;
  std::visit([&](auto& m) { Fields(measure, m); }, fields);
  if (measure.has_nul || address.empty() || address[0] != '/') {
    return absl::InvalidArgumentError(
        absl::StrCat("message ", absl::CHexEscape(address),
                     ": its text must have no NUL in it, and its address must begin with '/'"));
  }
  if (measure.bytes > kMaxDatagramBytes) {
    return absl::InvalidArgumentError(absl::StrCat("message ", absl::CHexEscape(address), ": ",
                                                   measure.bytes, " bytes of text, over ",
                                                   kMaxDatagramBytes));
  }
  out.resize(measure.bytes + kMostBytesWithoutText);
  try {
    osc::OutboundPacketStream stream(out.data(), out.size());
    stream << osc::BeginMessage(Terminated(address).get());
    ArgumentWriter writer(stream);
    std::visit([&](auto& m) { Fields(writer, m); }, fields);
    stream << osc::MessageTerminator();
    out.resize(stream.Size());
  } catch (const osc::Exception& e) {
    return absl::InternalError(absl::StrCat("message ", address, ": ", e.what()));
  }
  return absl::OkStatus();
}

void AppendBigEndian(uint32_t number, std::string& to) {
  for (const int shift : {24, 16, 8, 0}) {
    to.push_back(static_cast<char>(static_cast<uint8_t>(number >> shift)));
  }
}

void AppendElement(absl::string_view element, std::string& bundle) {
  AppendBigEndian(static_cast<uint32_t>(element.size()), bundle);
  bundle.append(element.data(), element.size());
}

void BeginBundle(uint64_t time_tag, std::string& bundle) {
  bundle.assign(kBundleName.data(), kBundleName.size());
  AppendBigEndian(static_cast<uint32_t>(time_tag >> 32), bundle);
  AppendBigEndian(static_cast<uint32_t>(time_tag), bundle);
}

}  // namespace

absl::StatusOr<std::string> EncodeMessage(const Message& message) {
  std::string out;
  if (absl::Status status = Encode(message, out); !status.ok()) return status;
  if (out.size() > kMaxDatagramBytes) {
    return absl::InvalidArgumentError(absl::StrCat("message ", AddressOf(message), " has ",
                                                   out.size(), " bytes, over ", kMaxDatagramBytes));
  }
  return out;
}

DatagramPacker::DatagramPacker(size_t max_bytes)
    : max_bytes_(std::clamp(max_bytes, kLeastDatagramBytes, kMaxDatagramBytes)) {}

absl::Status DatagramPacker::Add(const Message& message) {
  if (absl::Status status = Encode(message, scratch_); !status.ok()) return status;
  return AddEncoded(scratch_);
}

absl::Status DatagramPacker::AddEncoded(absl::string_view message) {
  const size_t needed = kSizeBytes + message.size();
  if (kBundleStartBytes + needed > max_bytes_) {
    const absl::string_view address = message.substr(0, message.find('\0'));
    return absl::InvalidArgumentError(absl::StrCat("message ", absl::CHexEscape(address), " has ",
                                                   message.size(), " bytes, which no bundle of ",
                                                   max_bytes_, " bytes holds"));
  }
  if (open_ && datagrams_[used_ - 1].size() + needed > max_bytes_) open_ = false;
  if (!open_) {
    if (used_ == datagrams_.size()) datagrams_.emplace_back().reserve(max_bytes_);
    BeginBundle(time_tag_, datagrams_[used_++]);
    open_ = true;
  }
  AppendElement(message, datagrams_[used_ - 1]);
  return absl::OkStatus();
}

void DatagramPacker::Break() { open_ = false; }

absl::Span<const std::string> DatagramPacker::Datagrams() const {
  return absl::MakeConstSpan(datagrams_).subspan(0, used_);
}

void DatagramPacker::Clear() {
  used_ = 0;
  open_ = false;
}

}  // namespace posewire::vmc
