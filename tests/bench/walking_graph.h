// The nodes that walk, on an idling avatar: what ./bench motion and posewire_micro measure.
#ifndef POSEWIRE_TESTS_BENCH_WALKING_GRAPH_H_
#define POSEWIRE_TESTS_BENCH_WALKING_GRAPH_H_

namespace posewire {

// It goes to the vector `place`, at `speed` m/s.
inline constexpr char kWalkingGraph[] = R"(
  name: "walk" output: "feet"
  variables { name: "place" vector {} }
  variables { name: "speed" number { default_value: 1.2 min: 0 max: 3 } }
  nodes { name: "idle" idle {} }
  nodes {
    name: "way"
    walk_to { below: "idle" goals { target { variable: "place" } } speed_m_s { variable: "speed" } }
  }
  nodes { name: "feet" feet { below: "way" } }
)";

}  // namespace posewire

#endif  // POSEWIRE_TESTS_BENCH_WALKING_GRAPH_H_
