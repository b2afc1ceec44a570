// Masses of the body's segments.
#ifndef POSEWIRE_LIBS_FORMATS_X3D_SEGMENT_MASS_H_
#define POSEWIRE_LIBS_FORMATS_X3D_SEGMENT_MASS_H_

#include <array>
#include <string>
#include <vector>

#include "libs/skel/math.h"

namespace posewire::x3d {

struct SegmentMass {
  float kg = 0;  // 0: unknown
  skel::Vec3 center;
  std::array<float, 9> moments{};  // kg m2 about the centre, row by row
};

// Estimates the segments of a body from its joints, for files that hold no masses. `known` has
// version 1's names, "" for joints that the standard lacks, whose segments get no mass; parents
// precede children (-1: none), and centres are in metres, Y up.
//
// The body has 22 kg per square metre of its height. Its parts have the shares that Dempster
// measured (D. Winter, Biomechanics and Motor Control of Human Movement, table 4.1). A part's
// segments divide its share by their lengths. Each is a cylinder of water along its bone.
std::vector<SegmentMass> EstimateMasses(const std::vector<std::string>& known,
                                        const std::vector<int>& parents,
                                        const std::vector<skel::Vec3>& centers);

}  // namespace posewire::x3d

#endif  // POSEWIRE_LIBS_FORMATS_X3D_SEGMENT_MASS_H_
