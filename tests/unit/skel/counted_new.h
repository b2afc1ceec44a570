// Counts what a test program takes from the heap.
#ifndef POSEWIRE_TESTS_UNIT_SKEL_COUNTED_NEW_H_
#define POSEWIRE_TESTS_UNIT_SKEL_COUNTED_NEW_H_

namespace posewire::skel {

// Calls of operator new so far.
int AllocationCount();

}  // namespace posewire::skel

#endif  // POSEWIRE_TESTS_UNIT_SKEL_COUNTED_NEW_H_
