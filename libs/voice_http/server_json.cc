#include "libs/voice_http/server_json.h"

#include <rapidjson/document.h>
#include <rapidjson/error/en.h>

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"

namespace posewire::voice_http {
namespace {

using rapidjson::Value;
using speech::Marks;

absl::Status ParseObject(absl::string_view text, rapidjson::Document& out) {
  // Python's json writes NaN and Infinity. They make a mark invalid, not the whole object.
  out.Parse<rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag |
            rapidjson::kParseNanAndInfFlag>(text.data(), text.size());
  if (out.HasParseError()) {
    return absl::DataLossError(absl::StrCat("its JSON is broken at byte ", out.GetErrorOffset(),
                                            ": ",
                                            rapidjson::GetParseError_En(out.GetParseError())));
  }
  if (!out.IsObject()) return absl::DataLossError("its JSON is not an object");
  return absl::OkStatus();
}

const Value* Find(const Value& in, const char* name) {
  if (!in.IsObject()) return nullptr;
  const auto found = in.FindMember(name);
  return found == in.MemberEnd() ? nullptr : &found->value;
}

std::string TextOf(const Value* value) {
  if (value == nullptr || !value->IsString()) return "";
  return {value->GetString(), value->GetStringLength()};
}
std::string Text(const Value& in, const char* name) { return TextOf(Find(in, name)); }

double NumberOf(const Value* value) {
  if (value == nullptr || !value->IsNumber()) return std::numeric_limits<double>::quiet_NaN();
  return value->GetDouble();
}
double Number(const Value& in, const char* name) { return NumberOf(Find(in, name)); }

// Does nothing if there is no such array.
template <typename OnItem>
void ForEach(const Value& in, const char* name, OnItem on_item) {
  const Value* const array = Find(in, name);
  if (array == nullptr || !array->IsArray()) return;
  for (const Value& item : array->GetArray()) on_item(item);
}

// A mark without an end lasts until the next one starts, as in Azure's visemes.
void FillEnds(MarkBatch& batch) {
  for (size_t i = 0; i < batch.phonemes.size(); ++i) {
    RawPhoneme& p = batch.phonemes[i];
    if (p.end_s != std::numeric_limits<double>::infinity()) continue;
    if (i + 1 < batch.phonemes.size()) {
      p.end_s = batch.phonemes[i + 1].start_s;
    } else {
      p.end_s = batch.end_s.value_or(p.start_s + 0.1);
    }
  }
}

MarkBatch ReadMarks(const Value& in) {
  MarkBatch batch;
  if (const Value* const end = Find(in, "end"); end != nullptr) batch.end_s = NumberOf(end);
  ForEach(in, "words", [&](const Value& w) {
    batch.words.push_back({Text(w, "text"), Number(w, "start"), Number(w, "end")});
  });
  bool ends_missing = false;
  ForEach(in, "phonemes", [&](const Value& p) {
    RawPhoneme out;
    out.phone = Text(p, "ph");
    if (const Value* const viseme = Find(p, "viseme"); viseme != nullptr && viseme->IsInt()) {
      out.phone = absl::StrCat("viseme:", viseme->GetInt());
    }
    out.start_s = Number(p, "start");
    out.end_s = Number(p, "end");
    if (Find(p, "end") == nullptr) {
      out.end_s = std::numeric_limits<double>::infinity();
      ends_missing = true;
    }
    const Value* const stress = Find(p, "stress");
    out.stressed = stress != nullptr && ((stress->IsInt() && stress->GetInt() == 1) ||
                                         (stress->IsBool() && stress->GetBool()));
    batch.phonemes.push_back(std::move(out));
  });
  if (ends_missing) FillEnds(batch);
  return batch;
}

std::string ErrorOf(const Value& in) {
  for (const char* name : {"error", "detail", "message"}) {
    const Value* const error = Find(in, name);
    if (error == nullptr) continue;
    if (error->IsString()) return TextOf(error);
    if (error->IsObject()) {
      if (const std::string text = Text(*error, "message"); !text.empty()) return text;
    }
    std::string all;
    ForEach(in, name, [&](const Value& item) {
      if (const std::string text = Text(item, "msg"); !text.empty()) {
        absl::StrAppend(&all, all.empty() ? "" : "; ", text);
      }
    });
    if (!all.empty()) return all;
  }
  return "";
}

Marks MarksOf(const Value& in) {
  Marks best = Marks::kNone;
  ForEach(in, "marks", [&](const Value& item) {
    const std::string name = TextOf(&item);
    if (name == "phoneme" || name == "phonemes") best = Marks::kPhonemes;
    if (name == "word" || name == "words") best = std::max(best, Marks::kWords);
  });
  return best;
}

ListedVoice VoiceOf(const Value& in) {
  ListedVoice voice;
  voice.name = TextOf(&in);
  for (const char* name : {"name", "voice_id", "id"}) {
    if (const std::string text = Text(in, name); !text.empty()) voice.name = text;
  }
  if (const std::string text = Text(in, "language"); !text.empty()) voice.languages = {text};
  for (const char* name : {"languages", "verified_languages"}) {
    ForEach(in, name, [&](const Value& item) {
      std::string language = TextOf(&item);
      if (language.empty()) language = Text(item, "language");
      if (!language.empty()) voice.languages.push_back(std::move(language));
    });
  }
  const Value* const labels = Find(in, "labels");
  if (labels != nullptr && voice.languages.empty()) {
    if (const std::string text = Text(*labels, "language"); !text.empty()) voice.languages = {text};
  }
  voice.marks = MarksOf(in);
  for (const char* name : {"sex", "gender"}) {
    std::string sex = Text(in, name);
    if (sex.empty() && labels != nullptr) sex = Text(*labels, name);
    if (sex == "female" || sex == "male") voice.sex = std::move(sex);
  }
  return voice;
}

void AddVoices(const Value& in, std::vector<ListedVoice>& voices) {
  ForEach(in, "voices", [&](const Value& item) {
    ListedVoice voice = VoiceOf(item);
    if (!voice.name.empty()) voices.push_back(std::move(voice));
  });
}

}  // namespace

absl::StatusOr<SpeechEvent> ReadSpeechEvent(absl::string_view text) {
  SpeechEvent event;
  if (text == "[DONE]") {
    event.kind = SpeechEvent::Kind::kDone;
    return event;
  }
  rapidjson::Document json;
  if (absl::Status s = ParseObject(text, json); !s.ok()) return s;
  const std::string type = Text(json, "type");
  if (type == "speech.audio.delta") {
    event.kind = SpeechEvent::Kind::kSound;
    event.base64 = Text(json, "audio");
  } else if (type == "speech.audio.marks") {
    event.kind = SpeechEvent::Kind::kMarks;
    event.marks = ReadMarks(json);
  } else if (type == "speech.audio.done") {
    event.kind = SpeechEvent::Kind::kDone;
  } else if (type == "error" || Find(json, "error") != nullptr) {
    event.kind = SpeechEvent::Kind::kError;
    event.error = ErrorOf(json);
  }
  return event;
}

absl::StatusOr<CaptionedChunk> ReadCaptionedChunk(absl::string_view text) {
  rapidjson::Document json;
  if (absl::Status s = ParseObject(text, json); !s.ok()) return s;
  CaptionedChunk chunk;
  chunk.base64 = Text(json, "audio");
  ForEach(json, "timestamps", [&](const Value& w) {
    chunk.marks.words.push_back({Text(w, "word"), Number(w, "start_time"), Number(w, "end_time")});
  });
  if (Find(json, "audio") == nullptr) chunk.error = ErrorOf(json);
  return chunk;
}

absl::StatusOr<AlignedChunk> ReadAlignedChunk(absl::string_view text) {
  rapidjson::Document json;
  if (absl::Status s = ParseObject(text, json); !s.ok()) return s;
  AlignedChunk chunk;
  chunk.base64 = Text(json, "audio_base64");
  if (Find(json, "audio_base64") == nullptr) chunk.error = ErrorOf(json);
  const Value* const alignment = Find(json, "alignment");
  if (alignment == nullptr || !alignment->IsObject()) return chunk;
  ForEach(*alignment, "characters", [&](const Value& c) {
    chunk.characters.push_back({TextOf(&c), NumberOf(nullptr), NumberOf(nullptr)});
  });
  size_t i = 0;
  ForEach(*alignment, "character_start_times_seconds", [&](const Value& s) {
    if (i < chunk.characters.size()) chunk.characters[i++].start_s = NumberOf(&s);
  });
  i = 0;
  ForEach(*alignment, "character_end_times_seconds", [&](const Value& s) {
    if (i < chunk.characters.size()) chunk.characters[i++].end_s = NumberOf(&s);
  });
  return chunk;
}

std::string ReadErrorMessage(absl::string_view body) {
  rapidjson::Document json;
  if (ParseObject(body, json).ok()) {
    if (std::string text = ErrorOf(json); !text.empty()) return text;
  }
  return std::string(body);
}

absl::StatusOr<std::vector<ListedVoice>> ReadVoiceList(absl::string_view text) {
  rapidjson::Document json;
  if (absl::Status s = ParseObject(text, json); !s.ok()) return s;
  std::vector<ListedVoice> voices;
  AddVoices(json, voices);
  ForEach(json, "data", [&](const Value& model) {
    AddVoices(model, voices);
    if (const Value* const own = Find(model, "posewire")) AddVoices(*own, voices);
  });
  return voices;
}

absl::StatusOr<Marks> ReadModelMarks(absl::string_view text, absl::string_view model) {
  rapidjson::Document json;
  if (absl::Status s = ParseObject(text, json); !s.ok()) return s;
  Marks best = Marks::kNone;
  if (const Value* const own = Find(json, "posewire")) best = MarksOf(*own);
  ForEach(json, "data", [&](const Value& item) {
    const Value* const own = Find(item, "posewire");
    if (own != nullptr && (model.empty() || Text(item, "id") == model)) {
      best = std::max(best, MarksOf(*own));
    }
  });
  return best;
}

}  // namespace posewire::voice_http
