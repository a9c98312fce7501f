"""A second, simple and slow scorer for Kekoro, written from the rule text alone.

It refers to cards by their ids and imports nothing of the program, so that an error would have to be made
twice.
"""

ANIMALS = {
    "plum-warbler", "wisteria-cuckoo", "iris-bridge", "peony-butterflies", "clover-boar", "susuki-geese",
    "chrysanthemum-sake", "maple-deer", "willow-swallow",
}  # fmt: skip

# Months by number, as in the names of the yaku; cards with individual names by their names.
PLAIN = {
    "kirishima": ["paulownia-phoenix", "wisteria-cuckoo", "plum-warbler"],
    "gundari": ["plum-warbler", "maple-deer", "paulownia-phoenix"],
    "goroju": ["iris-bridge", "peony-butterflies", "maple-deer"],
    "sangoro": ["cherry-curtain", "iris-bridge", "peony-butterflies"],
    "goshiroku": ["iris-bridge", "wisteria-cuckoo", "peony-butterflies"],
    "shichigosan": ["clover-boar", "iris-bridge", "cherry-curtain"],
    "kumano": ["chrysanthemum-sake", "willow-rainman", "cherry-curtain"],
    "yashima": ["susuki-moon", "wisteria-cuckoo", "plum-warbler"],
    "nakazo": ["clover-boar", "susuki-moon", "chrysanthemum-sake"],
    "ebi": ["pine-crane", "maple-deer", "willow-rainman"],
    "shimozan": ["pine-crane", "willow-rainman", "cherry-curtain"],
    "deu": ["clover-boar", "susuki-moon", "willow-rainman"],
}

# Ribbon yaku by their flowers; the cards that serve as the ribbons of susuki and paulownia are listed once.
RIBBON_FLOWERS = {
    "kirishima-ribbons": "paulownia wisteria plum",
    "gundari-ribbons": "plum maple paulownia",
    "goroju-ribbons": "iris peony maple",
    "sangoro-ribbons": "cherry iris peony",
    "goshiroku-ribbons": "iris wisteria peony",
    "shichigosan-ribbons": "clover iris cherry",
    "kumano-ribbons": "chrysanthemum willow cherry",
    "yashima-ribbons": "susuki wisteria plum",
    "nakazo-ribbons": "clover susuki chrysanthemum",
    "shinshichihachi": "wisteria clover susuki",
    "jushichihachi": "maple clover susuki",
    "ebi-ribbons": "pine maple willow",
    "shimozan-ribbons": "pine willow cherry",
    "deu-ribbons": "clover susuki willow",
}
IN_PLACE_OF_A_RIBBON = {"susuki": "susuki-geese", "paulownia": "paulownia-yellow"}


def plain_value(card, values):
    """Return the value of a card by itself."""
    kusaba = values == "kusaba"
    if card in {"cherry-curtain", "paulownia-phoenix"}:
        return 5 if kusaba else 10
    if card in {"pine-crane", "susuki-moon", "willow-rainman"}:
        return 5
    if card in ANIMALS:
        return 5
    if card.endswith("-ribbon"):
        return 1
    assert "-chaff-" in card or card in {"willow-lightning", "paulownia-yellow"}, card
    return 8 if kusaba else 10


def plain_yaku(pile, yaku_source):
    """Return the slugs of the yaku in a pile, in any order."""
    made = set()
    for slug, needed in PLAIN.items():
        cards = list(needed)
        if slug == "yashima" and yaku_source == "1921":
            cards[cards.index("plum-warbler")] = "willow-rainman"
        if all(card in pile for card in cards):
            made.add(slug)
    for slug, needed in RIBBON_FLOWERS.items():
        flowers = needed.split()
        if slug == "gundari-ribbons" and yaku_source == "1921":
            flowers[flowers.index("maple")] = "wisteria"
        cards = [IN_PLACE_OF_A_RIBBON.get(flower, f"{flower}-ribbon") for flower in flowers]
        if all(card in pile for card in cards):
            made.add(slug)
    return made


def plain_score(pile, values="printed", yaku_source="fudawiki", yaku_points=30):
    """Return the card values, the slugs of the yaku, and the total."""
    worth = sum(plain_value(card, values) for card in pile)
    yaku = plain_yaku(pile, yaku_source)
    return worth, yaku, worth + yaku_points * len(yaku)
