#include "libs/gesture/ace_names.h"

#include <algorithm>

#include "absl/strings/match.h"

namespace posewire::gesture {
namespace {

constexpr bool kOwn = true, kNearest = false;

// The variants b and c of a number play the clip of a, those numbered 2 that of 1.
constexpr AceName kGestures[] = {
    {"Goodbye", "goodbye", kOwn},
    {"Welcome", "welcome", kOwn},
    {"Personal_Statement_1", "personal_statement", kOwn},
    {"Personal_Statement_2", "personal_statement", kNearest},
    {"Pointing_To_Self_1", "point_self", kOwn},
    {"Stupid_1", "stupid", kOwn},
    {"No_1", "no", kOwn},
    {"Bowing_1", "bow", kOwn},
    {"Bowing_2", "bow", kNearest},
    {"Pointing_To_User_1", "point_you", kOwn},
    {"Pointing_To_User_2", "point_you", kNearest},
    {"Pointing_Down_1", "point_down", kOwn},
    {"Pointing_Down_2", "point_down", kNearest},
    {"Pointing_Left_1", "point_left", kOwn},
    {"Pointing_Left_2", "point_left", kNearest},
    {"Pointing_Right_1", "point_right", kOwn},
    {"Pointing_Right_2", "point_right", kNearest},
    {"Pointing_Backward_1", "point_backward", kOwn},
    {"Fistbump_Offer", "fistbump_offer", kOwn},
    {"Pulling_Mime", "pulling_mime", kOwn},
    {"Raise_Both_Arms", "raise_both_arms", kOwn},
    {"The_Robot", "robot", kOwn},
    {"Phone_Dialing", "phone_dialing", kOwn},
    {"Attraction_2", "attraction", kOwn},
    {"Please_Repeat_1", "please_repeat", kOwn},
    {"Please_Repeat_2", "please_repeat", kNearest},
    {"Trying_To_See", "trying_to_see", kOwn},
    {"Driving_Mime", "driving_mime", kOwn},
    {"Exhausted", "exhausted", kOwn},
    {"Presenting_Options_1", "presenting_options", kOwn},
    {"Presenting_Options_2", "presenting_options", kNearest},
    {"Open_Question_1", "open_question", kOwn},
    {"Success_1", "success", kOwn},
    {"Dont_Understand_1", "dont_understand", kOwn},
    {"Toss", "toss", kOwn},
    {"Come_Here_1", "come_here", kOwn},
    {"Tell_Secret", "tell_secret", kOwn},
    {"Chefs_Kiss", "chefs_kiss", kOwn},
    {"Finger_Guns", "finger_guns", kOwn},
    {"Finger_Wag", "finger_wag", kOwn},
    {"Little", "little", kOwn},
    {"Money", "money", kOwn},
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
    {"Number_6a", "count_6", kOwn},
    {"Number_6b", "count_6", kNearest},
    {"Number_6c", "count_6", kNearest},
    {"Number_7a", "count_7", kOwn},
    {"Number_7b", "count_7", kNearest},
    {"Number_7c", "count_7", kNearest},
    {"Number_8a", "count_8", kOwn},
    {"Number_8b", "count_8", kNearest},
    {"Number_8c", "count_8", kNearest},
    {"Number_9a", "count_9", kOwn},
    {"Number_9b", "count_9", kNearest},
    {"Number_9c", "count_9", kNearest},
    {"Ouch", "ouch", kOwn},
    {"Angry_Shaking_Fist", "angry_shaking_fist", kOwn},
    {"Pointing_To_Self_Questioningly", "point_self_question", kOwn},
    {"Pointing_To_User_Questioningly", "point_you_question", kOwn},
    {"Raise_Finger_Big", "raise_finger", kOwn},
    {"More_Or_Less", "more_or_less", kOwn},
    {"Thumbs_Up", "thumbs_up", kOwn},
    {"Thumbs_Down", "thumbs_down", kOwn},
};

constexpr AceName kPostures[] = {
    {"Talking", "posture_talking", kOwn},     {"Listening", "posture_listening", kOwn},
    {"Idle", "posture_idle", kOwn},           {"Thinking", "posture_thinking", kOwn},
    {"Attentive", "posture_attentive", kOwn},
};

constexpr AceName kFacialGestures[] = {
    {"Taunt", "taunt", kOwn},
    {"Pensive", "pensive", kOwn},
    {"Excited", "excited", kOwn},
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
absl::Span<const AceName> AceFacialGestures() { return kFacialGestures; }

const AceName* FindAceGesture(absl::string_view name) { return FindIn(kGestures, name); }
const AceName* FindAcePosture(absl::string_view name) { return FindIn(kPostures, name); }

}  // namespace posewire::gesture
