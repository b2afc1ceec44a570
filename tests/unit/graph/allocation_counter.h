// Counts every allocation of the test program.
#ifndef POSEWIRE_TESTS_UNIT_GRAPH_ALLOCATION_COUNTER_H_
#define POSEWIRE_TESTS_UNIT_GRAPH_ALLOCATION_COUNTER_H_

namespace posewire::graph {

// Calls of operator new since the start.
long Allocations();

}  // namespace posewire::graph

#endif  // POSEWIRE_TESTS_UNIT_GRAPH_ALLOCATION_COUNTER_H_
