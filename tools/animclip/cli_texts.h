// What animclip's help says of all commands, or of several.
#ifndef POSEWIRE_TOOLS_ANIMCLIP_CLI_TEXTS_H_
#define POSEWIRE_TOOLS_ANIMCLIP_CLI_TEXTS_H_

namespace posewire::animclip {

inline constexpr const char* kAbout =
    "Looks at, checks, edits and converts animation clips (.animdata, .jsonl, .bvh, .csv, .usda, "
    ".glb and others).";

inline constexpr const char* kFooter =
    "\nExamples:\n"
    "  animclip info say.animdata\n"
    "  animclip sheet say.animdata -o say.png\n"
    "  animclip plot say.animdata -o say.svg\n"
    "  animclip convert say.animdata say.jsonl --request-id r1 --stream-id s1\n"
    "  animclip cut say.animdata word.animdata --from 1.2 --to 00:00:01:27\n"
    "  animclip cut take.animdata wave.animdata --keep right_arm,head --drop shapes,audio\n"
    "  animclip concat hello.animdata wave.animdata -o both.animdata\n"
    "  animclip mirror wave.animdata left.animdata\n"
    "  animclip diff pushed.animdata pulled.animdata --align --tolerance 1e-5\n"
    "  animclip recover torn.animdata mended.animdata\n"
    "\nExit codes: 0 done; 1 failed, or the answer is no (invalid, different, nothing recovered);\n"
    "2 wrong command line; 3 recovered with loss. \"-\" is standard input or output.\n";

inline constexpr const char* kParts =
    "PARTS, with commas between: regions (face, head, upper_body, left_arm, right_arm, arms, "
    "hands,\n"
    "legs), joints with all below them, shapes; and joints, shapes, translations, audio, camera,\n"
    "metadata for all of these.\n";

inline constexpr const char* kRigHelp =
    "The clip's rig: built in, a rig file, or auto: by its names";

inline constexpr const char* kTimes =
    "A TIME is in seconds, or HH:MM:SS:FF at the clip's rate; at 29.97 and 59.94 HH:MM:SS;FF is\n"
    "drop-frame.\n";

inline constexpr char kConvertFooter[] =
    "\nA scene of several characters (.usda, .glb, .gltf) is written with all of them: their "
    "meshes,\nskins, shapes and materials, the props, the camera and the voices. Flags that "
    "change a clip\nleave the first animation alone.\n"
    "Example: animclip convert table.usda table.glb\n"
    "Example, ready for grpcurl -d @:\n"
    "  animclip convert wave.animdata wave.jsonl --request-id r1 --stream-id s1\n"
    "Example, for a character with ACE's joints:\n"
    "  animclip convert wave.animdata wave_ace.animdata --rig ace_biped\n";

}  // namespace posewire::animclip

#endif  // POSEWIRE_TOOLS_ANIMCLIP_CLI_TEXTS_H_
