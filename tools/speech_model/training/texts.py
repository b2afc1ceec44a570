"""Texts to train on: sentences of our own words by templates, numbers, and nonsense words.

Nothing here is taken from a corpus. Numbers are read aloud by espeak-ng in each of its languages,
and nonsense words bring the sounds that the few words of a language miss.
"""

ENGLISH = {
    "who": """the baby|my mother|Bob|Pamela|a policeman|the farmer|your boss|Victor|the bishop
        |a big brown bear|nobody|the prime minister|Phoebe|our team|this machine|Mister Webb
        |the shopkeeper|a young pilot|her husband|the whole family|George|their fashion magazine
        |every member|the old museum|Judith|Matthew|a thief|the chef|somebody""",
    "does": """brings|makes|loves|might move|put back|never believed|is painting|was watching
        |would rather buy|stopped|could improve|has given up|keeps|pushed|measures|jumped over
        |should follow|throws away|remembers|fixed|chose|will carry|grabbed|asks about|forgot
        |can't find|wrapped|joined|explains|shipped|thinks of|bumped into|mopped up""",
    "what": """a cup of warm milk|the broken bicycle|five yellow apples|some fresh bread and butter
        |the map of Europe|a heavy wooden box|this problem|the purple umbrella|both of them
        |seven thousand books|her favourite movie|the bathroom mirror|an empty bottle of beer
        |the public garden|my umbrella|a small village|the telephone|pepper and vinegar
        |a very good job|the zoo|those pictures|blue shoes|the computer program|a lump of sugar
        |half a loaf|the wrong number|treasure|a birthday cake|the tough beef|lamb chops""",
    "where": """in the kitchen|by the river|above the roof|at the bus stop|before breakfast
        |on Wednesday morning|with both thumbs|every evening|near the church|for the first time
        |from behind the curtain|during the summer|without a map|because of the weather
        |in front of the bank|after the show|as far as we know|while you were asleep|at home
        |under the table|between two trees|in November|up and down the ramp|by mistake""",
    "said": """Well, |Oh no! |Maybe |Hmm, but |Please listen: |I'm sure that |We hope |Yes, and |
        |||||||Why not? |You know what? |Thank you. |Good morning! |Perhaps |Obviously """,
}
PATTERNS = ["{said}{who} {does} {what} {where}.", "{where}, {who} {does} {what}.",
            "{who} {does} {what}, and {who} {does} {what} {where}!", "{said}{what}, please.",
            "Did you say {what} {where}?", "{who} and {who} {where}.", "How about {what}?",
            "I {does} {what}; {who} {does} {what} too.", "{number} {what}, {number} {what}.",
            "My number is {number}.", "Stop. {who}! {what}? {where}."]

# A few hundred plain words; order and grammar do not matter to a mouth.
WORDS = {
    "es": """el pan la mesa un vaso de vino mi hermano pequeño quiere beber agua fría por favor
        siempre nunca también mañana por la tarde buenos días muchas gracias jueves verano invierno
        fuego bomba cambio palabra problema público febrero noviembre amigo mujer hombre llave lluvia
        calle guitarra queso jamón azul verde amarillo rojo blanco perro caballo pájaro bicicleta
        vivir subir bajar comprar vender hablar empezar ojo boca mano cabeza pie viejo joven feliz""",
    "fr": """le pain la table un verre de vin mon petit frère veut boire du lait chaud s'il vous plaît
        toujours jamais aussi demain matin bonjour merci beaucoup jeudi été hiver feu pompe chambre
        parole problème public février novembre ami femme homme clé pluie rue guitare fromage jambon
        bleu vert jaune rouge blanc chien cheval oiseau vélo vivre monter acheter vendre parler bouche
        oeil main tête pied vieux jeune heureux bon vent blanc brun champ campagne peur fleur deux""",
    "it": """il pane la tavola un bicchiere di vino mio fratello vuole bere acqua fredda per favore
        sempre mai anche domani mattina buongiorno grazie mille giovedì estate inverno fuoco bomba
        cambio parola problema pubblico febbraio novembre amico donna uomo chiave pioggia strada
        chitarra formaggio prosciutto azzurro verde giallo rosso bianco cane cavallo uccello bicicletta
        vivere salire comprare vendere parlare bocca occhio mano testa piede vecchio giovane felice""",
    "de": """das Brot der Tisch ein Glas Wein mein kleiner Bruder möchte kaltes Wasser trinken bitte
        immer niemals auch morgen früh guten Tag vielen Dank Donnerstag Sommer Winter Feuer Pumpe
        Zimmer Wort Problem öffentlich Februar November Freund Frau Mann Schlüssel Regen Straße Käse
        Schinken blau grün gelb rot weiß Hund Pferd Vogel Fahrrad leben kaufen sprechen Auge Mund
        Hand Kopf Fuß alt jung glücklich zwölf Bäume Pfeffer Apfel Dampf Lampe Kampf über Kuchen""",
    "pt": """o pão a mesa um copo de vinho meu irmão pequeno quer beber água fria por favor sempre
        nunca também amanhã bom dia muito obrigado quinta verão inverno fogo bomba câmbio palavra
        problema público fevereiro novembro amigo mulher homem chave chuva rua queijo presunto azul
        verde amarelo vermelho branco cachorro cavalo pássaro bicicleta viver comprar falar olho boca
        mão cabeça pé velho jovem feliz campo limpo sempre viagem""",
    "ru": """хлеб стол стакан воды мой младший брат хочет пить пожалуйста всегда никогда тоже завтра
        утром добрый день большое спасибо четверг лето зима огонь бомба комната слово проблема
        февраль ноябрь друг женщина мужчина ключ дождь улица гитара сыр синий зелёный жёлтый красный
        белый собака лошадь птица велосипед жить купить говорить глаз рот рука голова нога старый
        молодой счастливый мама папа бабушка пять шесть восемь вместе любовь""",
}
ONSETS = """b p m b p m d t n g k f v s z sh ch j l r h w y th bl br pl pr fl fr dr tr gr kr kl gl st
    sp sm sn sk sl sw tw kw""".split()
VOWELS = "a e i o u a e i o u ai au ee oo oi ou ea".split()
ENDS = "b p m b p m d t n g k f v s z sh ch l r th mp mb ft st lt nd nt ng rk".split() + [""] * 20

# Nonsense in the letters of languages that are no English: what may begin a syllable, vowels, ends.
SYLLABLES = {
    "ru": ("б п м б п м д т н к г в ф с з ш ж ч х л р бр пр пл тр кр сп ст см вр мн дв тв",
           "а о у ы э и е я ю ё", "б п м н т к с л р ш в ф мб мп нт ст нд " + "- " * 20),
    "cs": ("b p m b p m d t n k g v f s z š č ž h ch j l r br pr pl tr kr sp st sm vr mn dv tv",
           "a e i o u y á é í ou ů", "b p m n t k s l r š v mb mp nt st nd " + "- " * 20),
    "fi": ("b p m p m p d t n k v f s h j l r m", "a e i o u y ä ö aa ee ii uu ai ei uo ie äy",
           "n s t l r pp mp mm tt kk nn nt nk lm lp " + "- " * 20),
    "ca": ("b p m b p m d t n c g v f s z x j ll l r br pr pl tr cr sp st",
           "a e i o u à é í ó ú ai ei ou ui", "p m n t c s l r mp nt st " + "- " * 20),
    "hi": ("ब प म ब प म भ द त न क ग व स ज च ह ल र ट ड य प्र ब्र म्ब", "ा ि ी ु ू े ै ो ौ " + "- " * 4,
           "ब प म न त क स ल र ट " + "- " * 20),
    "te": ("బ ప మ బ ప మ భ ద త న క గ వ స జ చ హ ల ర ట డ య", "ా ి ీ ు ూ ె ే ై ొ ో - -",
           "ం " + "- " * 6),
}


def choose(rng, many):
    return many[rng.integers(len(many))]


def nonsense(rng, language="en"):
    if language in SYLLABLES:
        return "".join(choose(rng, part.split()).replace("-", "")
                       for _ in range(rng.integers(1, 4)) for part in SYLLABLES[language])
    return "".join(choose(rng, ONSETS) + choose(rng, VOWELS) + choose(rng, ENDS)
                   for _ in range(rng.integers(1, 4)))


def number(rng):
    return str(int(10 ** rng.uniform(0, 5.9)))


def sentence(rng, language):
    """One sentence that a voice of `language` (espeak's name: en-us, es, ru...) can say."""
    base = language.split("-")[0]
    if base == "en" and rng.random() < 0.85:
        text = choose(rng, PATTERNS)
        for key, values in ENGLISH.items():
            many = [" ".join(value.split()) for value in values.split("|")]
            while "{" + key + "}" in text:
                gap = " " if key == "said" else ""
                text = text.replace("{" + key + "}", choose(rng, many) + gap, 1)
        while "{number}" in text:
            text = text.replace("{number}", number(rng), 1)
        return text.strip().capitalize()
    words = []
    if base in WORDS:
        many = WORDS[base].split()
        begin = rng.integers(len(many))
        words = [choose(rng, many) for _ in range(rng.integers(3, 9))]
        words += [many[(begin + i) % len(many)] for i in range(rng.integers(2, 6))]
    else:
        words = [number(rng) for _ in range(rng.integers(1, 4))]
    latin = base not in ("ru", "uk", "bg", "el", "hi", "ja", "ko", "cmn", "fa", "ar", "ka")
    if latin:
        words += [nonsense(rng) for _ in range(rng.integers(1, 4))]
    if rng.random() < 0.3:
        words.append(number(rng))
    rng.shuffle(words)
    if len(words) > 4 and rng.random() < 0.5:
        words[len(words) // 2] += choose(rng, [",", ".", "?", "!", ":"])
    return " ".join(words) + choose(rng, [".", "!", "?"])


def syllables(rng, language):
    """One sentence, most of it nonsense, in the letters of a language of SYLLABLES."""
    words = [nonsense(rng, language) for _ in range(rng.integers(4, 9))]
    if language in WORDS:
        words += [choose(rng, WORDS[language].split()) for _ in range(4)]
        rng.shuffle(words)
    if rng.random() < 0.5:
        words[len(words) // 2] += ","
    return " ".join(words) + choose(rng, [".", "!", "?"])
