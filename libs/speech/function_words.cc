#include "libs/speech/function_words.h"

#include "libs/speech/cut_point.h"
#include "libs/speech/sentence_rules.h"

namespace posewire::speech {
namespace {

struct FunctionWords {
  absl::string_view language;
  absl::string_view words;  // each between single spaces
};

constexpr FunctionWords kFunctionWords[] = {
    {"en",
     " a an the and or but if so as of at by for from in into on onto to with than that this these "
     "those there it its i me my we us our you your he him his she her they them their who which "
     "is am are was were be been being do does did has have had will would can could shall should "
     "may might must 's 're 'll i'm it's we're you're they're i'll we'll i've we've you've some "
     "any just then when while where how what "},
    {"de",
     " der die das den dem des ein eine einen einem einer eines und oder aber dass wenn als ob so "
     "wie in im an am auf aus bei beim mit nach von vom vor zu zum zur für um über unter durch ich "
     "du er sie es wir ihr mich dich sich uns euch mir dir ihm ihn ihnen mein dein sein unser euer "
     "ist bin bist sind seid war waren wird werden wurde habe hast hat haben hatte kann könnte "
     "soll will muss man da nur auch noch schon mal ja denn was wer wo "},
    {"es",
     " el la los las un una unos unas y e o u pero que si como de del a al en con por para sin "
     "sobre entre yo tú él ella nosotros ellos ellas me te se nos os lo le les mi mis tu tus su "
     "sus es soy eres son era fue ha he has han hay está están este esta estos estas eso ese esa "
     "qué cuando donde ya más muy "},
    {"fr",
     " le la les l' un une des du de d' et ou mais que qui qu' si comme à au aux en dans par pour "
     "sur sous avec sans je j' tu il elle on nous vous ils elles me te se lui leur leurs mon ma "
     "mes ton ta tes son sa ses notre nos votre vos ce c' cet cette ces est suis es sont était "
     "être a ai as ont avait ne n' y ça quand où donc "},
    {"it",
     " il lo la i gli le l' un uno una e ed o ma che se come di del dello della dei degli delle a "
     "al allo alla ai agli alle da dal dalla in nel nella con su sul sulla per tra fra io tu lui "
     "lei noi voi loro mi ti si ci vi mio mia tuo tua suo sua è sono sei era ho hai ha hanno "
     "questo questa quello quella non quando dove più "},
    {"pt",
     " o a os as um uma uns umas e ou mas que se como de do da dos das em no na nos nas ao à aos "
     "às por pelo pela para com sem sobre entre eu tu ele ela nós eles elas você vocês me te lhe "
     "meu minha teu tua seu sua é são sou era foi está estão há tem este esta esse essa isso "
     "quando onde já mais muito "},
    {"hi",
     " का की के को से में पर ने और या कि तो ही भी यह वह ये वे मैं हम तुम आप है हैं था थी थे हूँ हो एक "
     "इस उस जो क्या "},
    {"ru",
     " и а но или что как если в во на с со к ко у о об от до из за по для при над под не ни же бы "
     "ли я ты он она оно мы вы они меня тебя его её нас вас их мне тебе ему ей нам вам им это то "
     "был была было были есть "},
    {"zh", " 的 了 是 在 我 你 他 她 它 们 吗 呢 吧 和 与 也 就 都 把 被 着 过 地 得 这 那 个 "},
};

}  // namespace

bool IsFunctionWord(absl::string_view language, absl::string_view word) {
  for (const FunctionWords& f : kFunctionWords) {
    if (f.language == language) return IsListed(f.words, word);
  }
  return LettersOf(word) <= 2;
}

}  // namespace posewire::speech
