"""Words that stand for a value, in several languages: nothing, free, yes, no, currencies, levels,
splits."""

from __future__ import annotations

import unicodedata


def clean(text: object) -> str:
    """A text as it is compared: composed, lower case, no outer blanks."""
    return unicodedata.normalize("NFKC", str(text)).strip().casefold()


_NOTHING = (
    "- – — ? . na n/a n.a. nan none null nil nat unknown missing #n/a k.a. unbekannt inconnu n/d"
    " s/d desconocido sconosciuto"
)
MISSING = frozenset(
    {
        "",
        *_NOTHING.split(),
        "未知",
        "不明",
        "not available",
        "k. a.",
        "keine angabe",
        "non disponible",
        "sin datos",
        "нет данных",
    }
)
FREE = frozenset(
    {
        "free",
        "free!",
        "for free",
        "gratis",
        "gratuit",
        "gratuite",
        "gratuito",
        "gratuita",
        "grátis",
        "kostenlos",
        "kostenfrei",
        "umsonst",
        "бесплатно",
        "免费",
        "無料",
        "무료",
    }
)
CURRENCIES = {
    **dict.fromkeys(("us$", "$", "usd", "dollars", "dollar"), "USD"),
    **dict.fromkeys(("€", "eur", "euro", "euros"), "EUR"),
    **dict.fromkeys(("£", "gbp"), "GBP"),
    **dict.fromkeys(("₹", "inr", "rs.", "rs"), "INR"),
    **dict.fromkeys(("¥", "円", "jpy"), "JPY"),
    **dict.fromkeys(("元", "cny", "rmb"), "CNY"),
    **dict.fromkeys(("r$", "brl"), "BRL"),
    **dict.fromkeys(("s$", "sgd"), "SGD"),
    **dict.fromkeys(("a$", "aud"), "AUD"),
    **dict.fromkeys(("c$", "ca$", "cad"), "CAD"),
    **dict.fromkeys(("chf", "fr."), "CHF"),
    **dict.fromkeys(("zł", "pln"), "PLN"),
    **dict.fromkeys(("₽", "руб", "rub"), "RUB"),
    **dict.fromkeys(("₩", "krw"), "KRW"),
    **dict.fromkeys(("₺", "try", "tl"), "TRY"),
    **dict.fromkeys(("kr", "sek"), "SEK"),
}
YES = frozenset(
    {
        "true",
        "t",
        "yes",
        "y",
        "x",
        "✓",
        "✔",
        "ja",
        "j",
        "oui",
        "si",
        "sí",
        "sì",
        "sim",
        "да",
        "是",
        "はい",
        "on",
    }
)
NO = frozenset({"false", "f", "no", "n", "nein", "non", "não", "нет", "否", "いいえ", "off"})
LEVELS = frozenset(
    [
        "all",
        "beginner",
        "beginners",
        "intermediate",
        "advanced",
        "expert",
        "introductory",
        "basic",
        "easy",
        "medium",
        "hard",
        "starter",
        "novice",
        "undergraduate",
        "graduate",
        "foundation",
        "entry-level",
        "mixed",
        "principiante",
        "intermedio",
        "avanzado",
        "básico",
        "débutant",
        "intermédiaire",
        "avancé",
        "anfänger",
        "fortgeschrittene",
        "fortgeschritten",
        "mittel",
        "einsteiger",
        "experte",
        "avanzato",
        "base",
        "iniciante",
        "avançado",
    ]
) | {
    "all levels",
    "all level",
    "entry level",
    "beginner level",
    "intermediate level",
    "expert level",
    "advanced level",
}
SPLITS = {
    **dict.fromkeys(("train", "training", "tr", "past", "entrenamiento", "trainieren"), "train"),
    **dict.fromkeys(
        ("valid", "validation", "val", "dev", "development", "tune", "validierung"), "valid"
    ),
    **dict.fromkeys(
        ("test", "testing", "te", "eval", "evaluation", "holdout", "heldout", "prueba"), "test"
    ),
}
