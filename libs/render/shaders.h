// The shaders (GLSL 3.30). Those of the scene are compiled once for each combination of material
// features (TEXTURED, NORMAL_MAP, EMISSIVE_MAP, MASK, UNLIT, EYE, HAIR, MOUTH), which the painter
// defines first.
#ifndef POSEWIRE_LIBS_RENDER_SHADERS_H_
#define POSEWIRE_LIBS_RENDER_SHADERS_H_

namespace posewire::render {

inline constexpr char kVersion[] = "#version 330\n";

// Depth from the lamp's view.
inline constexpr char kShadowVertex[] = R"(
in vec3 position;
uniform mat4 lamp;
void main() { gl_Position = lamp * vec4(position, 1.0); }
)";

inline constexpr char kShadowFragment[] = R"(
void main() {}
)";

inline constexpr char kVertex[] = R"(
in vec3 position;
in vec3 normal;
in vec4 color;
in vec2 coordinate;
uniform mat4 view;
uniform mat4 lamp;
#ifdef NORMAL_MAP
in vec3 tangent;
in float tangent_sign;
out vec4 along;  // the tangent, zero for none, and the sign of the bitangent
#endif
uniform float lift;  // looks for shade so far above the surface, that it throws none on itself
out vec3 place;
out vec3 facing;
out vec4 tint;
out vec2 uv;
out vec3 shade_at;
void main() {
  place = position;
  facing = normal;
  tint = color;
  uv = coordinate;
#ifdef NORMAL_MAP
  along = vec4(tangent, tangent_sign);
#endif
  vec4 s = lamp * vec4(position + normal * lift, 1.0);
  shade_at = s.xyz * 0.5 + 0.5;
  gl_Position = view * vec4(position, 1.0);
}
)";

// Computes how much key light arrives. Five samples of the shadow map detect whether the place is
// on the soft edge of a shadow; only then eight more are taken. Sample positions are the same for
// all pixels, because each sample blends four texels: edges are smooth, without grain.
inline constexpr char kLit[] = R"(
in vec3 shade_at;
uniform sampler2DShadow shadow;
uniform float reach;   // of the shadows' soft edge, in the shadow's own units

const vec2 kRim[4] = vec2[](vec2(0.80, 0.56), vec2(-0.56, 0.80), vec2(-0.80, -0.56),
                            vec2(0.56, -0.80));
const vec2 kDisc[8] = vec2[](vec2(0.48, 0.0), vec2(0.34, 0.34), vec2(0.0, 0.48), vec2(-0.34, 0.34),
                             vec2(-0.48, 0.0), vec2(-0.34, -0.34), vec2(0.0, -0.48),
                             vec2(0.34, -0.34));

float Look(vec2 d) { return texture(shadow, vec3(shade_at.xy + d * reach, shade_at.z)); }

float Lit() {
  if (any(lessThan(shade_at, vec3(0.0))) || any(greaterThan(shade_at, vec3(1.0)))) return 1.0;
  float sum = Look(vec2(0.0));
  for (int i = 0; i < 4; ++i) sum += Look(kRim[i]);
#ifdef HAIR
  return sum * 0.2;
#else
  if (sum < 0.01 || sum > 4.99) return sum * 0.2;
  for (int i = 0; i < 8; ++i) sum += Look(kDisc[i]);
  return sum / 13.0;
#endif
}
)";

// A warm key light with soft shadows, a cool fill from the other side, a rim light, and sky and
// floor. Skin lets the key light wrap around its edge, a little redder as it dims, and nearby skin
// lights its shade warmly, as inside a mouth. Hair shines in a ring across its strands, which run
// along the second of its coordinates (Kajiya and Kay). Eyes have the small bright reflection of a
// window, which fades if it is smaller than a pixel. Unlit materials keep their own colours, with a
// soft step to the shade.
inline constexpr char kFragment[] = R"(
in vec3 place;
in vec3 facing;
in vec4 tint;
in vec2 uv;
uniform vec3 eye;
uniform vec3 key_way;
uniform vec3 key_color;
uniform vec4 base;
uniform vec3 emissive;
uniform float roughness;
uniform float scatter;
uniform float cutoff;
uniform float bump;
#ifdef NORMAL_MAP
in vec4 along;
#endif
uniform sampler2D picture;
uniform sampler2D normal_map;
uniform sampler2D emissive_map;
out vec4 pixel;

#ifndef HAIR
float Highlight(vec3 n, vec3 v, vec3 l, float r) {
  vec3 h = normalize(v + l);
  float a = max(r * r, 0.01);
  float nh = max(dot(n, h), 0.0);
  float d = nh * nh * (a * a - 1.0) + 1.0;
  float f = 0.04 + 0.96 * pow(1.0 - max(dot(h, v), 0.0), 5.0);
  return f * a * a / (3.14159 * d * d) * 0.25;
}
#endif

vec3 Film(vec3 c) {  // after Narkowicz's fit of the ACES curve
  c *= 0.80;
  c = clamp((c * (2.51 * c + 0.03)) / (c * (2.43 * c + 0.59) + 0.14), 0.0, 1.0);
  return pow(max(c, vec3(1e-5)), vec3(1.0 / 2.2));
}

// The map's normal, in the frame of the tangents; without them, in the frame that place and picture
// have on the screen.
vec3 Bumped(vec3 n) {
#ifdef NORMAL_MAP
  vec3 m = texture(normal_map, uv).xyz * 2.0 - 1.0;  // green is up the picture
  vec3 own = along.xyz - n * dot(n, along.xyz);
  if (dot(own, own) > 1e-6) {
    own = normalize(own);
    vec3 up = cross(n, own) * (gl_FrontFacing ? sign(along.w) : -sign(along.w));
    return normalize((own * m.x + up * m.y) * bump + n * m.z);
  }
  vec3 px = dFdx(place), py = dFdy(place);
  vec2 tx = dFdx(uv), ty = dFdy(uv);
  vec3 a = cross(py, n), b = cross(n, px);
  vec3 t = a * tx.x + b * ty.x, u = a * tx.y + b * ty.y;
  float long_one = max(dot(t, t), dot(u, u));
  if (long_one <= 0.0) return n;
  float f = inversesqrt(long_one);
  return normalize(t * f * m.x * bump - u * f * m.y * bump + n * m.z);
#else
  return n;
#endif
}

#ifdef HAIR
// The way in which v grows; where it does not, upwards.
vec3 Strand(vec3 n) {
  vec3 px = dFdx(place), py = dFdy(place);
  vec3 along = cross(py, n) * dFdx(uv).y + cross(n, px) * dFdy(uv).y;
  if (dot(along, along) <= 1e-20) along = vec3(0.0, 1.0, 0.0);
  return normalize(along - n * dot(n, along) + vec3(0.0, 1e-6, 0.0));
}

// The shine of strands that run along v: a narrow one, and below it a wider one, both of the hair's
// colour, so that what is dark stays dark.
vec3 Ring(vec3 strand, vec3 n, vec3 h, vec3 own) {
  float along = dot(strand, h), lean = dot(n, h) * strand.y;  // whichever end v begins at
  float a = along - 0.12 * lean, b = along + 0.10 * lean;
  float x = max(1.0 - a * a, 0.0), y = max(1.0 - b * b, 0.0);
  x *= x, x *= x, x *= x;
  float wide = y * y;
  wide *= wide, wide *= wide * y;
  return (own * 0.9 + 0.016) * (x * x * x * x * x) + own * (wide * 0.65);
}
#endif

void main() {
  vec4 albedo = base * tint;
#ifdef TEXTURED
#ifdef EYE
  albedo *= texture(picture, uv, -1.0);  // sharper: from afar the white would drown the iris
#else
  albedo *= texture(picture, uv);
#endif
#endif
#ifdef MASK
  if (albedo.a < cutoff) discard;
  albedo.a = 1.0;
#endif
  vec3 v = normalize(eye - place);
  vec3 n = normalize(facing + vec3(0.0, 0.0, 1e-5));
  if (!gl_FrontFacing) n = -n;
  n = Bumped(n);
  float lit = Lit();
  float nl = dot(n, key_way);
#ifdef UNLIT
  float shade = smoothstep(-0.15, 0.25, nl) * lit;
  vec3 flat_color = albedo.rgb * mix(vec3(0.72, 0.66, 0.70), key_color, shade) + emissive;
  vec3 color = pow(clamp(flat_color, 1e-5, 1.0), vec3(1.0 / 2.2));
#else
  vec3 sky = vec3(0.80, 0.88, 1.0), floor_light = vec3(0.50, 0.44, 0.40);
  vec3 wrap = scatter * vec3(0.35, 0.22, 0.16);
  vec3 key = clamp((vec3(nl) + wrap) / (1.0 + wrap), 0.0, 1.0);
  vec3 through = lit + scatter * lit * (1.0 - lit) * vec3(0.25, 0.0, -0.08);
  vec3 light = vec3(1.10, 0.98, 0.86) * key_color * key * through;
  vec3 fill_way = normalize(vec3(0.85, 0.25, 0.55));
  vec3 soft = vec3(0.19, 0.22, 0.27) * clamp((dot(n, fill_way) + 0.35) / 1.35, 0.0, 1.0);
  soft += mix(floor_light, sky, n.y * 0.5 + 0.5) * 0.34;
#ifdef MOUTH
  soft *= vec3(1.15, 0.92, 0.78);
  light = max(light, vec3(0.42, 0.32, 0.25) * clamp(nl + 0.6, 0.0, 1.0));  // through cheeks and lips
#else
  soft *= mix(vec3(1.0), vec3(1.12, 0.98, 0.92), scatter);
#endif
  vec3 shown = albedo.rgb * (light + soft);
#ifdef HAIR
  vec3 strand = Strand(n);
  shown += Ring(strand, n, normalize(v + key_way), albedo.rgb) *
           (clamp(nl + 0.25, 0.0, 1.0) * lit + 0.08);
#else
#ifdef EYE
  float turn = length(fwidth(n));  // within a pixel: what is smaller is spread over it
  float rough = sqrt(min(roughness * roughness + 0.5 * turn, 1.0));
#else
  float rough = roughness;
#endif
  float key_size = dot(key_color, vec3(0.333));
  float spec = Highlight(n, v, key_way, rough) * max(nl, 0.0) * lit * 4.2 * key_size +
               Highlight(n, v, fill_way, rough) * max(dot(n, fill_way), 0.0) * 0.8;
  shown += spec * dot(tint.rgb, vec3(0.333));
#endif
  vec3 rim_way = normalize(vec3(-0.55, 0.5, -0.85));
  float rim = pow(1.0 - max(dot(n, v), 0.0), 3.0) * clamp(dot(n, rim_way) + 0.3, 0.0, 1.0);
  shown += vec3(0.55, 0.60, 0.70) * rim * (0.02 + 1.2 * albedo.rgb);
#ifdef EYE
  vec3 side = normalize(cross(vec3(0.0, 1.0, 0.0), v));
  vec3 window = normalize(v + vec3(0.0, 0.34, 0.0) - side * 0.26);
  shown += vec3(1.6, 1.55, 1.45) * smoothstep(0.9925, 0.9965, dot(n, normalize(v + window))) *
           clamp(0.16 / turn - 0.4, 0.0, 1.0);
#endif
#ifdef EMISSIVE_MAP
  shown += emissive * texture(emissive_map, uv).rgb;
#else
  shown += emissive;
#endif
  vec3 color = Film(shown);
#endif
  pixel = vec4(color, 1.0) * albedo.a;
}
)";

// The ground: only the shadow on it, dark where feet touch it.
inline constexpr char kFloorFragment[] = R"(
in vec3 place;
uniform vec3 feet[2];
uniform float size;    // of the character, in heights of a person
out vec4 pixel;
void main() {
  float d = length(place.xz) / size;
  float shade = 0.38 * (1.0 - Lit());
  for (int i = 0; i < 2; ++i) {
    vec2 off = (place.xz - feet[i].xz) / size;
    float lift = max(feet[i].y / size - 0.10, 0.0);
    shade = max(shade, 0.34 * exp(-dot(off, off) * 45.0 - lift * 12.0));
  }
  pixel = vec4(0.0, 0.0, 0.0, shade * exp(-d * d * 0.55));
}
)";

// Blurs along edges of a finished picture, after Lottes' FXAA.
inline constexpr char kEdgeFragment[] = R"(
uniform sampler2D picture;
uniform vec2 pixel_size;
out vec4 pixel;
float Luma(vec4 c) { return dot(c.rgb, vec3(0.299, 0.587, 0.114)) + 0.2 * c.a; }
void main() {
  vec2 at = gl_FragCoord.xy * pixel_size;
  vec4 own = texture(picture, at);
  float nw = Luma(texture(picture, at + vec2(-1.0, -1.0) * pixel_size));
  float ne = Luma(texture(picture, at + vec2(1.0, -1.0) * pixel_size));
  float sw = Luma(texture(picture, at + vec2(-1.0, 1.0) * pixel_size));
  float se = Luma(texture(picture, at + vec2(1.0, 1.0) * pixel_size));
  float m = Luma(own);
  float low = min(m, min(min(nw, ne), min(sw, se)));
  float high = max(m, max(max(nw, ne), max(sw, se)));
  pixel = own;
  if (high - low < max(0.03, high * 0.10)) return;
  vec2 way = vec2(-((nw + ne) - (sw + se)), (nw + sw) - (ne + se));
  float least = max((nw + ne + sw + se) * 0.03125, 0.0078125);
  way *= 1.0 / (min(abs(way.x), abs(way.y)) + least);
  way = clamp(way, -8.0, 8.0) * pixel_size;
  vec4 near = 0.5 * (texture(picture, at - way / 6.0) + texture(picture, at + way / 6.0));
  vec4 wide = near * 0.5 +
              0.25 * (texture(picture, at - way * 0.5) + texture(picture, at + way * 0.5));
  float l = Luma(wide);
  pixel = l < low || l > high ? near : wide;
}
)";

// A background picture.
inline constexpr char kBackVertex[] = R"(
in vec3 position;
uniform vec2 part;  // of the picture's width and height that is seen
out vec2 uv;
void main() {
  uv = vec2(position.x, -position.y) * 0.5 * part + 0.5;
  gl_Position = vec4(position.xy, 1.0, 1.0);
}
)";
inline constexpr char kBackFragment[] = R"(
in vec2 uv;
uniform sampler2D picture;
out vec4 pixel;
void main() { pixel = vec4(texture(picture, uv).rgb, 1.0); }
)";

}  // namespace posewire::render

#endif  // POSEWIRE_LIBS_RENDER_SHADERS_H_
