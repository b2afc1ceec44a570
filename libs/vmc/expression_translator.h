// Expressions of other shape sets (libs/shapes) become ARKit's before a performer takes them.
#ifndef POSEWIRE_LIBS_VMC_EXPRESSION_TRANSLATOR_H_
#define POSEWIRE_LIBS_VMC_EXPRESSION_TRANSLATOR_H_

#include <bitset>
#include <string>
#include <vector>

#include "libs/shapes/detector.h"
#include "libs/shapes/shape_set.h"
#include "libs/vmc/expressions.h"
#include "libs/vmc/messages.h"

namespace posewire::vmc {

// Learns from the names of a sender's expressions which set they are of. ARKit's own names and the
// presets of VRM are left as they are, because Performer knows them. Replaces the expressions of
// another set by the ARKit shapes that they mean, which it adds before the next Apply, or at the
// end of the datagram if there is none. Of two that mean the same, a name of ARKit's that the set
// does not have wins.
//
// Forgets everything when the sender unloads its model or names another one. Allocates only while
// it learns. One thread at a time.
class ExpressionTranslator {
 public:
  // Changes the messages of one datagram.
  void Translate(std::vector<Message>& messages);
  void Reset();

  // The set, as far as is known now.
  const shapes::Detected& detected() const { return detector_.best(); }

 private:
  void Learn(const Message& message);
  void Use(const shapes::ShapeSet* set);
  // Returns whether the message is replaced by others.
  bool Take(const BlendValue& value);
  void AddArkit(std::vector<Message>& out);

  shapes::Detector detector_;
  std::string model_;
  const shapes::ShapeSet* set_ = nullptr;  // none: messages stay as they are
  std::vector<float> weights_;             // latest of each shape of the set
  std::vector<bool> known_;                // whether it was ever sent
  std::bitset<kArkitShapes> reached_;      // by known shapes
  std::bitset<kArkitShapes> sent_;         // under a name of ARKit's, not of the set
  std::bitset<kPresets> presets_;          // taken as presets before the set was known
  bool changed_ = false;                   // since AddArkit
  std::vector<Message> out_;
};

}  // namespace posewire::vmc

#endif  // POSEWIRE_LIBS_VMC_EXPRESSION_TRANSLATOR_H_
