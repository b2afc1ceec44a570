#include "libs/vmc/text_form.h"

#include <oscpack/osc/OscOutboundPacketStream.h>

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "libs/vmc/datagram_packer.h"
#include "libs/vmc/datagram_reader.h"

namespace posewire::vmc {
namespace {

constexpr size_t kMostLineBytes = 4096;

bool IsSpace(char c) { return absl::ascii_isspace(static_cast<unsigned char>(c)); }

struct Word {
  std::string text;
  bool quoted = false;
};

// Splits at spaces outside of quotes.
absl::StatusOr<std::vector<Word>> Words(absl::string_view line) {
  std::vector<Word> words;
  size_t i = 0;
  while (true) {
    while (i < line.size() && IsSpace(line[i])) ++i;
    if (i == line.size()) return words;
    Word word;
    if (line[i] == '"') {
      const size_t end = line.find('"', i + 1);
      if (end == absl::string_view::npos) {
        return absl::InvalidArgumentError("a quotation mark is not closed");
      }
      word = {std::string(line.substr(i + 1, end - i - 1)), true};
      i = end + 1;
    } else {
      const size_t begin = i;
      while (i < line.size() && !IsSpace(line[i])) ++i;
      word.text = std::string(line.substr(begin, i - begin));
    }
    words.push_back(std::move(word));
  }
}

}  // namespace

absl::StatusOr<std::string> EncodeLine(absl::string_view line) {
  const auto fault = [&](absl::string_view why) {
    return absl::InvalidArgumentError(
        absl::StrCat("message \"", absl::CHexEscape(line.substr(0, 200)), "\": ", why));
  };
  if (line.size() > kMostLineBytes) return fault("it is too long");
  const auto words = Words(line);
  if (!words.ok()) return fault(words.status().message());
  if (words->empty()) return fault("the address is missing");
  // Written with the types that the words look like, then read as VMC has them.
  std::string raw(2 * kMostLineBytes + 16 * words->size(), '\0');
  std::string encoded;
  DatagramReader reader;
  try {
    osc::OutboundPacketStream stream(raw.data(), raw.size());
    stream << osc::BeginMessage(words->front().text.c_str());
    for (size_t i = 1; i < words->size(); ++i) {
      const Word& word = (*words)[i];
      int32_t whole = 0;
      float number = 0;
      if (!word.quoted && absl::SimpleAtoi(word.text, &whole)) {
        stream << whole;
      } else if (!word.quoted && absl::SimpleAtof(word.text, &number)) {
        stream << number;
      } else {
        stream << word.text.c_str();
      }
    }
    stream << osc::MessageTerminator();
    absl::Status status = fault("VMC does not have this address");
    reader.Read({stream.Data(), stream.Size()}, [&](const Message& message) {
      auto bytes = EncodeMessage(message);
      status = bytes.status();
      if (bytes.ok()) encoded = *std::move(bytes);
    });
    if (encoded.empty() && reader.counts().rejected_in_all() > 0) {
      return fault(reader.LastRejection());
    }
    if (!status.ok()) return status;
  } catch (const osc::Exception& e) {
    return fault(e.what());
  }
  return encoded;
}

}  // namespace posewire::vmc
