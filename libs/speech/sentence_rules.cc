#include "libs/speech/sentence_rules.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "libs/speech/unicode_text.h"

namespace posewire::speech {
namespace {

constexpr SentenceRules kRules[] = {
    {"en",
     " mr mrs ms dr prof st mt gen col sgt capt lt rev hon gov sen rep vs fig vol approx e.g i.e "
     "cf "
     "jan feb mar apr aug sept oct nov dec ",
     " etc al inc ltd co corp dept est min max tel ave blvd no jr sr ed misc resp ",
     " no p pp ch nos sec par ",
     " and but or so because that which who when while if then where with for from to in on at by "
     "as than through into over under after before until "},
    {"de",
     " dr prof hr fr frl st nr str bzw ca vgl evtl ggf z.b d.h u.a o.ä u.ä i.d.r v.a s.o s.u z.t "
     "mind max abs art bd kap s jan feb apr aug sept okt nov dez ",
     " usw etc geb gest inkl exkl zzgl mio mrd tel u.s.w ", " nr s kap abs art bd ",
     " und aber oder denn weil dass wenn als ob damit obwohl während der die das welche mit für "
     "von zu in an auf bei nach vor über unter bis "},
    {"es",
     " sr sra srta dr dra d dña prof profa ud uds av avda pág págs art núm gral ee p.ej ej lic "
     "ing ",
     " etc uu cía s.a aprox tel máx mín ", " núm pág págs art n.º no ",
     " y e o u pero porque que cuando mientras si donde con para por de a en sobre entre hasta "
     "desde sin aunque como "},
    {"fr", " mm mme mlle me dr pr st ste av bd boul p.ex ex cf art fig vol chap env c.-à-d éd jr ",
     " etc al tél max min janv févr avr juil sept oct nov déc ", " n p pp art chap vol ",
     " et mais ou car donc que qui quand lorsque si où avec pour par de à en dans sur sous entre "
     "avant après sans comme "},
    {"it",
     " sig sigg sig.ra sig.na dott dott.ssa prof prof.ssa ing avv on geom arch st s pag pagg art "
     "cfr es p.es vol cap nr tel ",
     " ecc etc s.p.a s.r.l ca max min ", " n nr pag art cap vol ",
     " e ed ma o oppure perché che quando mentre se dove con per di a da in su tra fra fino senza "
     "come anche "},
    {"pt", " sr sra srta dr dra prof profa eng av pág págs art núm exa exmo ex p.ex d ",
     " etc cia ltda s.a "
     "aprox tel máx mín ",
     " n núm pág art nº ",
     " e mas ou porque que quando enquanto se onde com para por de a em sobre entre até desde sem "
     "embora como "}};

// In these languages "3." means "third".
constexpr absl::string_view kOrdinalLanguages =
    " de da nb nn no fi is et lv cs sk pl hu hr sr bs sl tr ";

bool IsAsciiDigits(absl::string_view s) {
  return std::all_of(s.begin(), s.end(),
                     [](char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); });
}

// The last word, without leading brackets and quotes.
absl::string_view LastWord(absl::string_view text) {
  const size_t space = text.find_last_of(" (");
  absl::string_view word = space == absl::string_view::npos ? text : text.substr(space + 1);
  constexpr absl::string_view kQuotes[] = {"\"", "'", "“", "„", "«", "‘", "»", "¿", "¡"};
  for (const absl::string_view quote : kQuotes) absl::ConsumePrefix(&word, quote);
  return word;
}

}  // namespace

std::string PrimaryLanguage(absl::string_view tag) {
  return absl::AsciiStrToLower(tag.substr(0, std::min(tag.find_first_of("-_"), tag.size())));
}

const SentenceRules& RulesOf(absl::string_view language) {
  const std::string primary = PrimaryLanguage(language);
  for (const SentenceRules& r : kRules) {
    if (r.language == primary) return r;
  }
  return kRules[0];
}

bool IsListed(absl::string_view list, absl::string_view word) {
  return !word.empty() && absl::StrContains(list, absl::StrCat(" ", word, " "));
}

bool StopOfAbbreviation(absl::string_view language, absl::string_view before, char32_t next) {
  const SentenceRules& rules = RulesOf(language);
  const absl::string_view original = LastWord(before);
  if (original.empty()) return false;
  const std::string word = ToLowerUtf8(original);
  if (IsListed(rules.titles, word)) return true;
  if (next >= '0' && next <= '9') return IsListed(rules.before_number, word);
  if (IsAsciiDigits(word)) {
    const bool starts = original.data() == before.data();  // "1. Go there"
    if (word.size() <= 3 && starts) return true;
    if (word.size() <= 2 && IsListed(kOrdinalLanguages, language)) return true;
  }
  size_t at = 0;
  const char32_t letter = DecodeUtf8(original, at).value_or(0);
  const bool single = at == original.size();
  if (single && ToLowerCase(letter) != letter) return word != "i" || rules.language != "en";
  if (single && rules.language == "de") return true;  // "z. B."
  // People also start sentences in lower case, so only an abbreviation continues with one.
  if (!IsLowerCase(next)) return false;
  return single || absl::StrContains(word, '.') || IsListed(rules.short_forms, word);
}

EndMark EndMarkOf(char32_t c, bool greek) {
  switch (c) {
    case U'.':
      return EndMark::kStop;
    case U'!':
      return EndMark::kExclamation;
    case U'?':
    case U'\u037E':
      return EndMark::kQuestion;  // the Greek question mark
    case U';':
      return greek ? EndMark::kQuestion : EndMark::kNone;
    case U'…':
      return EndMark::kStatement;
    case U'！':
      return EndMark::kWideExclamation;
    case U'？':
    case U'؟':
    case U'՞':
      return EndMark::kWideQuestion;
    default:
      break;
  }
  // Chinese and Japanese, Hindi, Urdu, Armenian, Ethiopic, Burmese, Khmer.
  return IsOneOf(U"。｡।॥۔։።။។៕", c) ? EndMark::kWideStatement : EndMark::kNone;
}

bool IsClosing(char32_t c) { return IsOneOf(U"\"')]}”’“«»›」』）］】》〉｣〗〙", c); }
bool IsOpening(char32_t c) { return IsOneOf(U"¿¡「『（［【《〈｢", c); }
bool IsClauseMark(char32_t c) { return IsOneOf(U",;:，、；：､،؛፣", c); }

}  // namespace posewire::speech
