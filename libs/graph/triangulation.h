// Triangulates points of a plane, and interpolates between them.
#ifndef POSEWIRE_LIBS_GRAPH_TRIANGULATION_H_
#define POSEWIRE_LIBS_GRAPH_TRIANGULATION_H_

#include <array>
#include <cstddef>
#include <vector>

namespace posewire::graph {

struct PlanePoint {
  double x = 0, y = 0;
};

// The Delaunay triangulation of the points (Lawson's flips on a triangulation that is swept from
// left to right: C. L. Lawson, "Software for C1 surface interpolation", 1977). Collinear points
// form a chain of edges. Immutable once made. Construction takes time proportional to about the
// square of the number of points.
class Triangulation {
 public:
  using Triangle = std::array<int, 3>;  // anticlockwise
  using Edge = std::array<int, 2>;
  // Up to three points with weights that add up to 1; the rest have weight 0.
  struct Mix {
    std::array<int, 3> points{};
    std::array<double, 3> weights{};
  };

  // Requires at least one point; points must be finite and distinct.
  explicit Triangulation(std::vector<PlanePoint> points);

  // Returns the barycentric weights in the triangle that contains the place; outside, those of the
  // nearest place on the outline. Continuous everywhere. Does not allocate.
  Mix At(PlanePoint place) const;

  const std::vector<Triangle>& triangles() const { return triangles_; }
  // The outline; for collinear points, the chain.
  const std::vector<Edge>& outline() const { return outline_; }

 private:
  bool Sweep(const std::vector<int>& order);
  void Flip();
  bool FlipOnce(size_t a, size_t b);
  double Turn(int a, int b, int c) const;
  bool InCircle(const Triangle& t, int p) const;

  std::vector<PlanePoint> points_;
  double flat_ = 0;  // a Turn closer to 0 than this is straight
  std::vector<Triangle> triangles_;
  std::vector<Edge> outline_;
};

}  // namespace posewire::graph

#endif  // POSEWIRE_LIBS_GRAPH_TRIANGULATION_H_
