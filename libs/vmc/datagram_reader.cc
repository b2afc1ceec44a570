#include "libs/vmc/datagram_reader.h"

#include <oscpack/osc/OscReceivedElements.h>

#include <algorithm>
#include <numeric>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/vmc/argument_reader.h"
#include "libs/vmc/message_fields.h"
#include "libs/vmc/osc_bounds.h"
#include "libs/vmc/time_tag.h"

namespace posewire::vmc {
namespace {

using Take = absl::FunctionRef<void(const Message&)>;

constexpr absl::string_view kThroughPrefix = "/VMC/Thru/";

template <typename M>
void Parse(ArgumentReader& arguments, M message, Take take) {
  Fields(arguments, message);
  if (!arguments.rejection()) take(Message(message));
}

template <typename M>
void ParseDefault(ArgumentReader& arguments, Take take) {
  Parse(arguments, M(), take);
}

template <DeviceKind kKind, bool kLocal>
void ParseDevice(ArgumentReader& arguments, Take take) {
  DevicePose device;
  device.kind = kKind;
  device.local = kLocal;
  Parse(arguments, device, take);
}

struct Form {
  absl::string_view address;
  void (*parse)(ArgumentReader&, Take);
};

// The most frequent messages come first.
constexpr Form kForms[] = {
    {"/VMC/Ext/Bone/Pos", ParseDefault<BonePose>},
    {"/VMC/Ext/Blend/Val", ParseDefault<BlendValue>},
    {"/VMC/Ext/Blend/Apply", ParseDefault<BlendApply>},
    {"/VMC/Ext/OK", ParseDefault<Ok>},
    {"/VMC/Ext/T", ParseDefault<Time>},
    {"/VMC/Ext/Root/Pos", ParseDefault<RootPose>},
    {"/VMC/Ext/Tra/Pos", ParseDevice<DeviceKind::kTracker, false>},
    {"/VMC/Ext/Tra/Pos/Local", ParseDevice<DeviceKind::kTracker, true>},
    {"/VMC/Ext/Hmd/Pos", ParseDevice<DeviceKind::kHeadset, false>},
    {"/VMC/Ext/Hmd/Pos/Local", ParseDevice<DeviceKind::kHeadset, true>},
    {"/VMC/Ext/Con/Pos", ParseDevice<DeviceKind::kController, false>},
    {"/VMC/Ext/Con/Pos/Local", ParseDevice<DeviceKind::kController, true>},
    {"/VMC/Ext/Cam", ParseDefault<CameraPose>},
    {"/VMC/Ext/Light", ParseDefault<Light>},
    {"/VMC/Ext/Con", ParseDefault<ControllerInput>},
    {"/VMC/Ext/Key", ParseDefault<Key>},
    {"/VMC/Ext/Midi/Note", ParseDefault<MidiNote>},
    {"/VMC/Ext/Midi/CC/Val", ParseDefault<MidiValue>},
    {"/VMC/Ext/Midi/CC/Bit", ParseDefault<MidiBit>},
    {"/VMC/Ext/Rcv", ParseDefault<Receives>},
    {"/VMC/Ext/VRM", ParseDefault<VrmFile>},
    {"/VMC/Ext/Remote", ParseDefault<RemoteAvatar>},
    {"/VMC/Ext/Opt", ParseDefault<OptionText>},
    {"/VMC/Ext/Setting/Color", ParseDefault<BackgroundColor>},
    {"/VMC/Ext/Setting/Win", ParseDefault<WindowAttributes>},
    {"/VMC/Ext/Config", ParseDefault<ConfigFile>},
    {"/VMC/Ext/Set/Eye", ParseDefault<SetEye>},
    {"/VMC/Ext/Set/Period", ParseDefault<SetPeriod>},
    {"/VMC/Ext/Set/Req", ParseDefault<SetRequest>},
    {"/VMC/Ext/Set/Res", ParseDefault<SetResponse>},
    {"/VMC/Ext/Set/Calib/Ready", ParseDefault<CalibrationReady>},
    {"/VMC/Ext/Set/Calib/Exec", ParseDefault<CalibrationExecute>},
    {"/VMC/Ext/Set/Config", ParseDefault<SetConfig>},
    {"/VMC/Ext/Set/Shortcut", ParseDefault<SetShortcut>},
};

const Form* FindForm(absl::string_view address) {
  const auto* const end = std::end(kForms);
  const auto* const form =
      std::find_if(std::begin(kForms), end, [&](const Form& f) { return f.address == address; });
  return form == end ? nullptr : form;
}

}  // namespace

absl::string_view RejectionName(Rejection rejection) {
  switch (rejection) {
    case Rejection::kMalformed:
      return "malformed";
    case Rejection::kTooLarge:
      return "too_large";
    case Rejection::kTooDeep:
      return "too_deep";
    case Rejection::kTooFewArguments:
      return "too_few_arguments";
    case Rejection::kWrongType:
      return "wrong_type";
    case Rejection::kNotFinite:
      return "not_finite";
    case Rejection::kOutOfRange:
      return "out_of_range";
    case Rejection::kNotText:
      return "not_text";
  }
  return "unknown";
}

uint64_t ReadCounts::rejected_in_all() const {
  return std::accumulate(rejected.begin(), rejected.end(), uint64_t{0});
}

// Walks one datagram. oscpack throws while parsing the structure; each such call is caught here.
class PacketWalk {
 public:
  PacketWalk(DatagramReader& reader, Take take) : reader_(reader), take_(take) {}

  void Datagram(absl::string_view bytes) { Packet(bytes, 0); }

 private:
  // A message or bundle nested in `depth` bundles.
  void Packet(absl::string_view bytes, int depth) {
    try {
      const osc::ReceivedPacket packet(bytes.data(), bytes.size());
      if (!packet.IsBundle()) {
        if (!ArgumentsFit(bytes)) return reader_.Reject(Rejection::kMalformed, "", -1);
        const osc::ReceivedMessage message(packet);
        One(message);
      } else if (!ElementsFit(bytes)) {
        reader_.Reject(Rejection::kMalformed, "#bundle", -1);
      } else if (depth >= kMaxBundleDepth) {
        reader_.Reject(Rejection::kTooDeep, "#bundle", -1);
      } else {
        Elements(osc::ReceivedBundle(packet), depth + 1);
      }
    } catch (const osc::Exception&) {
      reader_.Reject(Rejection::kMalformed, "", -1);
    }
  }

  void Elements(const osc::ReceivedBundle& bundle, int depth) {
    ++reader_.counts_.bundles;
    const uint64_t tag = bundle.TimeTag();
    if (tag > kImmediately && !reader_.time_tag_s_) reader_.time_tag_s_ = SecondsOfTag(tag);
    for (auto i = bundle.ElementsBegin(); i != bundle.ElementsEnd(); ++i) {
      Packet({i->Contents(), static_cast<size_t>(i->Size())}, depth);
    }
  }

  void One(const osc::ReceivedMessage& message) {
    const absl::string_view address = message.AddressPattern();
    ArgumentReader arguments(message);
    if (const Form* const form = FindForm(address)) {
      form->parse(arguments, take_);
    } else if (absl::StartsWith(address, kThroughPrefix)) {
      Through through;
      through.address = address;
      Parse(arguments, through, take_);
    } else {
      ++reader_.counts_.unknown;
      return;
    }
    if (arguments.rejection()) {
      reader_.Reject(*arguments.rejection(), address, arguments.index());
    } else {
      ++reader_.counts_.messages;
    }
  }

  DatagramReader& reader_;
  Take take_;
};

void DatagramReader::Read(absl::string_view datagram, Take take) {
  ++counts_.datagrams;
  time_tag_s_.reset();
  if (datagram.size() > kMaxDatagramBytes) return Reject(Rejection::kTooLarge, "", -1);
  PacketWalk(*this, take).Datagram(datagram);
}

void DatagramReader::Reject(Rejection rejection, absl::string_view address, int argument) {
  ++counts_.rejected[static_cast<size_t>(rejection)];
  last_.any = true;
  last_.rejection = rejection;
  last_.argument = argument;
  last_.address_size = std::min(address.size(), last_.address.size());
  std::copy_n(address.data(), last_.address_size, last_.address.begin());
}

std::string DatagramReader::LastRejection() const {
  if (!last_.any) return "";
  std::string text(RejectionName(last_.rejection));
  if (last_.address_size > 0) {
    const absl::string_view address(last_.address.data(), last_.address_size);
    absl::StrAppend(&text, ": ", absl::CHexEscape(address));
  }
  if (last_.argument >= 0) absl::StrAppend(&text, " argument ", last_.argument);
  return text;
}

}  // namespace posewire::vmc
