// Reacts to acts of users in front of the avatar by a table: events to fire, variables to set.
#ifndef POSEWIRE_LIBS_GRAPH_USER_ACTS_NODE_H_
#define POSEWIRE_LIBS_GRAPH_USER_ACTS_NODE_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "libs/graph/body_parts.h"
#include "libs/graph/pass_node.h"
#include "libs/graph/user_watch.h"

namespace posewire::graph {

struct UserActsSettings {
  struct Answer {
    UserAct act = UserAct::kComes;
    std::string user;      // empty: any user
    float distance_m = 1;  // for nears, leaves and touches
    int joint = -1;        // the touched joint
    skel::Vec3 offset;
    int event = -1;     // fired at the next tick
    int variable = -1;  // set
    Value value;
    float again_s = 0;  // minimum time between two answers
  };
  std::vector<Answer> answers;
  int distance_variable = -1;  // a number: metres to the nearest user
  int looks_variable = -1;     // a flag: at least one user looks
  int activity_variable = -1;  // a number: how lively the liveliest user moves
  int mood_variable = -1;      // a choice: the mood of the nearest user who has one
  int arousal_variable = -1;   // numbers: of that mood
  int valence_variable = -1;
};

// Watches the first eight users. The pose passes unchanged. Each answer is also reported as a
// GraphEvent with the name of the act.
class UserActsNode : public PassNode {
 public:
  static constexpr size_t kMostUsers = 8;

  UserActsNode(std::string name, std::shared_ptr<const BodyParts> parts,
               std::unique_ptr<Node> below, UserActsSettings settings);

  void Update(const TickContext& ctx, float weight) override;
  void Evaluate(const TickContext& ctx, const skel::PoseSpan& out) override;
  void Adopt(const Node& old) override;

 private:
  // A watched user, identified by a hash of the name.
  struct Watched {
    bool used = false;
    uint64_t who = 0;
    UserWatch watch;
  };
  struct Row {
    uint32_t inside = 0;   // bits of the watched users that are near, or touching
    float since_s = 1e9f;  // time since its last answer
    skel::Vec3 at;         // of the joint, as last shown
  };
  Watched* Find(uint64_t who);
  UserActs Reached(size_t row, size_t slot, const UserInput& user);
  void Answer(const TickContext& ctx, size_t row);
  void WriteVariables(const TickContext& ctx);
  void WriteMood(const TickContext& ctx) const;

  const std::string name_;
  std::shared_ptr<const BodyParts> parts_;
  UserActsSettings settings_;
  std::array<Watched, kMostUsers> watched_;
  std::vector<Row> rows_;
  skel::Vec3 head_;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_USER_ACTS_NODE_H_
