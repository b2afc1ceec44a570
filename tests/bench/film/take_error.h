// How far the drawn points of a recorded take are from the film's character.
//
// A take says which clips each of its frames is made of. `renderer_sink render` draws it with the
// offsets of these clips. The film's character is FilmDeformer in the same poses: what the offsets
// were baked from, for poses that no clip has.
#ifndef POSEWIRE_TESTS_BENCH_FILM_TAKE_ERROR_H_
#define POSEWIRE_TESTS_BENCH_FILM_TAKE_ERROR_H_

#include <string>

namespace posewire {

// Prints a table of worst and rms distances of the built-in woman's face and body, in mm: without
// offsets, and with those at `offsets` (a folder, or a list), between two times of the take.
// Returns the exit code.
int RunTakeError(const std::string& take, const std::string& offsets, double from_s, double to_s);

}  // namespace posewire

#endif  // POSEWIRE_TESTS_BENCH_FILM_TAKE_ERROR_H_
