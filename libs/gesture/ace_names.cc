#include "libs/gesture/ace_names.h"

#include <algorithm>

#include "absl/strings/match.h"

namespace posewire::gesture {
namespace {

constexpr bool kOwn = true, kNearest = false;

// The variants b and c of a number play the clip of a.
constexpr AceName kGestures[] = {
    {"Goodbye", "wave", kNearest},
    {"Welcome", "present", kNearest},
    {"Personal_Statement_1", "point_self", kNearest},
    {"Pointing_To_Self_1", "point_self", kOwn},
    {"No_1", "shake", kNearest},
    {"Bowing_1", "bow", kOwn},
    {"Pointing_To_User_1", "point_you", kOwn},
    {"Pointing_Down_1", "point_down", kOwn},
    {"Pointing_Left_1", "point_left", kOwn},
    {"Pointing_Right_1", "point_right", kOwn},
    {"Pointing_Backward_1", "present", kNearest},
    {"Fistbump_Offer", "point_you", kNearest},
    {"Raise_Both_Arms", "open_question", kNearest},
    {"The_Robot", "talk_beat_2", kNearest},
    {"Phone_Dialing", "listen", kNearest},
    {"Please_Repeat_1", "listen", kNearest},
    {"Trying_To_See", "listen", kNearest},
    {"Driving_Mime", "talk_beat_2", kNearest},
    {"Exhausted", "bow", kNearest},
    {"Presenting_Options_1", "present", kNearest},
    {"Open_Question_1", "open_question", kOwn},
    {"Success_1", "thumbs_up", kNearest},
    {"Dont_Understand_1", "shrug", kNearest},
    {"Toss", "talk_beat_3", kNearest},
    {"Come_Here_1", "open_question", kNearest},
    {"Tell_Secret", "listen", kNearest},
    {"Chefs_Kiss", "thumbs_up", kNearest},
    {"Finger_Guns", "point_you", kNearest},
    {"Finger_Wag", "shake", kNearest},
    {"Little", "count_1", kNearest},
    {"Money", "count_1", kNearest},
    {"Number_1a", "count_1", kOwn},
    {"Number_1b", "count_1", kNearest},
    {"Number_1c", "count_1", kNearest},
    {"Number_2a", "count_2", kOwn},
    {"Number_2b", "count_2", kNearest},
    {"Number_2c", "count_2", kNearest},
    {"Number_3a", "count_3", kOwn},
    {"Number_3b", "count_3", kNearest},
    {"Number_3c", "count_3", kNearest},
    {"Number_4a", "count_4", kOwn},
    {"Number_4b", "count_4", kNearest},
    {"Number_4c", "count_4", kNearest},
    {"Number_5a", "count_5", kOwn},
    {"Number_5b", "count_5", kNearest},
    {"Number_5c", "count_5", kNearest},
    {"Number_6a", "count_5", kNearest},
    {"Number_6b", "count_5", kNearest},
    {"Number_6c", "count_5", kNearest},
    {"Number_7a", "count_5", kNearest},
    {"Number_7b", "count_5", kNearest},
    {"Number_7c", "count_5", kNearest},
    {"Number_8a", "count_5", kNearest},
    {"Number_8b", "count_5", kNearest},
    {"Number_8c", "count_5", kNearest},
    {"Number_9a", "count_5", kNearest},
    {"Number_9b", "count_5", kNearest},
    {"Number_9c", "count_5", kNearest},
    {"Ouch", "shake", kNearest},
    {"Angry_Shaking_Fist", "talk_beat_1", kNearest},
    {"Pointing_To_Self_Questioningly", "point_self", kNearest},
    {"Pointing_To_User_Questioningly", "point_you", kNearest},
    {"Raise_Finger_Big", "count_1", kNearest},
    {"More_Or_Less", "shrug", kNearest},
    {"Thumbs_Up", "thumbs_up", kOwn},
    {"Thumbs_Down", "shake", kNearest},
};

constexpr AceName kPostures[] = {
    {"Talking", "posture_talking", kOwn},     {"Listening", "posture_listening", kOwn},
    {"Idle", "posture_idle", kOwn},           {"Thinking", "posture_thinking", kOwn},
    {"Attentive", "posture_attentive", kOwn},
};

const AceName* FindIn(absl::Span<const AceName> names, absl::string_view name) {
  const auto it = std::find_if(names.begin(), names.end(), [&](const AceName& n) {
    return absl::EqualsIgnoreCase(n.ace, name);
  });
  return it == names.end() ? nullptr : &*it;
}

}  // namespace

absl::Span<const AceName> AceGestures() { return kGestures; }
absl::Span<const AceName> AcePostures() { return kPostures; }

const AceName* FindAceGesture(absl::string_view name) { return FindIn(kGestures, name); }
const AceName* FindAcePosture(absl::string_view name) { return FindIn(kPostures, name); }

}  // namespace posewire::gesture
