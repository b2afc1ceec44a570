// The shaders (GLSL 3.30).
#ifndef POSEWIRE_LIBS_RENDER_SHADERS_H_
#define POSEWIRE_LIBS_RENDER_SHADERS_H_

namespace posewire::render {

// Depth as seen from the lamp.
inline constexpr char kShadowVertex[] = R"(#version 330
in vec3 position;
uniform mat4 lamp;
void main() { gl_Position = lamp * vec4(position, 1.0); }
)";

inline constexpr char kShadowFragment[] = R"(#version 330
void main() {}
)";

inline constexpr char kVertex[] = R"(#version 330
in vec3 position;
in vec3 normal;
in vec3 color;
uniform mat4 view;
uniform mat4 lamp;
out vec3 place;
out vec3 facing;
out vec3 tint;
out vec3 shade_at;
void main() {
  place = position;
  facing = normal;
  tint = color;
  vec4 s = lamp * vec4(position, 1.0);
  shade_at = s.xyz * 0.5 + 0.5;
  gl_Position = view * vec4(position, 1.0);
}
)";

// A warm key light with soft shadows, a cool fill from the other side, a rim light, and sky and
// floor. Skin lets the key light wrap round its edge, redder as it dims.
inline constexpr char kFragment[] = R"(#version 330
in vec3 place;
in vec3 facing;
in vec3 tint;
in vec3 shade_at;
uniform vec3 eye;
uniform vec3 key_way;
uniform vec3 base;
uniform vec3 backdrop;
uniform float roughness;
uniform float scatter;
uniform float ground;  // 1 for the floor, 0 for the avatar
uniform float reach;   // of the shadows' soft edge, in the shadow's own units
uniform sampler2DShadow shadow;
out vec4 pixel;

const vec2 kDisc[8] = vec2[](
  vec2(-0.326, -0.406), vec2(-0.840, -0.074), vec2(-0.696, 0.457), vec2(0.185, -0.893),
  vec2(0.962, -0.195), vec2(0.473, 0.080), vec2(0.519, 0.767), vec2(-0.103, 0.621));

float Lit() {
  if (any(lessThan(shade_at, vec3(0.0))) || any(greaterThan(shade_at, vec3(1.0)))) return 1.0;
  float turn = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
  float c = cos(6.2831853 * turn), s = sin(6.2831853 * turn);
  float sum = 0.0;
  for (int i = 0; i < 8; ++i) {
    vec2 d = mat2(c, s, -s, c) * kDisc[i] * reach;
    sum += texture(shadow, vec3(shade_at.xy + d, shade_at.z));
  }
  return sum / 8.0;
}

float Highlight(vec3 n, vec3 v, vec3 l, float r) {
  vec3 h = normalize(v + l);
  float a = max(r * r, 0.01);
  float nh = max(dot(n, h), 0.0);
  float d = nh * nh * (a * a - 1.0) + 1.0;
  float f = 0.04 + 0.96 * pow(1.0 - max(dot(h, v), 0.0), 5.0);
  return f * a * a / (3.14159 * d * d) * 0.25;
}

vec3 Film(vec3 c) {  // after Narkowicz's fit of the ACES curve
  c *= 0.80;
  c = clamp((c * (2.51 * c + 0.03)) / (c * (2.43 * c + 0.59) + 0.14), 0.0, 1.0);
  return pow(max(c, vec3(1e-5)), vec3(1.0 / 2.2));
}

void main() {
  vec3 v = normalize(eye - place);
  vec3 n = normalize(facing + vec3(0.0, 0.0, 1e-5));
  if (!gl_FrontFacing) n = -n;
  vec3 albedo = base * tint;
  vec3 sky = vec3(0.80, 0.88, 1.0), floor_light = vec3(0.50, 0.44, 0.40);
  float lit = Lit();
  if (ground > 0.5) {
    float d = length(place.xz);
    vec3 c = backdrop * mix(0.62, 1.0, lit) * (1.0 - 0.20 * exp(-d * d * 9.0));
    pixel = vec4(mix(pow(backdrop, vec3(1.0)), c, exp(-d * d * 0.55)), 1.0);
    return;
  }
  float nl = dot(n, key_way);
  vec3 wrap = scatter * vec3(0.55, 0.22, 0.12);
  vec3 key = clamp((vec3(nl) + wrap) / (1.0 + wrap), 0.0, 1.0);
  vec3 through = mix(vec3(lit), vec3(sqrt(lit), lit, lit), scatter);
  vec3 light = vec3(2.15, 2.02, 1.85) * key * through;
  vec3 fill_way = normalize(vec3(0.85, 0.25, 0.55));
  light += vec3(0.42, 0.48, 0.58) * clamp((dot(n, fill_way) + 0.35) / 1.35, 0.0, 1.0);
  light += mix(floor_light, sky, n.y * 0.5 + 0.5) * 0.72;
  vec3 color = albedo * light;
  float spec = Highlight(n, v, key_way, roughness) * max(nl, 0.0) * lit * 4.2 +
               Highlight(n, v, fill_way, roughness) * max(dot(n, fill_way), 0.0) * 0.8;
  color += spec * dot(tint, vec3(0.333));
  vec3 rim_way = normalize(vec3(-0.55, 0.5, -0.85));
  float rim = pow(1.0 - max(dot(n, v), 0.0), 3.0) * clamp(dot(n, rim_way) + 0.3, 0.0, 1.0);
  color += vec3(0.55, 0.60, 0.70) * rim * (0.25 + albedo);
  pixel = vec4(Film(color), 1.0);
}
)";

}  // namespace posewire::render

#endif  // POSEWIRE_LIBS_RENDER_SHADERS_H_
