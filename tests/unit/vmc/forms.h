// Every argument form of the protocol's tables, those of performers behind those of marionettes.
#ifndef POSEWIRE_TESTS_UNIT_VMC_FORMS_H_
#define POSEWIRE_TESTS_UNIT_VMC_FORMS_H_

namespace posewire::vmc {

struct WireForm {
  const char* address;
  const char* types;
};

inline constexpr WireForm kWireForms[] = {
    {"/VMC/Ext/OK", "i"},
    {"/VMC/Ext/OK", "iii"},
    {"/VMC/Ext/OK", "iiii"},
    {"/VMC/Ext/T", "f"},
    {"/VMC/Ext/Root/Pos", "sfffffff"},
    {"/VMC/Ext/Root/Pos", "sfffffffffffff"},
    {"/VMC/Ext/Bone/Pos", "sfffffff"},
    {"/VMC/Ext/Blend/Val", "sf"},
    {"/VMC/Ext/Blend/Apply", ""},
    {"/VMC/Ext/Cam", "sffffffff"},
    {"/VMC/Ext/Con", "isiiifff"},
    {"/VMC/Ext/Key", "isi"},
    {"/VMC/Ext/Midi/Note", "iiif"},
    {"/VMC/Ext/Midi/CC/Val", "if"},
    {"/VMC/Ext/Midi/CC/Bit", "ii"},
    {"/VMC/Ext/Hmd/Pos", "sfffffff"},
    {"/VMC/Ext/Con/Pos", "sfffffff"},
    {"/VMC/Ext/Tra/Pos", "sfffffff"},
    {"/VMC/Ext/Hmd/Pos/Local", "sfffffff"},
    {"/VMC/Ext/Con/Pos/Local", "sfffffff"},
    {"/VMC/Ext/Tra/Pos/Local", "sfffffff"},
    {"/VMC/Ext/Rcv", "ii"},
    {"/VMC/Ext/Rcv", "iis"},
    {"/VMC/Ext/Light", "sfffffffffff"},
    {"/VMC/Ext/VRM", "ss"},
    {"/VMC/Ext/VRM", "sss"},
    {"/VMC/Ext/Remote", "ss"},
    {"/VMC/Ext/Opt", "s"},
    {"/VMC/Ext/Setting/Color", "ffff"},
    {"/VMC/Ext/Setting/Win", "iiii"},
    {"/VMC/Ext/Config", "s"},
    {"/VMC/Thru/name/name", "s"},
    {"/VMC/Thru/name/name", "sf"},
    {"/VMC/Thru/name/name", "si"},
    {"/VMC/Ext/Hmd/Pos", "sfffffff"},
    {"/VMC/Ext/Con/Pos", "sfffffff"},
    {"/VMC/Ext/Tra/Pos", "sfffffff"},
    {"/VMC/Ext/Set/Period", "iiiiii"},
    {"/VMC/Ext/Midi/CC/Val", "if"},
    {"/VMC/Ext/Cam", "sffffffff"},
    {"/VMC/Ext/Blend/Val", "sf"},
    {"/VMC/Ext/Blend/Apply", ""},
    {"/VMC/Ext/Set/Eye", "ifff"},
    {"/VMC/Ext/Set/Eye", "ifff"},
    {"/VMC/Ext/Set/Req", ""},
    {"/VMC/Ext/Set/Res", "s"},
    {"/VMC/Ext/Set/Calib/Ready", ""},
    {"/VMC/Ext/Set/Calib/Exec", "i"},
    {"/VMC/Ext/Set/Config", "s"},
    {"/VMC/Thru/name/name", "s"},
    {"/VMC/Thru/name/name", "sf"},
    {"/VMC/Thru/name/name", "si"},
    {"/VMC/Ext/Light", "sfffffffffff"},
    {"/VMC/Ext/Set/Shortcut", "s"},
};

}  // namespace posewire::vmc

#endif  // POSEWIRE_TESTS_UNIT_VMC_FORMS_H_
