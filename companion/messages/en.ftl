# English texts of every message (Project Fluent). One entry per code; the same codes and variables in each language.
# Entries are in sections by area; add a message to its area's section, in all languages.

## general: words and list forms that every area uses

language-name = English
list-two = { $first } and { $second }
list-middle = { $start }, { $next }
list-last = { $start }, and { $last }
player = player { $number }
sentences = { $first } { $second }
player-name = { $name }
points = { $count ->
    [one] { $count } point
   *[other] { $count } points
}
no-such-player = there is no player { $number }: they are 1 to { $players }
match-over = the match is over already
match-round-unfinished = the round is not over yet
match-other-rules = the round was played by { $round }, the match is by { $match }
match-other-players = the round has { $round } players, the match { $match }
match-wrong-dealer = { $player } dealt, but it is { $dealer }'s deal
list-or = { $first } or { $second }
list-sentences = { $first }; { $second }
hint-did-you-mean = ; did you mean { $names }?
hint-there-are = ; there are { $names }
hint-none = ; there are none yet
problem-unknown-game = there is no game { $game }{ $hint }
problem-game-not-scored = captured cards do not score in { $game }{ $hint }
problem-no-game = the request has no game: add "game", one of { $games }
problem-no-cards = the request has no cards: add "captured", a list of card ids
problem-unknown-card = there is no card { $card }{ $hint }
hint-card-back = : it is what a face-down card is called, and only cards whose faces are known count
hint-card-of-other-deck = { "" } in the hanafuda deck: it belongs to another one
hint-card-ids = ; `companion decks hanafuda` lists all ids
hint-twin = ; the other one of the two alike is { $card }
problem-card-twice = { $card } is named twice, but a deck has only one{ $hint }
problem-card-in-both = { $card } is both in the pile and on the field, but a deck has only one{ $hint }
result-no-piles = in { $game } captured cards do not decide a round: enter the result
result-no-calls = in { $game } nobody calls to play on
result-yaku-not-played = { $yaku } is not played by these rules
result-unknown-card = { $card } is not a card of this game
result-card-in-both = { $card } is in the piles of both { $first } and { $second }, but it exists only once
result-points-missing = the points of { $player } are missing
result-most-points = Most points: { $players }
result-even = Nobody is ahead
result-points-reported = { $player }: { $points }, as counted at the table

## cards: card-<id>: the name of each card

card-pine-crane = Crane and Sun
card-pine-ribbon = Pine Poetry Ribbon
card-pine-chaff-1 = Pine Chaff
card-pine-chaff-2 = Pine Chaff
card-plum-warbler = Bush Warbler
card-plum-ribbon = Plum Poetry Ribbon
card-plum-chaff-1 = Plum Chaff
card-plum-chaff-2 = Plum Chaff
card-cherry-curtain = Curtain
card-cherry-ribbon = Cherry Poetry Ribbon
card-cherry-chaff-1 = Cherry Chaff
card-cherry-chaff-2 = Cherry Chaff
card-wisteria-cuckoo = Cuckoo
card-wisteria-ribbon = Wisteria Ribbon
card-wisteria-chaff-1 = Wisteria Chaff
card-wisteria-chaff-2 = Wisteria Chaff
card-iris-bridge = Bridge
card-iris-ribbon = Iris Ribbon
card-iris-chaff-1 = Iris Chaff
card-iris-chaff-2 = Iris Chaff
card-peony-butterflies = Butterflies
card-peony-ribbon = Peony Blue Ribbon
card-peony-chaff-1 = Peony Chaff
card-peony-chaff-2 = Peony Chaff
card-clover-boar = Boar
card-clover-ribbon = Bush Clover Ribbon
card-clover-chaff-1 = Bush Clover Chaff
card-clover-chaff-2 = Bush Clover Chaff
card-susuki-moon = Full Moon
card-susuki-geese = Geese
card-susuki-chaff-1 = Susuki Chaff
card-susuki-chaff-2 = Susuki Chaff
card-chrysanthemum-sake = Sake Cup
card-chrysanthemum-ribbon = Chrysanthemum Blue Ribbon
card-chrysanthemum-chaff-1 = Chrysanthemum Chaff
card-chrysanthemum-chaff-2 = Chrysanthemum Chaff
card-maple-deer = Deer
card-maple-ribbon = Maple Blue Ribbon
card-maple-chaff-1 = Maple Chaff
card-maple-chaff-2 = Maple Chaff
card-willow-rainman = Rain Man
card-willow-swallow = Swallow
card-willow-ribbon = Willow Ribbon
card-willow-lightning = Lightning
card-paulownia-phoenix = Phoenix
card-paulownia-yellow = Yellow Paulownia
card-paulownia-chaff-1 = Paulownia Chaff
card-paulownia-chaff-2 = Paulownia Chaff
card-onifuda = Onifuda (Ogre)
card-mekurifuda = { $rank } of { $suit }{ $rank ->
    [1] { " (Dragon)" }
    [10] { " (Maid)" }
    [11] { " (Horse)" }
    [12] { " (King)" }
   *[other] { "" }
}
card-kabu = Kabu { $number }
card-kabu-1-a = Kabu 1 (red-printed)
card-kabu-4-a = Kabu 4 (silver-printed)
card-western = { $rank ->
    [1] Ace
    [J] Jack
    [Q] Queen
    [K] King
   *[other] { $rank }
} of { $suit }
card-back = a face-down card

## yaku: yaku-<slug>: the name of each yaku, dealt hand and rank

yaku-five-brights = Five Brights
yaku-four-brights = Four Brights
yaku-rainy-four-brights = Rainy Four Brights
yaku-three-brights = Three Brights
yaku-flower-viewing = Flower Viewing
yaku-moon-viewing = Moon Viewing
yaku-boar-deer-butterfly = Boar-Deer-Butterfly
yaku-animals = Animals
yaku-poetry-ribbons = Poetry Ribbons
yaku-blue-ribbons = Blue Ribbons
yaku-poetry-and-blue = Poetry and Blue Ribbons
yaku-ribbons = Ribbons
yaku-chaff = Chaff
yaku-month-cards = Month Cards
yaku-four-of-a-kind = Four of a Kind
yaku-four-pairs = Four Pairs
yaku-kirishima = Mist Island
yaku-gundari = Gundari
yaku-goroju = Elder
yaku-sangoro = Three Five Six
yaku-goshiroku = Five Four Six
yaku-shichigosan = Seven Five Three
yaku-kumano = Kumano Shrines
yaku-yashima = Eight Islands
yaku-nakazo = Nakazō
yaku-ebi = Shellfish
yaku-shimozan = Low Three
yaku-deu = Downpour
yaku-kirishima-ribbons = Mist Island Ribbons
yaku-gundari-ribbons = Gundari Ribbons
yaku-goroju-ribbons = Elder Ribbons
yaku-sangoro-ribbons = Three Five Six Ribbons
yaku-goshiroku-ribbons = Five Four Six Ribbons
yaku-shichigosan-ribbons = Seven Five Three Ribbons
yaku-kumano-ribbons = Kumano Shrines' Ribbons
yaku-yashima-ribbons = Eight Islands' Ribbons
yaku-nakazo-ribbons = Nakazō Ribbons
yaku-shinshichihachi = Four Seven Eight
yaku-jushichihachi = Ten Seven Eight
yaku-ebi-ribbons = Shellfish Ribbons
yaku-shimozan-ribbons = Low Three Ribbons
yaku-deu-ribbons = Downpour Ribbons
yaku-kingo = Kingo
yaku-arashi = Arashi
yaku-goshita-gomai = Goshita Gomai
yaku-ittan-juuroku = Ittan-juuroku
yaku-shippin = Shippin
yaku-kuppin = Kuppin
yaku-shigoro = Shigoro
yaku-fifteen = Fifteen
yaku-goppin = Goppin
yaku-below = Below fifteen
yaku-bareta = Bareta

## rules: rule options and presets of every game, house rules

preset-koikoi-standard = Usual rules
preset-koikoi-guide = Bold calls
preset-koikoi-hu = Six-point sets
preset-kekoro = Usual rules
preset-kakkuri = Passing costs
preset-kakkuri-porges = Passing is free
preset-kingo = For the pot
preset-kingo-bank = Against the banker

rule-yes = yes
rule-no = no
rule-not-played = not played
rule-nothing = nothing
rule-unit-points = { $count ->
    [one] { $count } point
   *[other] { $count } points
}
rule-unit-shares = { $count ->
    [one] { $count } share
   *[other] { $count } shares
}
rule-unit-stones = { $count ->
    [one] { $count } stone
   *[other] { $count } stones
}
rule-unit-rounds = { $count ->
    [one] { $count } round
   *[other] { $count } rounds
}
rule-unit-yaku = { $count } yaku
rule-unit-percent = { $count }%
rule-unit-times = { $count ->
    [one] once per player
   *[other] { $count } times per player
}
rule-range-points = points
rule-range-shares = shares
rule-range-stones = stones
rule-range-rounds = rounds
rule-range-yaku = yaku
rule-range-percent = percent
rule-range-times = times per player
rule-effect-times = points × { $number }
rule-effect-plus = { $number } more
rule-calls-always = { $effect }, however many calls
rule-calls-one = call { $count }: { $effect }
rule-calls-each = { $effects }; further calls like the last

rule-koikoi-section-points = What each yaku pays
rule-koikoi-section-yaku = How yaku are made and combine
rule-koikoi-section-paying = What multiplies the points
rule-koikoi-section-calling = Yaku and koi-koi during play
rule-koikoi-section-cards = Dealing and capturing
rule-koikoi-section-game = The round and the game
preset-koikoi-standard-text = What most tables play: 7 points or more double, and so does the opponent’s koi-koi.
preset-koikoi-standard-origin = Where the sources disagree, what most of them say: a beginner’s guide, Kangni Hu (2014), FudaWiki, Nintendo, KoiKoi-Japan, Board Game Arena.
preset-koikoi-guide-text = Your own koi-koi doubles what you win, the viewing yaku pay 3, and the players deal in turn.
preset-koikoi-guide-origin = From a beginner’s guide to Koi-Koi.
preset-koikoi-hu-text = Three brights, boar-deer-butterfly and the ribbon sets pay 6, and the Rain Man counts as a bright.
preset-koikoi-hu-origin = From a paper by Kangni Hu, 2014.
game-koikoi = Koi-Koi
rule-koikoi-five-brights = All five brights.
rule-koikoi-four-brights = Four brights; the Rain Man has a rule of his own.
rule-koikoi-rainy-four-brights = Four brights, the Rain Man among them.
rule-koikoi-three-brights = Three brights; the Rain Man has a rule of his own.
rule-koikoi-boar-deer-butterfly = The boar, the deer and the butterflies.
rule-koikoi-poetry-ribbons = The three red ribbons with writing: pine, plum, cherry.
rule-koikoi-blue-ribbons = The three blue ribbons: peony, chrysanthemum, maple.
rule-koikoi-flower-viewing = The curtain and the sake cup.
rule-koikoi-moon-viewing = The full moon and the sake cup.
rule-koikoi-animals = Five animals; each further one pays 1 more.
rule-koikoi-ribbons = Five ribbons of any color; each further one pays 1 more.
rule-koikoi-chaff = Ten chaff; each further one pays 1 more.
rule-koikoi-month-cards = All four cards of the round’s month.
rule-koikoi-poetry-and-blue = Poetry and blue ribbons together, if that is a yaku of its own.
rule-koikoi-poetry-blue = Poetry and blue ribbons in one pile.
rule-koikoi-poetry-blue-both = each pays for itself
rule-koikoi-poetry-blue-replace = one yaku for both pays instead
rule-koikoi-poetry-blue-add = a yaku for both pays on top
rule-koikoi-animals-special = Boar, deer and butterflies beside the count of animals.
rule-koikoi-animals-special-stack = both pay
rule-koikoi-animals-special-stack-extra = both pay, and each further animal adds 1 to boar, deer and butterflies too
rule-koikoi-animals-special-best-extra = only boar, deer and butterflies pays; each further animal adds 1 to it
rule-koikoi-ribbons-special = Poetry and blue ribbons beside the count of ribbons.
rule-koikoi-ribbons-special-stack = both pay
rule-koikoi-ribbons-special-stack-extra = both pay, and each further ribbon adds 1 to the named yaku too
rule-koikoi-ribbons-special-best-extra = only the named yaku pays; each further ribbon adds 1 to it
rule-koikoi-bright-group = Several yaku of brights in one pile.
rule-koikoi-bright-group-best = only the one that pays most
rule-koikoi-bright-group-all = five brights pays four and three as well
rule-koikoi-rain-man = The Rain Man in three brights and four brights.
rule-koikoi-rain-man-excluded = both are made without him
rule-koikoi-rain-man-counts = he counts like any other bright
rule-koikoi-sake-cup = What the sake cup counts as, besides its viewings.
rule-koikoi-sake-cup-animal = an animal
rule-koikoi-sake-cup-animal-and-chaff = an animal and a chaff at once
rule-koikoi-sake-cup-animal-or-chaff = an animal or a chaff, whichever pays more
rule-koikoi-sake-cup-uncounted = nothing
rule-koikoi-viewing-spoilt = What spoils flower viewing and moon viewing.
rule-koikoi-viewing-spoilt-none = nothing
rule-koikoi-viewing-spoilt-captured-rain = the Rain Man or the lightning in the pile
rule-koikoi-viewing-spoilt-captured-willow = any willow in the pile
rule-koikoi-viewing-spoilt-field = a willow on the field spoils the flowers, a paulownia there the moon
rule-koikoi-viewing-needs = What the viewings need besides their two cards.
rule-koikoi-viewing-needs-nothing = nothing
rule-koikoi-viewing-needs-month = flowers pay only in March, the moon only in August
rule-koikoi-viewing-needs-another-yaku = a yaku that is not a viewing
rule-koikoi-viewing-after-call = Points of a viewing after its owner called koi-koi.
rule-koikoi-viewing-after-call-0 = the same as before
rule-koikoi-own-call = What the winner’s own koi-koi calls do.
rule-koikoi-opponent-call = What the loser’s koi-koi calls do.
rule-koikoi-combine = When both players’ calls multiply.
rule-koikoi-combine-multiply = the factors multiply: x2 and x2 make x4
rule-koikoi-combine-add = the factors add up: x2 and x2 make x3
rule-koikoi-seven = Seven points or more.
rule-koikoi-seven-base = 7 or more before koi-koi calls doubles
rule-koikoi-seven-multiplied = 7 or more after koi-koi calls doubles
rule-koikoi-seven-off = no doubling
rule-koikoi-offer = When a player who called koi-koi decides again.
rule-koikoi-offer-improved = at any rise of the points
rule-koikoi-offer-new-only = at a new yaku only
rule-koikoi-max-calls = How often a player may call koi-koi in a round.
rule-koikoi-max-calls-0 = no limit
rule-koikoi-max-calls-once-a-round = once in all, whoever calls
rule-koikoi-call-min-points = With fewer points than this, the round is won at once.
rule-koikoi-call-min-points-0 = none: with any yaku, the player may choose
rule-koikoi-last-card = A yaku with no card left in the hand.
rule-koikoi-last-card-stop = the round is won: no koi-koi
rule-koikoi-last-card-until-hands-empty = koi-koi may be called while the opponent has a card left; on the last turn the round is won
rule-koikoi-last-card-free = koi-koi may still be called
rule-koikoi-judge = When yaku are judged.
rule-koikoi-judge-turn = after both cards of the turn
rule-koikoi-judge-card = after each card
rule-koikoi-hand-size = Cards in each hand.
rule-koikoi-hand-size-8 = 8
rule-koikoi-hand-size-10 = 10
rule-koikoi-hand-two-match = A hand card that matches two cards on the field.
rule-koikoi-hand-two-match-choose = takes one of them, the player’s choice
rule-koikoi-hand-two-match-all = takes both; the drawn card takes one
rule-koikoi-lightning-wild = The lightning as a card that matches anything.
rule-koikoi-lightning-wild-off = no
rule-koikoi-lightning-wild-on = yes
rule-koikoi-lightning-wild-summer = only when a susuki was dealt to the field
rule-koikoi-field-four = Four of a month dealt to the field.
rule-koikoi-field-four-redeal = the cards are dealt again
rule-koikoi-field-four-play-on = play goes on
rule-koikoi-field-four-dealer-takes = the dealer captures them
rule-koikoi-field-pairs = Four pairs dealt to the field.
rule-koikoi-field-pairs-redeal = the cards are dealt again
rule-koikoi-field-pairs-play-on = play goes on
rule-koikoi-field-three = Three of a month dealt to the field.
rule-koikoi-field-three-redeal = the cards are dealt again
rule-koikoi-field-three-play-on = play goes on
rule-koikoi-four-of-a-kind = Four of a month dealt to a hand.
rule-koikoi-four-pairs = Four pairs dealt to a hand.
rule-koikoi-both-teyaku = Both players are dealt a winning hand.
rule-koikoi-both-teyaku-play-on = play goes on
rule-koikoi-both-teyaku-draw = the round is a draw
rule-koikoi-exhausted = Points to the dealer when nobody stopped.
rule-koikoi-exhausted-0 = none
rule-koikoi-dealer = Who deals next.
rule-koikoi-dealer-winner = the winner
rule-koikoi-dealer-alternate = the players in turn
rule-koikoi-dealer-after-draw = Who deals after a drawn round.
rule-koikoi-dealer-after-draw-stays = the same dealer
rule-koikoi-dealer-after-draw-passes = the other player
koikoi-rules-endless = without a number of rounds and without a target the game would never end: set one of them
rule-koikoi-rounds = Rounds of a game.
rule-koikoi-rounds-0 = until the target is reached
rule-koikoi-target = Points that end the game.
rule-koikoi-target-0 = none: the rounds end it
rule-koikoi-field-multiplier = Brights on the opening field (big fields).
rule-koikoi-field-multiplier-off = change nothing
rule-koikoi-field-multiplier-double = a bright there doubles the round
rule-koikoi-field-multiplier-brights-plus-one = multiply by their number plus one
rule-koikoi-zero-sum = The loser pays what the winner gets.

rule-kekoro-section-points = What cards and yaku are worth
rule-kekoro-section-victory = The victory by yaku
rule-kekoro-section-game = The deal and the game
game-kekoro = Kekoro
preset-kekoro-text = Every captured card scores, a yaku adds 30 points, and a lead of three yaku wins.
preset-kekoro-origin = From FudaWiki’s page on Kekoro.
rule-kekoro-values = What chaff, the curtain and the phoenix are worth.
rule-kekoro-values-printed = 10 each, 330 in the whole deck
rule-kekoro-values-kusaba = chaff 8, the curtain and the phoenix 5, 272 in the whole deck
rule-kekoro-yaku-points = What each yaku is worth. A card counts in every yaku it is part of.
rule-kekoro-yaku-source = Which cards make Gundari Ribbons and Eight Islands.
rule-kekoro-yaku-source-fudawiki = the maple ribbon in Gundari Ribbons, the warbler in Eight Islands
rule-kekoro-yaku-source-1921 = the wisteria ribbon in Gundari Ribbons, the Rain Man in Eight Islands
rule-kekoro-lead-to-win = A player this many yaku ahead wins the game at once.
rule-kekoro-lead-to-win-0 = not played
rule-kekoro-declare = Whether the victory by yaku must be declared.
rule-kekoro-declare-automatic = it happens automatically
rule-kekoro-declare-optional = the player may declare it, or play on
rule-kekoro-judge = When the victory by yaku is judged.
rule-kekoro-judge-turn = after the player’s own turn, both cards played
rule-kekoro-judge-any-time = after each card, also after the hand card alone and on the opponent’s turn
rule-kekoro-field-four = When all four cards of a month are dealt to the field.
rule-kekoro-field-four-redeal = the cards are dealt again
rule-kekoro-field-four-play-on = play goes on; nobody can capture the four
rule-kekoro-dealer-after-tie = Who deals after a round with equal scores; after others the winner does.
rule-kekoro-dealer-after-tie-stays = the same dealer
rule-kekoro-dealer-after-tie-passes = the other player
rule-kekoro-lead-points = The game ends when a player is this many points ahead.

rule-kakkuri-section-table = The table and the deal
rule-kakkuri-section-play = Turns and cards
rule-kakkuri-section-sets = Wild cards, triplets and pairs
rule-kakkuri-section-box = When everybody passes
rule-kakkuri-section-paying = What is paid
game-kakkuri = Kakkuri
preset-kakkuri-text = A turn without a discard costs a share, and any card may follow a wild card.
preset-kakkuri-origin = From FudaWiki’s page on Kakkuri, as played in Yafune, Echizen, in Fukui Prefecture.
preset-kakkuri-porges-text = Passing costs nothing, a hand may be folded, and a wild card stands for any card.
preset-kakkuri-porges-origin = From games.porg.es, FudaWiki’s own source; it differs from FudaWiki’s page.
rule-kakkuri-deck = Which cards are played with.
rule-kakkuri-deck-mekurifuda = mekurifuda, without the onifuda
rule-kakkuri-deck-hanafuda = hanafuda in the Nagoya order: willow 2, paulownia 6, peony 11, plum 12
rule-kakkuri-deck-western = western cards without tens: J 10, Q 11, K 12
rule-kakkuri-players = How many play. The box holds the cards left after six are dealt to each.
rule-kakkuri-players-7-or-8 = 7, or 8 of whom one drops out
rule-kakkuri-players-5-to-8 = 5 to 8
rule-kakkuri-players-2-to-8 = 2 to 8
rule-kakkuri-dropout-dealer = Eight play and the dealer is dealt the 3 of clubs.
rule-kakkuri-dropout-dealer-drops-out = the dealer drops out like anyone else; the player on the right swaps and leads as dealer
rule-kakkuri-dropout-dealer-redeal = the cards are dealt again
rule-kakkuri-swap = Each player may exchange hands with the dealer once, unseen, starting on the dealer’s right.
rule-kakkuri-deal-pass = The winner may pass the deal to the player on the right.
kakkuri-rules-endless = without a number of rounds and without stakes the game would never end: set one of them
rule-kakkuri-rounds = Rounds of a game.
rule-kakkuri-rounds-0 = until a player runs out of shares
rule-kakkuri-must-play = A player who can discard.
rule-kakkuri-must-play-first = must discard one card; more are optional
rule-kakkuri-must-play-none = may pass anyway
rule-kakkuri-fold = Dropping out of the round.
rule-kakkuri-fold-off = not allowed
rule-kakkuri-fold-before-first-card = allowed on your turn before your first card, for a stake to the pot
rule-kakkuri-wild = The wild cards: 1 of clubs and 2 of coins.
rule-kakkuri-wild-any-follows = go on any card, and any card goes on them
rule-kakkuri-wild-chosen-rank = stand for a card that may be discarded now, and its number goes on
rule-kakkuri-wild-in-sets = A wild card in a pair or a triplet.
rule-kakkuri-wild-in-sets-own-number = counts as its own number, 1 or 2
rule-kakkuri-wild-in-sets-joker = counts as any number
rule-kakkuri-four-is-two-pairs = Four of a number count as two of the three pairs.
rule-kakkuri-all-pass = Who must have passed before a card is drawn from the box.
rule-kakkuri-all-pass-excluding-self = everyone except the player who discarded last
rule-kakkuri-all-pass-including-self = everyone, including the player who discarded last
rule-kakkuri-reopen = When all have passed, the player who discarded last draws from the box.
rule-kakkuri-reopen-forced = required
rule-kakkuri-reopen-optional = optional: the player may take another turn on the top card instead
rule-kakkuri-box-empty = A card must be drawn and the box is empty.
rule-kakkuri-box-empty-recycle = all discards but the top one are shuffled into it; if none of them can be used, the round is void
rule-kakkuri-box-empty-void = the round is void; the pot stays for the next deal
rule-kakkuri-win-shares = Each remaining player pays the winner.
rule-kakkuri-guri-shares = Each pays for Guri: all six cards in one turn.
rule-kakkuri-lucky-shares = Each pays for the lucky hand: the 1 of swords, of cups and of coins.
rule-kakkuri-pass-penalty = A turn without a discard costs this, paid into the pot.
rule-kakkuri-pass-penalty-0 = nothing
rule-kakkuri-fold-stake = Folding costs this, paid into the pot, if it is allowed.
rule-kakkuri-fold-stake-0 = nothing
rule-kakkuri-stakes = Shares that each player starts the game with.
rule-kakkuri-stakes-0 = not counted

rule-kingo-deck = Which cards are played with.
rule-kingo-deck-hanafuda = hanafuda without willow and paulownia: 40 cards worth their month
rule-kingo-deck-kabufuda = kabufuda: 40 cards worth their number
rule-kingo-hands = Who sees a player’s cards.
rule-kingo-hands-hidden = only that player, until the showdown
rule-kingo-hands-face-up = everyone: hands are face up
rule-kingo-stones = Stones that each player starts with.
rule-kingo-debt = A player who cannot pay in full.
rule-kingo-debt-out = pays what is left, and is out of the game without stones
rule-kingo-debt-allow = goes into debt and plays on
kingo-rules-endless = without a number of rounds, and with debts allowed, nobody is ever out and the game would never end: change one of them
rule-kingo-rounds = Rounds of a game.
rule-kingo-rounds-0 = until all but one have run out of stones
game-kingo = Kingo
rule-kingo-section-cards = Cards and hands
rule-kingo-section-drawing = Drawing
rule-kingo-section-pot = Wager and pot
rule-kingo-section-stones = Stones
rule-kingo-section-game = The game
preset-kingo-text = Everybody wagers, and the hand closest to 15 takes the pot.
preset-kingo-origin = From FudaWiki’s page on Kingo.
rule-kingo-min-draws = Cards a player must draw before passing.
rule-kingo-min-draws-1 = at least one
rule-kingo-min-draws-0 = none: a player may pass at once
rule-kingo-draw-at-fifteen = Drawing at 15.
rule-kingo-draw-at-fifteen-barred = nobody draws at 15
rule-kingo-draw-at-fifteen-allowed = allowed
rule-kingo-wager = What each player wagers in a round, unless the dealer names another number.
rule-kingo-remainder = Stones left over when winners share the pot.
rule-kingo-remainder-whole = the winner nearest to the dealer’s right takes them all
rule-kingo-remainder-one-each = one each, starting with the winner nearest to the dealer’s right
rule-kingo-dealer-order = The dealer’s own place among “nearest to the dealer’s right”.
rule-kingo-dealer-order-dealer-last = the farthest
rule-kingo-dealer-order-dealer-first = the nearest
rule-kingo-both-teyaku = Kingo and Shigoro in one showdown.
rule-kingo-both-teyaku-winner = only the winner’s counts: the pot is tripled
rule-kingo-both-teyaku-product = both count: the pot is multiplied by six
game-kingo-bank = Kingo against a banker
rule-kingo-section-teyaku = Which teyaku are played, from the strongest
rule-kingo-section-paying = What is paid
preset-kingo-bank-text = Everybody plays against the dealer, who pays the winners and collects from the losers.
preset-kingo-bank-origin = From FudaWiki’s page on Kingo, the form with a banker.
rule-kingo-dealer-discards = The dealer also keeps one of three cards and discards two; otherwise the dealer plays all three.
rule-kingo-october-redeal = What a player dealt three cards of October may ask for.
rule-kingo-october-redeal-own = three new cards for that player
rule-kingo-october-redeal-all = a new deal for everyone
rule-kingo-tsun-min = The lowest value at which a player without a teyaku may pass (tsun).
rule-kingo-tsun-min-11 = from 11
rule-kingo-tsun-min-12 = from 12
rule-kingo-tsun-min-13 = from 13
rule-kingo-dealer-tsun-min = The same for the dealer.
rule-kingo-dealer-tsun-min-same = as for the bettors
rule-kingo-dealer-tsun-min-none = any value, with two cards or more
rule-kingo-dealer-tsun-min-11 = from 11
rule-kingo-dealer-tsun-min-12 = from 12
rule-kingo-dealer-tsun-min-13 = from 13
rule-kingo-kingo = Kingo: three fives; dealer and bettor, 3 times.
rule-kingo-arashi = Arashi: three cards of one month, never bareta; bettor, 2 times.
rule-kingo-goshita-gomai = Goshita Gomai: five cards, none above five, never bareta; bettor.
rule-kingo-ittan-juuroku = Ittan-juuroku: two cards worth 16, not bareta; dealer and bettor, 3 times.
rule-kingo-shippin = Shippin: a four and a one; dealer.
rule-kingo-kuppin = Kuppin: a nine and a one; dealer.
rule-kingo-shigoro = Shigoro: four, five and six; dealer and bettor, 2 times.
rule-kingo-goppin = Goppin: a five and a one; dealer.
rule-kingo-wager-limit = The most that a bettor may wager.
rule-kingo-dealer-multiplier = The dealer’s own teyaku multiplies the dealer’s winnings too.
rule-kingo-equal-ittan = Dealer and bettor both with Ittan-juuroku.
rule-kingo-equal-ittan-tie = the bettor takes the wager back
rule-kingo-equal-ittan-dealer-wins = the dealer wins
rule-kingo-tera-zen = What the house keeps of a bettor’s winnings, in percent, rounded down to whole stones.
rule-kingo-tera-zen-0 = nothing
rule-kingo-rotate = Who deals next.
rule-kingo-rotate-stays = the same dealer
rule-kingo-rotate-winner = the bettor with the strongest hand that beat the dealer’s, otherwise the same dealer
rule-kingo-rotate-right = the player to the dealer’s right
problem-unknown-preset = there is no rules preset { $name }{ $hint }
problem-rule-value = { $key } must be { $values }, not { $value }{ $hint }
option-number = a whole number from { $low } to { $high }
option-calls = a list of at most { $max } effects from x1 to x99 or +1 to +99, by number of calls, such as ["+1", "x2"], or [] for none
problem-unknown-rule = the rules have no option { $options }; `companion rules show { $preset }` lists them
unknown-rule-near = { $option } (did you mean { $near }?)
unknown-rule-elsewhere = { $option } (for that, name rules like { $presets } under "preset")
problem-wrong-game = the rules { $rules } are for { $other }, not { $game }; it has { $presets }
problem-bad-share-code = the share code { $code } does not add up, so a character is wrong, missing or in the wrong place; type it again, or scan it
share-code-character = the share code { $code } has a { $character }: a code is made of digits and letters, without I, L, O and U; type it again, or scan it
share-code-length = the share code { $code } has { $count } characters, and that is not a whole code; type it again, or scan it
problem-newer-share-code = the share code { $code } was made by a newer version of the program; update this one to read it

## koikoi: problems, reasons and results of Koi-Koi

koikoi-redeal-four = four cards of one month were dealt to the field: the cards are dealt again
koikoi-redeal-three = three cards of one month were dealt to the field: the cards are dealt again
koikoi-redeal-pairs = four pairs were dealt to the field: the cards are dealt again
koikoi-dealt-hand-four = four cards of one month
koikoi-dealt-hand-pairs = four pairs, each of one month
koikoi-dealt-hand-contradiction = the cards played so far show that { $player } was dealt { $takes }: the round should have ended at the deal ({ $yaku })
koikoi-decision-missing = { $player } has yaku of { $base } and must call koi-koi or stop
koikoi-call-unknown = in Koi-Koi players call koi-koi or stop
koikoi-koikoi-not-improved = { $player } called koi-koi, but has not improved on the { $before } of the last koi-koi
koikoi-stop-not-improved = { $player } called stop, but has not improved on the { $before } of the last koi-koi
koikoi-koikoi-without-yaku = { $player } called koi-koi, but has no yaku
koikoi-stop-without-yaku = { $player } called stop, but has no yaku
koikoi-call-before-card = { $player } has nothing to decide before playing a card: koi-koi and stop are called once a yaku is made
koikoi-call-out-of-turn = { $player } has nothing to decide now: it is { $turn }'s turn
koikoi-exhausted = the cards ran out and nobody stopped
koikoi-teyaku-draw = both players were dealt a winning hand
koikoi-dealer-paid = { $reason }; the dealer, { $dealer }, gets { $points }
koikoi-dealt-hand-won = { $player } was dealt { $takes } ({ $yaku }): { $points }, never multiplied
koikoi-won = { $head }. { $score }
koikoi-won-field = { $head }. { $score } The opening field had { $brights ->
    [one] { $brights } bright
   *[other] { $brights } brights
 }, times { $factor }: { $points }.
koikoi-head-stop = { $player } stops
koikoi-head-last-card = { $player } has no card left for a koi-koi and wins the round
koikoi-head-last-turn = { $player } has a yaku on the last turn of the round and wins it
koikoi-head-few-points = { $player } has fewer than { $min } points and stops automatically
koikoi-head-no-call-left = { $player } may not call koi-koi again, and wins the round
koikoi-score-none = No yaku: 0 points.
koikoi-score-one = { $yaku } { $points }.
koikoi-score-sum = { $yaku } = { $points }.
koikoi-yaku-points = { $yaku } { $points }
koikoi-score-plus = { $first } + { $second }
koikoi-payment = Total: { $points }.
koikoi-payment-own-adds = Own koi-koi ({ $calls }): + { $number }.
koikoi-payment-own-times = Own koi-koi ({ $calls }): × { $number }.
koikoi-payment-opponent-adds = Opponent's koi-koi ({ $calls }): + { $number }.
koikoi-payment-opponent-times = Opponent's koi-koi ({ $calls }): × { $number }.
koikoi-payment-together = Together × { $factor }.
koikoi-payment-seven = 7 or more doubles: { $points } × 2.
koikoi-unpaid = { $yaku } does not pay: { $reason }.
koikoi-unpaid-month-unknown = the month is unknown
koikoi-unpaid-rain = the pile has a rain card
koikoi-unpaid-willow = the pile has a willow
koikoi-unpaid-field-willow = a willow is on the field
koikoi-unpaid-field-paulownia = a paulownia is on the field
koikoi-unpaid-march = it pays in March only
koikoi-unpaid-august = it pays in August only
koikoi-unpaid-march-unknown = it pays in March only, and the month is unknown
koikoi-unpaid-august-unknown = it pays in August only, and the month is unknown
koikoi-unpaid-alone = it pays only beside another yaku
koikoi-cup-animal = The sake cup counts as an animal, the better choice.
koikoi-cup-chaff = The sake cup counts as chaff, the better choice.
koikoi-why-counted = { $count } { $takes }: { $points } for { $needed }
koikoi-why-counted-more = { $count } { $takes }: { $points } for { $needed }, { $further } for { $further } more
koikoi-why-cards = { $takes }: { $points }
koikoi-why-cards-animals = { $takes }: { $points }, { $further } for { $further ->
    [one] { $further } further animal
   *[other] { $further } further animals
 }
koikoi-why-cards-ribbons = { $takes }: { $points }, { $further } for { $further ->
    [one] { $further } further ribbon
   *[other] { $further } further ribbons
 }
koikoi-why-after-call = { $why } after koi-koi
koikoi-why-unless-willow = { $why }, if no willow is on the field (the field is unknown)
koikoi-why-unless-paulownia = { $why }, if no paulownia is on the field (the field is unknown)
koikoi-why-replaces = { $why }, in place of the two
koikoi-why-adds = { $why }, on top of the two
koikoi-takes-five-brights = All five brights
koikoi-takes-four-brights = Four brights without the Rain Man
koikoi-takes-four-brights-any = Four brights
koikoi-takes-rainy-four-brights = Four brights, the Rain Man among them
koikoi-takes-three-brights = Three brights without the Rain Man
koikoi-takes-three-brights-any = Three brights
koikoi-takes-flower-viewing = The curtain and the sake cup
koikoi-takes-moon-viewing = The full moon and the sake cup
koikoi-takes-boar-deer-butterfly = The boar, the deer and the butterflies
koikoi-takes-animals = animals
koikoi-takes-poetry-ribbons = The three poetry ribbons
koikoi-takes-blue-ribbons = The three blue ribbons
koikoi-takes-poetry-and-blue = Poetry ribbons and blue ribbons together
koikoi-takes-ribbons = ribbons
koikoi-takes-chaff = chaff
koikoi-takes-month-cards = All four cards of the month
koikoi-match-target = the target of { $target } points is reached
koikoi-match-rounds = { $played } of { $rounds } rounds played
koikoi-match-won = { $player } wins, { $first } : { $second } ({ $end })
koikoi-match-drawn = a draw, { $first } : { $second } ({ $end })
koikoi-wrong-month = the round is that of month { $month }, but month { $next } comes next
koikoi-head-reported = Won by { $player }
koikoi-result-without-yaku = { $player } needs a yaku to win
koikoi-result-many-calls = { $player } cannot have called koi-koi { $calls ->
    [one] once
    [2] twice
   *[other] { $calls } times
} with { $base ->
    [one] 1 point
   *[other] { $base } points
} of yaku: each call needs one more point
koikoi-result-other-points = these yaku make { $points } points, not { $reported } ({ $why })
koikoi-result-one-call = by these rules koi-koi is called once a round
koikoi-result-max-calls = by these rules a player calls koi-koi at most { $max ->
    [one] once
   *[other] { $max } times
}
koikoi-result-teyaku-alone = { $yaku } wins before the first card is played: nothing else counts
koikoi-result-excluded = { $yaku } does not count beside { $others }
koikoi-result-impossible = these yaku cannot be held together: { $yaku }
koikoi-result-also = the cards of { $yaku } also make { $others }: tick that too
koikoi-result-both-need = both players would need { $card }, and it exists only once
koikoi-result-contested = both players cannot have these yaku: they would need the same cards

## kekoro: problems, reasons and results of Kekoro

kekoro-redeal = { $cards } were all dealt to the field: by these rules the cards are dealt again
kekoro-won-by-yaku = { $player } has { $own } yaku against { $other }, { $lead } or more ahead, and wins the game
kekoro-won = { $player } has { $high } against { $low }, and deals next
kekoro-tied = both have { $points }: nobody wins the round
kekoro-call-unknown = { $player } called { $call }, but in Kekoro there is only the victory by yaku (win) to call
kekoro-call-nothing = { $player } called { $call }, but by these rules there is nothing to call
kekoro-win-without-lead = { $player } called the win with { $own } yaku against { $other }: it takes { $lead } more than the opponent
kekoro-win-out-of-time = { $player } called the win, but it is judged after the player's own turn, both cards played
kekoro-decision-missing = the hands are empty, and { $player } has not decided whether to declare the victory by yaku (win) or not (stop)
kekoro-why-yaku = { $cards }: { $points }
kekoro-why-none = No cards: 0 points.
kekoro-why-values = { $cards }: { $points } for the cards.
kekoro-why-no-yaku = No yaku.
kekoro-why-sum = { $count } yaku at { $each }: { $points }. Together { $total }.
kekoro-value-chaff = { $count } chaff at { $value }
kekoro-value-curtain-phoenix = { $count } of curtain and phoenix at { $value }
kekoro-value-brights = { $count ->
    [one] { $count } other bright
   *[other] { $count } other brights
 } at { $value }
kekoro-value-animals = { $count ->
    [one] { $count } animal
   *[other] { $count } animals
 } at { $value }
kekoro-value-ribbons = { $count ->
    [one] { $count } ribbon
   *[other] { $count } ribbons
 } at { $value }
kekoro-match-won = { $player } leads by { $lead } points, { $high } to { $low }: a lead of { $needed } ends the game
kekoro-result-by-yaku = { $player } wins by yaku
kekoro-result-no-lead = winning by yaku needs a lead of { $lead } yaku
kekoro-result-other-points = { $player } cannot have { $points } points: { $yaku } points of yaku with their cards are { $least } or more
kekoro-result-both-need = both players’ yaku need { $card }, and it exists only once
kekoro-result-also = the cards of { $player } also make { $others }: tick that too
kekoro-end-played-out = All cards played
kekoro-end-yaku-victory = Won by yaku

## fishing: what Koi-Koi and Kekoro share

fishing-round-over = the round is over already: { $outcome }
fishing-draw-missing = { $player } has not drawn a card yet
fishing-play-missing = { $player } drew before a hand card was played
fishing-out-of-turn = it is { $turn }'s turn, not { $player }'s
fishing-not-in-hand = { $player } played { $card }, but holds { $hand }
fishing-not-in-hand-empty = { $player } played { $card }, but holds no card
fishing-stock-empty = { $card } was drawn, but the draw pile is empty
fishing-wrong-draw = { $card } was drawn, but { $top } was on top of the draw pile
fishing-card-in-stock = { $card } cannot turn up here: it is still in the draw pile
fishing-card-in-hand = { $card } cannot turn up here: { $player } holds it
fishing-card-on-field = { $card } cannot turn up here: it is on the field
fishing-captured-twice = { $card } is named twice among the captured cards
fishing-not-on-field = { $card } was captured, but is not on the field
fishing-captured-before = { $card } was captured by { $player } before
fishing-dealt-twice = { $card } was dealt twice
fishing-wrong-hand = { $player }'s hand was dealt { $count } cards, not { $right }
fishing-wrong-field = the field was dealt { $count } cards, not { $right }
fishing-wrong-stock = the draw pile was dealt { $count } cards, not { $right }
fishing-wrong-flower = { $card } took { $taken }, but it takes cards of its own flower only
fishing-too-many-captured = { $count } cards cannot have been captured: at most { $max } are turned up in a round
fishing-odd-captured = the pile of { $player } has { $count } { $flower } { $count ->
    [one] card
   *[other] cards
}, but cards are captured in pairs: one is missing, or one was read wrongly
fishing-capture-refused = { $card } matches { $matches } on the field and must capture
fishing-one-of-many = { $card } is wild and takes one card of any flower, or all that its own flower lets it: it took { $taken }
fishing-one-of-three = { $card } matches three cards, { $matches }, and takes all of them, not only { $taken }
fishing-both-of-two = { $card } matches { $matches }, and by these rules a hand card takes both, not only { $taken }
fishing-one-of-two = { $card } matches two cards, { $matches }, and takes one of them, not both

## kakkuri: problems, reasons and results of Kakkuri

kakkuri-round-over = the round is already over
kakkuri-dropped-out = { $player } has dropped out of this round
kakkuri-swaps-pending = { $player } has not decided yet whether to exchange hands with the dealer
kakkuri-hidden-contradiction = no hidden hands fit this move of { $player }, the earlier turns without a discard (a player who can discard must) and the declared three pairs
kakkuri-out-of-turn = { $player } moved, but it is { $turn }'s turn
kakkuri-box-unopened-start = { $player } first turns up a card from the box: that begins the play
kakkuri-box-unopened = { $player } first turns up a card from the box: everyone passed
kakkuri-swap-late = { $player } may not exchange hands with the dealer now: it is allowed after the deal, before the box is opened
kakkuri-swap-off = { $player } may not exchange hands with the dealer: these rules do not allow it
kakkuri-swap-out-of-turn = { $turn } decides first whether to exchange hands with the dealer, not { $player }: each player once, starting on the dealer’s right
kakkuri-lucky-late = the lucky hand wins only before the box is opened
kakkuri-lucky-impossible = { $player } cannot have the lucky hand, which is { $cards }
kakkuri-pairs-twice = { $player } has already declared three pairs
kakkuri-pairs-late = { $player } has already discarded: three pairs are declared before the first card
kakkuri-pairs-impossible = { $player }'s hand is not three pairs
kakkuri-box-closed = a card is turned up from the box only to begin the play, and by the player who discarded last after everyone has passed
kakkuri-box-empty = the box is empty and is not refilled
kakkuri-wrong-top = { $card } was turned up, but { $top } is on top of the box
kakkuri-not-in-box = { $card } was turned up, but it cannot be in the box: { $where }
kakkuri-no-card = a discard needs at least one card; to end the turn, pass
kakkuri-card-twice = { $card } is listed twice, but the deck has only one
kakkuri-unknown-card = there is no card { $card } in the 48-card deck of these rules
kakkuri-where-pile = it is on the discard pile
kakkuri-where-box = it is in the box
kakkuri-where-hand = { $player } holds it
kakkuri-where-known = all the cards there are known
kakkuri-hand-is = the hand is { $cards }
kakkuri-not-in-hand = { $player } discarded { $card }, which is not in the hand: { $where }
kakkuri-too-many = { $player } discarded { $cards } with only { $count } cards in the hand
kakkuri-lucky-contradiction = with this card { $player } was dealt { $cards }: the lucky hand, which would have won at once
kakkuri-pass-contradiction = { $player } discarded { $card }, but passed without a discard when { $top } was on top, where it could go: a player who can discard a first card must
kakkuri-four-at-once = { $count } cards at once: at most three of a number may be discarded together
kakkuri-pairs-undeclared = { $player } discarded a pair without having declared three pairs
kakkuri-pairs-only = { $player } declared three pairs and may discard only pairs
kakkuri-no-set = { $cards } do not all have the same number
kakkuri-pairs-broken = { $player } declared three pairs, but the rest of the hand would not be pairs
kakkuri-number-missing = which number does { $cards } stand for? On { $top } it may be { $allowed }
kakkuri-number-needless = { $cards } cannot stand for the number { $number } here
kakkuri-wrong-number = { $cards } (number { $number }) was discarded on { $top }, where { $allowed } may follow
kakkuri-number-any = any number
kakkuri-no-fold = these rules do not allow folding
kakkuri-fold-late = { $player } has already discarded: a player may fold only before the first card
kakkuri-must-play = { $player } passed without a discard on { $top }, but could discard { $cards }: the first card is not optional
kakkuri-must-play-hidden = { $player } passed without a discard on { $top }, but must hold a card that goes there: too few of the unseen cards do not
kakkuri-wrong-players = { $players } players: these rules are for { $min } to { $max }
kakkuri-wrong-hand = { $player } was dealt { $count } cards, not { $right }
kakkuri-wrong-box = the box has { $count } cards, not { $right }
kakkuri-no-dropout = eight play, but nobody shows { $card }, whose holder drops out
kakkuri-box-not-dropped = the box has { $cards }, but it should be the hand of { $player }, who dropped out
kakkuri-dealt-twice = { $card } was dealt twice, but the deck has only one
kakkuri-turn-unfinished = { $player }'s turn has not ended: discard or pass
kakkuri-wrong-pot = the round began with { $pot } shares in the pot, but there were { $right }
kakkuri-match-stakes = Out of shares: { $players }.
kakkuri-match-rounds = All { $rounds } rounds are played.
kakkuri-paid = { $count } paid into the pot
kakkuri-redeal = The dealer was dealt the card that drops out: the cards are dealt again.
kakkuri-void = Everyone passed and no card is left to turn up: the round is void, and { $pot } stay in the pot.
kakkuri-head-win = All cards discarded by { $player }
kakkuri-head-guri = Guri: { $player } discarded all six cards in one turn
kakkuri-head-lucky-hand = Lucky hand dealt to { $player }
kakkuri-head-last-one-in = Everyone but { $player } dropped out
kakkuri-end-win = All cards discarded
kakkuri-end-guri = Guri
kakkuri-end-lucky-hand = Lucky hand
kakkuri-end-last-one-in = Everyone else out
kakkuri-result-out = Dropped out
kakkuri-result-paid = Paid into the pot
kakkuri-result-winner-out = { $player } dropped out and cannot win
kakkuri-result-others-in = { $player } wins as the last one in only if all others dropped out
kakkuri-result-nothing-paid = by these rules nothing is paid into the pot
kakkuri-won-payers-pot = { $head }: { $share } from each of { $payers }, and { $pot } from the pot.
kakkuri-won-payers = { $head }: { $share } from each of { $payers }.
kakkuri-won-nothing = { $head }.
kakkuri-won-pot = { $head }: { $pot } from the pot.

## kingo: problems, reasons and results of Kingo

kingo-bareta = bareta
kingo-hidden-card = ?
kingo-hand-teyaku = { $yaku } ({ $value })
kingo-hand-bareta = bareta ({ $value })
kingo-hand-value = { $value }
kingo-hand-best = the best hand
kingo-result-no-winner = somebody wins unless all are bareta: { $players } are not
kingo-result-winner-out = { $player } is bareta or not in the round and cannot win
kingo-result-stronger = the hand of { $player } does not fit the winners
kingo-result-one-teyaku = a hand counts as one teyaku: choose one for { $player }
kingo-result-sum = what some win, the others lose: the sum is { $total } instead of 0
kingo-takes-kingo = three fives
kingo-takes-arashi = three cards of one month
kingo-takes-goshita-gomai = five cards, none above five
kingo-takes-ittan-juuroku = two cards worth 16
kingo-takes-shippin = a four and a one
kingo-takes-kuppin = a nine and a one
kingo-takes-shigoro = a four, a five and a six
kingo-takes-fifteen = any cards worth 15
kingo-takes-goppin = a five and a one
kingo-takes-below = any cards worth less than 15; the greater value is stronger
kingo-takes-bareta = 16 or more
kingo-why-value = { $sum }.
kingo-why-rank = { $sum }: { $yaku }.
kingo-why-rank-pot = { $sum }: { $yaku }, the pot times { $times }.
kingo-why-rank-bettor = { $sum }: { $yaku }, a bettor is paid { $times } times.
kingo-action-draw = { $player } draws { $card }
kingo-action-choose = { $player } chooses { $card }
kingo-action-show = { $player } shows { $card }
kingo-action-wager = { $player } wagers { $stones }
kingo-action-pass = { $player } passes
kingo-action-bareta = { $player } says bareta
kingo-action-redeal = { $player } asks for a new deal
kingo-round-over = the round is over
kingo-no-such-player = there is no player { $number } with cards: the players are { $players }
kingo-banking-move = { $action }, which is possible only in the banking form
kingo-showdown = { $action }, but everyone has played: hidden hands are shown now
kingo-out-of-turn = { $action }, but it is { $turn }'s turn
kingo-draws-while-showing = { $action }, but is showing a bareta hand
kingo-bareta-draws = { $action }, but the hand is { $hand } and out of the round
kingo-draws-at-limit = { $action }, but the hand is { $hand }: nobody draws at { $limit } or more
kingo-stock-empty = the draw pile is empty
kingo-wrong-draw = { $action }, but { $card } is on top of the draw pile
kingo-card-missing = { $action }, but hands are face up here: say which card it is
kingo-card-not-in-deck = { $action }, which is not in this table's deck
kingo-card-elsewhere = { $action }, but that card is somewhere else
kingo-not-bareta = { $action }, but the hand is { $hand }
kingo-passes-while-showing = { $action }, but is showing a bareta hand and must say bareta
kingo-bareta-passes = { $action }, but the hand is { $hand }, which must be announced
kingo-draw-first = { $action } with { $count ->
    [one] { $count } card
   *[other] { $count } cards
 }, but must draw a card first
kingo-tsun-too-low = { $action }, but the hand is { $hand }: a pass needs { $min } or more, or a teyaku
kingo-nothing-hidden = { $action }, but the whole hand is known: { $cards }
kingo-hidden-contradiction = { $action } (hand: { $cards }), which no unseen cards allow: { $rule }
kingo-hidden-draw = nobody draws at { $limit } or more, and every hidden hand must have been played legally
kingo-hidden-pass = no such hand may pass
kingo-hidden-bareta = bareta is { $min } or more
kingo-hidden-other = some hand could not have been played as it was
kingo-turn-unfinished = { $player }'s turn has not ended: draw, pass, or say bareta
kingo-show-missing = { $player } has { $count } cards and must still show { $hidden }
kingo-choice-pending = { $action }, but first a card must be chosen by { $players }
kingo-wager-pending = { $action }, but first a wager must be placed by { $players }
kingo-keeps-all = { $action }, but plays all three cards
kingo-chosen-already = { $action }, but has already chosen
kingo-not-dealt = { $action }, but was dealt { $cards }
kingo-redeal-late = { $action }, but that is possible only before choosing a card
kingo-redeal-twice = { $action }, but three of the four cards of October are already under the draw pile
kingo-redeal-unfounded = { $action }, which takes three cards of October, but was dealt { $cards }
kingo-dealer-wagers = { $action }, but the dealer places no wager
kingo-wagered-already = { $action }, but has already placed { $stones }
kingo-wager-out-of-range = { $action }, but a wager is 1 to { $max } here
kingo-wager-too-low = a wager is at least 1 stone, not { $wager }
kingo-wrong-players = { $playing } of { $players } players have cards, but Kingo is for 2 to { $max }
kingo-dealer-without-cards = { $dealer } deals, but has no cards
kingo-wrong-stock = the draw pile has { $count } cards, but { $dealt } of { $cards } are dealt
kingo-no-field = Kingo has no field
kingo-dealt-twice = { $card } is dealt twice
kingo-wrong-hand = { $player } is dealt { $count ->
    [one] { $count } card
   *[other] { $count } cards
 } instead of { $right }
kingo-hand-missing = { $player }'s cards are face up here: list them
kingo-stones-of-others = stones are given for { $count ->
    [one] { $count } player
   *[other] { $count } players
 }, but there are { $players }
kingo-cards-without-stones = { $player } has cards but no stones
kingo-stones-without-cards = { $player } has stones but no cards
kingo-other-stones = the round was played with { $recorded } stones, but the players have { $stones }
kingo-match-won = Most stones: { $players } with { $stones }.
kingo-all-bareta = All players are bareta: the wagers go back, and the same dealer deals again.
kingo-october-redeal = Three cards of October in one hand: everyone is dealt new cards.
kingo-pot = { $text }.
kingo-pot-taken = With { $hand }, { $player } takes the pot of { $pot }
kingo-pot-shared = With { $hand } each, { $players } share the pot of { $pot }: { $parts }
kingo-pot-part = { $stones } to { $player }
kingo-pot-wager = a wager is { $stones }
kingo-pot-times = times { $times } for the teyaku
kingo-pot-bareta = doubled for { $players } (bareta)
kingo-pot-short = only what was left from { $players }
kingo-no-wagers = Nobody wagered.
kingo-bareta-lost = Bareta: { $player } loses { $stones }.
kingo-settlement = Against the dealer’s { $dealer }, { $player } has { $hand } and { $result }.
kingo-bettor-won = wins { $stones }
kingo-bettor-lost = loses { $stones }
kingo-bettor-tied = takes the wager back
kingo-less-tera-zen = { $result }, after { $stones } for the house
kingo-bank-empty = { $result }, all that the dealer has left

## replay: problems of records

replay-after-end = the round was over before this turn: { $outcome }
replay-unfinished = the record has a result, but its turns stop before the end: it is { $player }'s turn
replay-wrong-winner = by the record { $recorded } won, by its turns { $played }
replay-nobody = nobody
replay-wrong-points = the record gives { $points }
replay-points-of = { $recorded } to { $player } instead of { $played }
replay-unreadable = { $error } (what follows is not checked)

## table: the table's history, moves, button presses

turn-line = { $player } { $moves }
line-sequence = { $first }; { $then }
event-added = Added: { $event }
event-redone = Restored: { $event }
event-undone = Undone: { $event }
event-deleted = Deleted: { $event }
event-corrected = Corrected: { $before } → { $after }
event-dealer = { $player } deals
event-rules-changed = Rules changed to “{ $rules }”
event-rules-other = Rules changed
event-seated = Seat { $seat }: { $name }
event-opened = The table is opened
event-dealt = A round is dealt
event-set = Table reset from the photo
event-scored = The result of a round
event-scored-won = Result entered: { $players } wins
event-abandoned = The round is abandoned
event-noticed = A problem was noticed
event-settled = Resolved
event-asked = A question
event-answered = Answered
event-closed = Evening closed
event-disputed = Dispute about: { $event }
event-agreed = { $players }: { $verdict }
event-ruled = Host’s decision: { $verdict }
event-odds = odds on the display
dispute-verdict-stands = the record stands
dispute-verdict-changed = the record was wrong
event-removed = Evening deleted
round-abandoned = The round is abandoned and does not count
round-dealt = Round { $number } is dealt
round-dealt-by = Round { $number }: { $player } deals
move-play-takes = plays { $card } and takes { $takes }
move-play-lays = plays { $card }
move-draw-takes = draws { $card } and takes { $takes }
move-draw-lays = draws { $card }
move-draw = draws { $cards }
move-choose = keeps { $cards }
move-box = turns up { $cards }
move-show = shows { $cards }
move-wager = wagers { $stones }
move-discard = discards { $cards }
move-discard-as = discards { $cards } as { $rank }
move-swap = exchanges hands with the dealer
move-keep = keeps the hand
move-lucky-hand = shows the lucky hand
move-three-pairs = declares three pairs
move-pass = passes
move-fold = folds
move-bareta = calls bareta
move-redeal = asks for a new deal
move-laid = continues from the table as photographed again
move-call-koikoi = calls koi-koi
move-call-stop = stops
move-call-win = declares the victory
hidden-card = a card
press-no-such-seat = There is no seat { $seat } at this table of { $players } players
press-no-round = No round has been dealt yet
press-settled = Resolved: { $message }
press-answered = Answered: { $message }
press-hold-longer = Hold { $button } for a second, so that it is not pressed by mistake
press-not-in-this-game = The button { $button } has no meaning in { $game }. { $waiting }
press-another-decides = The decision is up to { $decider }, not { $player }
press-nothing-to-redo = There is nothing to redo
press-nothing-to-undo = There is nothing to undo
press-several-questions = { $count } questions are open: answer them on a phone, where you can read them
press-nothing-open = Nothing waits for an answer. { $waiting }
waiting-question = A question is open: { $question }
waiting-game-over = The game is over
waiting-deal = The next round is dealt by { $player }
waiting-decision = Waiting for { $player } to decide
waiting-turn = It is { $player }'s turn
button-koi-koi = koi-koi
button-stop = stop
button-pass = pass
press-undone-already = Somebody else has just undone this: { $undone }. Press again to undo more
press-too-late = This was pressed { $seconds } s ago and has only now arrived: press again if it is still needed
table-open = the table is open already
table-no-such-round = there is no round { $number }: { $count } were dealt
table-not-dealt = no round has been dealt yet: enter the deal first
table-round-unfinished = round { $number } is not over: finish it or abandon it before the next deal
table-round-abandoned = round { $number } was abandoned: deal the next one
table-other-deck = the deck cannot be changed during an evening: open a new table for it
table-other-game = at this table { $game } is played, and “{ $rules }” are rules of another game
table-game-over = the game is over: open a new table for the next one
table-question-closed = this question is no longer open
table-no-such-dispute = event { $seq } opened no dispute
table-dispute-closed = this dispute is already resolved or withdrawn
table-undone-already = this is undone already: to restore it, undo the undo
table-undone = this is undone: there is nothing to correct
table-moves-without-deal = this would leave moves without a deal: undo them first, or correct the deal
table-wrong-players = by the rules { $rules }, { $players } play, not { $count }
table-bad-name = a name has at most { $max } characters: { $name } is too long
table-no-reset = in { $game } the table cannot be reset to the cards on it: report the moves
table-pile-in-field = { $count } captured cards of { $player } lie in the field: put the pile into its zone, or adjust the zones
table-pile-at-other = { $count } captured cards of { $player } lie in the zone of { $other }: put the piles into their zones, or adjust the zones
table-many-new = { $count } cards lie in the field that were not on the table before: is a captured pile among them?
table-deck-unknown = { $count } of { $of } cards could not be recognized. If the photo is sharp and bright, the program does not know this deck yet: enroll it once, or enter the cards by hand.
table-round-scored = the result of round { $number } is entered already: correct it, or enter the next round

## referee: questions and notices of the referee and the readers

notice-scan-turn-again = { $problem }. Scan the turn again, the card first and then what it takes.
notice-cards = A problem was noticed: { $cards }
zone-field = on the field
zone-stock = with the draw pile
zone-discard = on the discard pile
zone-captured = in { $player }'s pile
zone-hand = in { $player }'s hand
zone-elsewhere = beside the field
choice-sequence = { $first }, { $then }
choice-cards = { $cards }
choice-player = { $player }
choice-drops-out = { $player } drops out
choice-deals = { $player } deals
choice-box = { $player } turned up { $cards }
choice-discard = { $player } discarded { $cards }
choice-discard-as = { $player } discarded { $cards } as { $rank }
choice-pass = { $player } passed
choice-three-pairs = { $player } has three pairs
choice-hand = { $player }: { $cards }
choice-new-deal = yes: the new field is { $cards }
choice-nothing = nothing yet: the cards stay as they were
choice-play-takes = played { $card } and took { $takes }
choice-play-lays = played { $card } to the field
choice-draw-takes = drew { $card } and took { $takes }
choice-draw-lays = drew { $card }, which stays on the field
choice-call-koikoi = called koi-koi
choice-call-stop = stopped
choice-call-win = declared the win
choice-correction = the record before was wrong or is taken back
question-which-deal = Which cards were dealt to the field?
question-which-turn = What did { $player } do?
question-which-order = Which card came from { $player }'s hand, and which from the draw pile?
question-new-deal = Was this round abandoned and a new one dealt?
question-which-discard = Who discarded { $cards }, and how?
question-top-discard = Who discarded { $cards }, now on top? The game goes on from there; add missing moves in the history.
question-whose-turn = Whose turn is it?
question-who-drops-out = Who was dealt { $cards } and drops out?
question-which-hands = Which cards were shown?
question-who-dealt = Who dealt?
question-card-position = Where is { $card }? According to { $first }; according to { $second }.
source-camera = the camera it is { $where }
source-reader = the reader { $reader } it is { $where }
notice-deal-count = The field has { $count } cards instead of eight. Deal eight, without covering any.
notice-deal-missed = The game has begun, but the deal was not seen. Enter the eight field cards, or play on: the next deal will be recorded.
notice-two-cards-played = In one turn { $player } played { $cards } from the hand; it is one card, then one from the draw pile. Take one back.
notice-card-moved = { $cards } was { $before } and is now { $after }. Put it back, or enter what happened.
notice-card-peeked = { $cards } was visible beside the draw pile and disappeared again: it may have been the next card. Shuffle the draw pile, or play on.
notice-card-twice = { $cards } is on the table more often than the deck has it. Is a card from another deck among them?
notice-unknown-card = A card { $where } could not be recognized. Turn it face up, clear of hands and shadows, or remove it if it is from another deck.
notice-foreign-card = { $cards } { $where } is not part of this deck. Remove it.
notice-not-seen = { $cards } should be on the field but is not visible. Uncover it, or enter who took it.
notice-table-differs = The table differs from the log: { $differences }. Put the cards right, or reset to what the camera sees.
notice-table-unclear = The table differs from the log. Put the cards right, or reset to what the camera sees.
difference-missing = { $cards } missing { $where }
difference-unexpected = { $cards } unexpected { $where }
notice-observation-refused = What the camera or the readers saw does not fit the game. Check the last moves in the history.
notice-hand-missing = The hand of { $player } is not visible. Lay it open, or enter bareta.
notice-wager-missing = The wager of { $player } is missing. Enter it on a phone to settle the payments.
notice-correct-by-hand = The table does not show how it came to this. Correct the moves in the history.
notice-readers-unfinished = The readers detected { $placements }, which is not a complete turn. If a card was laid where no reader reads it, enter it on a phone; otherwise put the cards on their readers again.
placement = { $cards } { $where }
notice-half-turn = Of this turn only { $cards } was scanned: a turn is one card from the hand and one from the draw pile. Scan the other card before the next player's.
problem-no-referee = the camera cannot watch { $game } (it can watch { $known }): enter the moves by hand

## store: the data folder, the log

log-repaired = The log had damaged indexes. They were rebuilt, and nothing is missing.
log-database-missing = The database of the log was deleted.
log-database-unreadable = The database of the log cannot be read.
log-restored = The backup { $backup } was restored; later entries are missing.
log-emptied = There is no backup, so the log starts empty.
log-left-files = What was left of it: { $files }.
log-reopened = Somebody deleted the database while the program was running. It was written again, and nothing is missing.
log-unchecked = The log is too large to check at the start; `companion log backup` checks it.
backup-failed = The nightly backup failed: { $error }
log-busy = Another program is using the database, so nothing can be saved right now. Close that program.
log-full = The disk is full, so nothing can be saved. Make room; saving then resumes by itself.
log-read-only = The disk or the data folder is read-only, so nothing can be saved.
log-replaced = The database was replaced by another file while the program was running. Nothing is saved until the server is started again.
log-damaged = The database is damaged. Start the server again: it repairs what it can.
log-failed = The log cannot be saved. Check the disk.
log-unreachable = The database cannot be reached, so nothing can be saved right now. Saving resumes by itself once it answers.
log-newer = the log { $place } was written by a newer version of this program, and was left as it is: install the newest version, or choose another place with --data or --store
log-too-old = the log { $place } was written by an earlier version of this program, which this one cannot read, and was left as it is: move it away, or choose another place with --data or --store
drafts-of-phone = this phone has { $count } unsaved scans: delete some of them first; or pair the phone with the host's QR code, which lifts the limit
drafts-of-address = { $count } unsaved scans came from this address; or pair the phone with the host's QR code, which lifts the limit
drafts-in-all = there is no room left for scans of phones that are not paired; or pair the phone with the host's QR code, which lifts the limit
draft-changes = this scan has been changed too often: scan the cards again; or pair the phone with the host's QR code, which lifts the limit
correction-no-such-card = { $count ->
        [0] there is no card { $index } in this scan to correct: it has no cards
       *[other] there is no card { $index } in this scan to correct: it has { $count }, numbered from 0
    }
problem-card-taken = { $card } ({ $id }) is named twice, but a deck has only one: it is card { $index } of this scan already. Correct that one first
problem-no-such-person = There is no { $name } among the players, guests or circles: reload the page
problem-player-name-taken = There is already a player called { $name }: choose another name, or merge the two if they are one person
problem-same-player = { $name } cannot be merged with the same player
problem-no-such-rules = no rules are saved as { $name }{ $hint }
rules-name-of-preset = { $name } is the name of a preset: choose another name
rules-name-like-code = { $name } looks like a share code: choose another name
advice-log-full = free some space on the disk and try again
advice-log-read-only = make the folder writable for the user who runs companion, or check whether the disk is read-only
advice-log-replaced = restart the server
advice-log-damaged = restart the server, which repairs what it can, or restore a backup with `companion log restore`
advice-log-failed = check the disk and try again
folder-not-read = the folder { $folder } cannot be read: { $reason }
file-not-read = { $path } cannot be read ({ $reason }): make it readable, then start the program again
file-not-written = { $path } could not be written ({ $reason }): nothing was changed
file-not-renamed = { $path } is damaged and cannot be renamed ({ $reason }): move it away
file-unreadable = the file cannot be read: { $reason }
file-problem = { $path }: { $problem }

## access: roles, invitations, PINs

role-viewer = viewer
role-scorer = scorer
role-host = host
role-camera = camera
role-device = device
role-with-seat = { $role } for seat { $seat }
role-whole-table = a scorer for the whole table
hint-keep-score = To keep score, scan the host’s QR code.
hint-keep-scans = To keep scans in the log, scan the host’s QR code.
hint-reading-closed = Watching is only for paired phones here: scan the host’s QR code.
hint-become-host = Only a host can do this: scan the QR code that `companion serve` shows, or ask the host to make you a host too.
problem-other-table = { $name } is paired for seat { $seat } of another table. Scan the QR code of a seat at this one.
problem-only-host-reports = { $name } is paired as scorer, and { $kind } is for the host to report or undo.
problem-other-seat = { $name } is paired for seat { $seat } and reports only its own moves and cards, but this { $kind } concerns another seat. Ask the host, or whoever keeps score for the table.
problem-odds-own-phone = Only the phone of { $players } can agree to this.
problem-phone-or-machine = A phone can’t become a machine, nor a machine a phone. Invite it again.
problem-other-origin = A page of { $origin } sent this to { $host }; only this program’s own pages may. Behind a reverse proxy, set `proxies` in settings.toml and let the proxy pass `Host` and `X-Forwarded-Proto` on.
problem-no-certificate = HTTPS is not set up: run `companion https` on the machine that runs the server.
pages-stopping = The server is stopping. This page will try again by itself.
pages-of-phone = This phone follows tables in too many pages already. Close some; this page then tries again by itself.
pages-in-all = { $max } pages follow a table here already, and there is no room for more. Close some, or start the server with a larger --phones. This page will try again by itself.
pages-at-once = Too many phones that are not paired open this page at once. This page will try again by itself.
pages-of-address = { $max } pages that are not paired follow a table from this address already. Close some, or pair this phone: scan the host’s QR code. This page will try again by itself.
pages-unpaired = { $max } phones that are not paired are watching already. To get one of the places kept for paired phones, scan the host’s QR code. This page will try again by itself.
problem-not-found = There is nothing at { $path }.
problem-internal-error = Something went wrong in the program; nothing was stored. The server’s log has the details.

## scan: pictures and scans, quality of photographs

sample-tatami = On the tatami
sample-kitchen = On the kitchen table, from a chair
sample-evening = Late in the evening
sample-picnic = On a checked cloth
sample-heap = A heap on indigo cloth
sample-counter = On a marble counter, from a chair
photo-blurred = The photo is blurred. Hold the phone still with both hands, or rest it on something, and take it again.
photo-dark = The photo is too dark. Switch on a light or move closer to one, and take it again.
photo-glare = { $cards ->
    [one] Light is reflected on an unrecognized card. Move the phone or the lamp a little, and take the photo again.
   *[other] Light is reflected on { $cards } unrecognized cards. Move the phone or the lamp a little, and take the photo again.
}
photo-cards-small = Unrecognized cards are only { $px } pixels wide; they need 28. Move closer, or take two photos.
photo-oblique = The photo was taken { $tilt }° from straight above, so distant cards are hardly visible. Hold the phone higher over the table.
file-gif = a GIF
file-bmp = a BMP
file-pdf = a PDF
file-tiff = a TIFF or camera raw file
file-zip = a ZIP archive or office document
file-video = a video
file-video-avif = a video or an AVIF picture
file-text = a text file
file-other = some other kind of file
problem-picture-bytes = The picture has { $size } MB; the limit is { $max } MB. Send a smaller one.
problem-picture-passes = The picture is a progressive JPEG of more than { $max } passes. Save it as a normal JPEG and send it again.
picture-not-written = The camera’s picture couldn’t be stored ({ $reason }).

## decks: deck enrollment and libraries

problem-deck-damaged = The deck { $deck } can’t be used: its file is damaged.
problem-no-such-card = There is no card with this number.
enroll-photos-or-cards = send photos of the deck laid out or a picture of each card, not both
enroll-too-many-pictures = { $count } pictures were sent, but the limit is { $photos } photos of the deck laid out, or { $cards } pictures of single cards
enroll-same-names = more than one picture is called { $names }: one per card is needed
deck-unusable = the deck { $deck } cannot be used: { $why }; known decks: { $known }
deck-other-weights = it was made for other weights and keeps no pictures: ask for a newer file
deck-name-of-pack = { $name } is the name of a pack of cards: choose another one for your deck
deck-name-taken = { $name } is a deck that comes with the program: choose another name
deck-no-folder = there is no folder here to keep decks in
deck-file-too-large = this is not a deck file: no deck needs more than { $max } MB
deck-file-damaged = this deck file is damaged ({ $reason }): copy or export it again
not-a-deck-file = this is not a deck file, or a damaged one ({ $reason }): `companion decks export` makes one
deck-file-newer = this deck file has the form { $version }, and this program knows forms up to { $known }: install a newer hanafuda-companion
deck-file-unknown-pack = this deck file is of a pack { $pack } that is not known here
enroll-photo-count = 1 to { $max } photos of a deck are needed, not { $count }
enroll-few-cards = photo { $number } shows { $count } cards: lay the whole deck out in 4 rows of 12, face up and not touching, and take it straight from above in good light
enroll-no-names = no file is named after a card: name each picture by its id (pine-crane), or by month and position (01-0)
enroll-folder-count = { $folder } holds { $count } pictures: one picture per card is needed, named after the card
enroll-no-such-number = there is no card number { $number }: they are numbered 1 to { $count }
enroll-no-such-card = there is no { $pack } card { $card }{ $hint }
enroll-few-names = { $count } pictures are named after { $pack } cards: name one picture per card by its id or month and position, such as 01-0.png
enroll-no-name = no card of this deck has a name: name those that have one
tag-bad = { $tag } is not a tag: scan one, or enter its number (hexadecimal) or the text of its code, 1 to { $max } characters
tag-deck-name = { $name } cannot be a deck's name: it has letters, digits, - and _
tag-too-many = a deck has at most { $max } tags, and these are { $count }
tag-is-sticker = { $tag } is a sticker for { $card } ({ $id }): it needs no pairing
tags-were-damaged = { $count ->
        [0] { $path } was damaged ({ $reason }); it is kept as { $file }. Pair its cards again
       *[other] { $path } was damaged ({ $reason }); it is kept as { $file }, and its { $count } readable pairings are still valid
    }

## watch: registering and watching a table

## devices: readers, buttons, displays, printers, the score receipt

receipt-player = Player { $number }
device-fault-not-plugged = nothing is plugged in at { $where }; plug the device in, or choose the port it is on now
device-fault-port-in-use = another program is using { $where }; close it (a serial monitor or a second companion) and it connects automatically
device-fault-forbidden = this user isn’t allowed to open { $where }; on Linux: sudo usermod -aG dialout $USER, then sign in again
device-fault-no-such = { $where } can’t be opened as a port ({ $detail }); enter a port, a by-id path or a socket:// address
device-fault-unreachable = cannot connect to { $where } ({ $detail }); check that the other machine is on and its serial bridge is running
device-fault-connection-lost = the connection to { $where } was lost ({ $detail }); the program keeps trying to reconnect
device-fault-no-answer = { $where } is open, but the device doesn’t answer; check its power, that TX and RX are crossed, and the baud rate ({ $baud })
device-fault-wrong-device = the device at { $where } isn’t a { $driver } (it answered: { $detail }); choose another driver or another port
device-fault-stalled = the device at { $where } accepts no more data; its port is being reopened
device-fault-refused = the device at { $where } rejected a command: { $detail }
device-fault-paper-out = the printer at { $where } is out of paper; insert a new roll and print again
device-fault-cover-open = the cover of the printer at { $where } is open; close it and print again
device-fault-offline = the printer at { $where } is offline; press its feed or online button and print again
device-fault-broken = the printer at { $where } reports an error ({ $detail }); switch it off, check for jammed paper, and switch it on again
device-fault-stuck = the printer at { $where } accepts no more data; check its paper and cover, and print again
device-fault-no-usb = a USB printer needs the extra “printer” and libusb ({ $detail }): pip install 'hanafuda-companion[printer]'
driver-rdm6300 = RDM6300: reads one 125 kHz tag (EM4100) at a time
driver-pn532 = PN532 on its UART (HSU): reads up to two NFC tags
driver-acg = ACG multi-tag reader: reads a whole pile of tags (ISO 15693)
driver-r200 = UHF module (R200 family): reads many tags, also from a distance
driver-gm65 = GM65 or GM8xx: reads barcodes and QR codes held in front of it
driver-line-scanner = Barcode or QR scanner that sends lines of text (Zebra, Honeywell and others)
driver-button-box = Our own button box: buttons, lights, and a reader and display if wired
driver-serlcd = SparkFun SerLCD or OpenLCD: shows 16 x 2 or 20 x 4 characters
driver-matrix-orbital = Matrix Orbital LK or GLK: shows 20 x 4 or 16 x 2 characters
driver-crystalfontz = Crystalfontz CFA-631, 633, 635 or 835: display, keys and lights in one box
mqtt-device = Hanafuda table
mqtt-points = { $name } points
mqtt-to_move = Turn
mqtt-round = Round
mqtt-last_yaku = Latest yaku
mqtt-decision = Decision pending
mqtt-question = Question pending
mqtt-watching = Camera watching
mqtt-koi-koi = { $name }: koi-koi
mqtt-stop = { $name }: stop
mqtt-pass = { $name }: pass
mqtt-undo = Undo
mqtt-next = Next
receipt-title = An evening of hanafuda
receipt-no-winner = no winner
receipt-total = Totals
receipt-pot = in the pot
receipt-settlement = Payments
receipt-rules-from = From round { $number }
receipt-rules = Rules
receipt-code = Scan to open this evening
sticker-sheet-print = stickers, { $size } mm. Print at actual size (100%).
device-name-twice = two devices have this name; give each its own
device-port-taken = { $device } is at { $port } already; a port has one device
device-test-draw = { $driver } has no display to write on
device-test-light = { $driver } has no lights
device-test-scan = { $driver } needs no trigger: it reads by itself whatever is held in front of it
device-port-scheme = an address begins with { $schemes }, and this is { $port }
device-no-such-table = there is no table { $table }; leave it out for the newest one
device-no-such-seat = seat { $seat } is not there: the table has { $count }
device-not-found-yet = it is not plugged in, or not found yet
receipt-no-round = no round has ended at this table yet: there is nothing to print
receipt-several-tables = round { $number } has other rules or players than round 1: a receipt is for one table
receipt-wrong-players = { $count } players are named, and { $players } played

## pages: texts of the pages only

app-name = Hanafuda Companion
app-description = Photograph a pile of hanafuda cards and see what it is worth, and why.
app-loading = One moment…
app-short-name = Hanafuda
app-updated = The program was updated. Reload the page to go on with the new version.
app-reload = Reload
app-away = What you see is from earlier. The page goes on by itself when the program can be reached again.
app-noscript = This page needs JavaScript. Please switch it on for this address.

nav-label = Pages
nav-language = Language
nav-scan = Scan
nav-log = Log
nav-decks = Decks
nav-tables = Tables

home-again = Same players and rules as last time
people-title = Players
people-text = Everybody who has played here is remembered. Tap a name to choose a color, an emoji or a picture.
people-none = Nobody has played here yet.
people-new = Has not played yet
people-nights = { $count ->
    [one] { $count } evening
   *[other] { $count } evenings
}
people-add = Add a player
people-name = Name
people-color = Color
people-color-n = Color { $n }
people-emoji = Emoji
people-emoji-none = No emoji
people-picture-chosen = Picture: { $file }
people-picture-remove = Remove the picture
save = Save
people-saved = { $name } is saved.
people-change = Change
people-same = The same person as
people-merge = Merge
people-merged = { $name } is now { $into }: all their rounds count together.
people-also = Also written { $name }
people-separate = Separate
people-separated = { $name } is a player of their own again.
people-hide = Remove from the list
people-hidden-now = { $name } is no longer offered. The rounds stay in the log.
people-gone = Removed players
people-offer = Bring back
people-undo = Undo
people-clear = Clear { $name }
people-choose = Choose who plays
people-guest-add = Guest
people-guest = Guest { $n }
people-guests = Guests
people-guests-text = If a guest plays more often, give the rounds of this evening to a player, who then has them in the statistics. New players are added under
people-guest-who = Who was { $name }?
people-guest-me = I was { $name }. My name:
people-guest-assign = Assign
people-guest-ask = That was me
people-claims = Claimed rounds
people-claim = { $actor } says: { $guest } was { $name }
people-claim-yes = Confirm
people-claim-no = Decline
people-claim-waits = A host has to confirm this.
people-circle = Circle
people-everybody = Everybody
people-circles = Circles
people-circles-text = A circle, such as the family or a club, has its own evenings, statistics and ranking: those in which only its members and guests played.
people-circle-add = Make a circle
people-circle-name = Name of the circle
people-members = Members
people-circle-game = Usual game
people-circle-rules = Usual rules
people-circle-remove = Remove the circle
people-circle-removed = The circle { $name } is removed. Evenings and players stay.
home-playing = Playing now
home-continue = Continue an evening
home-log = All evenings
home-title = What is this pile worth?
home-text = Lay the captured cards out, photograph them, and see every yaku, the total and the reason.
home-take = Take a picture
home-choose = Choose a picture
home-deck = Deck
home-deck-auto = Detect automatically
home-samples = No cards at hand? Try one of these

sending-preview = Your picture
sending-no-preview = This browser can’t preview this kind of picture. It can still be read.
sending-sending = Sending the picture… { $share }
sending-sent = Your picture was sent. It is shown again when it has been read.
sending-looking = Looking for the cards…
sending-place = Place { $place } in the queue
sending-no-worker = Pictures aren’t being read at the moment. Yours is kept and will be read as soon as reading starts again. If that takes long, tell the host.
sending-another = Take another picture

picture-alt = { $count ->
    [one] Your picture, with one card outlined. The cards are listed below.
   *[other] Your picture, with { $count } cards outlined. The cards are listed below.
}
picture-larger = Zoom in
picture-smaller = Zoom out

scan-title = Scan: { $day }, { $time }
scan-open = { $count ->
    [one] One card has no name and isn’t counted. Name it
   *[other] { $count } cards have no name and aren’t counted. Name them
}
scan-nothing-title = No cards found in this picture
scan-nothing-text = Hold the phone above the table so that the whole pile is in the picture, and keep lamps from shining on the cards.
scan-unknown-title = Most of these cards are not recognized
scan-unknown-text = Perhaps the program does not know this deck yet. Tap a card to choose its name, or enroll the deck once so that it is recognized from now on.
scan-unknown-enroll = Enroll this deck
scan-foreign = These cards (deck: { $deck }) aren’t hanafuda, so they aren’t scored.
scan-another = New picture
scan-delete = Delete this scan
scan-delete-title = Delete this scan?
scan-delete-text = Its picture, cards and note are deleted too. You can’t undo this.
scan-delete-yes = Delete

score-label = Score
score-light = Show these cards in the picture
score-near = Almost there
score-needs = needs
score-needs-of = { $count ->
    [one] needs one of
   *[other] needs { $count } of
}
score-near-less = Show less
score-near-more = { $count ->
    [one] One more
   *[other] { $count } more
}

points-unit = { $count ->
    [one] point
   *[other] points
}

rules-title = Which rules?
rules-changed = { $count ->
    [one] { $rules }, with one change
   *[other] { $rules }, with { $count } changes
}
rules-change = Change
rules-hint = House rules differ. Choose the rules you play by; the score updates at once.

more-title = Month and koi-koi calls
more-month = This round’s month
more-month-none = Not set
more-own = Koi-koi calls by this player
more-opponent = Koi-koi calls by the opponent
more-fewer = { $what }: one fewer
more-more = { $what }: one more
more-hint = Some rules double the points after a call, or score the cards of the month.

tiles-label = Cards in the pile
tiles-title = { $count ->
    [one] One card
   *[other] { $count } cards
}
tiles-hint = Tap a card to correct it, here or in the picture.
tiles-change = { $card }: correct it
tiles-by-person = Corrected by hand
tiles-unnamed = Not named yet
tiles-unnamed-hint = { $count ->
    [one] This card is uncertain. Tap it to name it.
   *[other] These cards are uncertain. Tap each one to name it.
}
tiles-add = Add a missed card

kind-bright = Brights
kind-animal = Animals
kind-ribbon = Ribbons
kind-chaff = Chaff
kind-foreign = Other cards
kind-back = Face down

card-unnamed = Not named yet
card-face-down = Face down

sheet-title = Which card is this?
sheet-add = Which card was missed?
sheet-crop = The card in your picture
sheet-by-program = { $share } confident.
sheet-unsure = The program couldn’t decide.
sheet-by-person = Corrected by hand. The program read: { $card }.
sheet-by-hand = Added by hand.
sheet-remove = Not a card
sheet-take-out = Remove
sheet-likely = Most likely
sheet-all = All cards, by flower
sheet-used = { $card }, already in the pile
sheet-clash-title = { $card } is already in the pile
sheet-clash-where = { $card } in your picture
sheet-clash-adding = A deck has only one. If the other card is named wrong, correct it first.
sheet-clash-swap = A deck has only one. Swap the two names?
sheet-clash-move = A deck has only one. Give this card the name? The other one then has no name.
sheet-clash-move-added = You added this card by hand. Is it this one? Then it’s no longer counted separately.
sheet-clash-do-swap = Swap
sheet-clash-do-move = Use it here
sheet-clash-back = Choose another

keep-note = Note, for example: round 3, Aya’s pile
keep-keep = Keep
keep-again = Save note
keep-kept = Kept in the log.
keep-to-log = See the log

details = Details
history-taken = { $day }, { $time }
history-read = { $count ->
    [one] The program read one card.
   *[other] The program read { $count } cards.
}
history-untouched = No corrections.
history-changed = { $from } ({ $share } sure) was corrected to: { $to }
history-corrected = { $from } was corrected to: { $to }
history-added = Added by hand: { $card }
history-removed = not a card
history-rules = Rules: { $rules }, { $hash }

house-title = House rules
house-code = Share code
house-use = Score by these rules
house-differs = { $count ->
    [one] One thing differs from “{ $rules }”
   *[other] { $count } things differ from “{ $rules }”
}
house-same = The same as “{ $rules }”.
house-instead = in “{ $rules }”: { $meaning }
rules-list-text = The same list on every phone. Open rules to read, change or share them.
rules-list-open = Open
rules-list-based = { $rules }, saved: { $day }
rules-list-new = Make your own rules
rules-list-deleted = “{ $name }” is deleted.
rules-list-undo = Undo
rules-edit-title = Change the rules
rules-edit-base = Compared with
rules-edit-reset = Reset
rules-edit-reset-all = Undo all changes
rules-edit-changes = { $count ->
    [one] 1 change
   *[other] { $count } changes
}
rules-edit-range = A number from { $low } to { $high }.
rules-edit-call = Call { $number }
rules-edit-add-call = Add a call
rules-edit-remove-call = Remove the last call
rules-edit-name = Name of these rules
rules-edit-replace = Replace them
rules-edit-use = Use at the table without saving
rules-edit-refused = These rules do not work
house-evening = Start an evening by these rules
house-edit = Change these rules
house-share = Share these rules
house-share-text = Scan this with another phone, or type the share code there.
house-manage = Rename or delete
house-rename = Rename
delete = Delete
house-all = All house rules

log-show = Show
log-nights = Evenings
log-kept = Scans
log-drafts = Scans not kept
log-cards = { $count ->
    [one] { $count } card
   *[other] { $count } cards
}
log-unnamed = { $count } not named
log-delete = Delete the scan of { $time }
log-more = Show older ones
log-empty = Nothing kept yet
log-empty-drafts = Nothing here
log-empty-text = A scan that you keep appears here with its picture, its cards and its score.
log-empty-scan = Scan a pile
log-export = Export the log:
log-nights-empty = No evening yet
log-nights-empty-text = Every game that you play at a table appears here by itself: players, rounds, yaku and points.
log-nights-start = Start an evening
log-restore = Restore
log-nights-export = Export the evenings:
log-nights-export-events = for another Companion
log-nights-export-rounds = rounds as CSV
log-nights-import-file = Import evenings
log-nights-none-new = No new evenings
log-nights-imported = { $count ->
    [one] 1 table imported
   *[other] { $count } tables imported
}
log-nights-conflict = Left out, because they differ here: { $tables }
rounds-csv = Download as CSV

night-wins = { $names } { $count ->
    [one] wins
   *[other] win
} { $score }
night-tie = Tie { $score }
night-leads = { $names } { $count ->
    [one] leads
   *[other] lead
} { $score }
night-level = Level { $score }
night-players-more = { $names } and { $count } more
night-rounds = { $count ->
    [one] { $count } round
   *[other] { $count } rounds
}
night-rounds-of = { $count } of { $of } rounds
night-open = In progress
night-paused = Not finished
night-closed = Closed
night-best = Best hand
night-best-text = { $name }: { $yaku }, { $points }
night-turn = Turning point
night-turn-text = Round { $n }: { $name } goes from { $before } to { $after }
night-score-line = Points after each round
night-share = Share as picture
print = Print
night-calls = Koi-koi calls
night-call-result = { $won } of { $count } won
night-round = Round { $n }
night-none-yet = No round is finished yet.
night-rematch = Rematch
night-continue = Continue
night-close = Close evening
night-reopen = Reopen
night-delete-title = Delete this evening?
night-delete-text = It disappears from the log. You can restore it from this page.
night-deleted = This evening is deleted.
night-records = Download the rounds
replay-open = Replay
replay-evening = Evening
replay-before = Score before this round: { $score }
replay-first = First step
replay-back = One step back
replay-next = Next step
replay-last = Last step
replay-step-of = Step { $step } of { $count }
replay-inferred = Nobody reported this; it follows from what came next.
replay-picture = The table in this step, as the camera saw it
replay-hidden = { $count ->
    [one] 1 hidden card
   *[other] { $count } hidden cards
}
replay-captured = Captured cards
replay-middle = Field
replay-pile = { $count } { $pile }
replay-result = Result
replay-result-only = Only the result of this round was recorded, so there are no steps to replay.
replay-not-over = This round is not over.
odds-title = Chance of winning the round, %
odds-nobody = Nobody wins
odds-computing = Calculating the chances: { $count } of { $of } positions
odds-interval = 95% interval { $low }–{ $high }
odds-how = How the chances are calculated
odds-how-text = The round is played to its end { $playouts } times from each position. Known hands stay as they are, all other hidden cards are dealt at random, and the draw pile is shuffled. All players then follow the same simple strategy, which knows no hidden card.
odds-policy-random = Moves are chosen at random.
fishing-policy = Strategy: capture the cards that are worth most (brights, then the sake cup, animals, ribbons, chaff); without a capture, play the least valuable card.
koikoi-policy = { fishing-policy } After a yaku, call koi-koi with fewer than { $points } points, at least { $cards } cards in hand and no call by the opponent; otherwise stop.
disputes-title = Disputes
disputes-none = No disputes. To open one, tap an entry under “What happened” on a table’s page, or go to a step of a replayed round, and tap “Dispute this”.
disputes-all = All disputes
dispute-title = Dispute
dispute-open = Dispute this
dispute-why = What is wrong? (optional)
dispute-send = Open the dispute
dispute-text-open = Tell the others what you doubt. The pictures, the rule and other readings are collected on one page; all players or the host decide.
dispute-state-open = Open
dispute-state-agreed = Resolved by agreement
dispute-state-ruled = Decided by the host
dispute-state-withdrawn = Withdrawn
dispute-about = In question
dispute-by = Opened by { $name }, { $day }, { $time }
dispute-pictures = The table before and after
dispute-picture-before = Before
dispute-picture-after = After
dispute-no-pictures = There is no picture of this event.
dispute-detected = Reported by
dispute-detected-person = { $name } ({ $source }), { $time }
dispute-detected-camera = Camera, { $time }: confidence { $confidence }
dispute-problems = Against the rules
dispute-yaku = Yaku completed
dispute-source = Source: { $source }
dispute-readings = Other readings
dispute-readings-hint = What the rest of the round would be worth if something else had happened.
dispute-reading-reported = As recorded
dispute-likely = { $p } likely
dispute-illegal = { $count ->
    [one] 1 later move would be against the rules
   *[other] { $count } later moves would be against the rules
}
dispute-points = Result { $points }
dispute-no-result = No result
dispute-rules = Rules that decide
dispute-rules-none = With every other value of the house rules, this event would be judged the same.
dispute-rules-this = This table
dispute-allowed = allowed
dispute-has = { $name } has { $yaku }
dispute-no-yaku = no yaku
dispute-decide = Decide
dispute-decide-hint = Resolved as soon as all players agree, or when the host decides.
dispute-agreed-by = { $names } agree: { $verdict }
dispute-all-agree = All agree: { $verdict }
dispute-i-agree = I agree: { $verdict }
dispute-withdraw = Withdraw the dispute
dispute-correct = Correct the record
dispute-show = Show the dispute
dispute-replay = Show in the replay
night-disputes = Disputes settled
night-disputes-count = { $settled } of { $count }

stats-title = Statistics
stats-game = Game
stats-player = Player
stats-since = From
stats-until = To
stats-all-games = All games
stats-all-rules = All rules
stats-all-players = All players
stats-empty = No finished rounds match.
stats-players = Players
stats-rounds = Rounds
stats-wins = Won
stats-win-rate = Win rate
stats-points = Points
stats-average = Average
stats-best = Best round
stats-streak = Longest streak
stats-brights = Brights dealt
stats-rating = Rating
stats-rating-value = { $value } ± { $range }
stats-rating-note = Rating: Glicko-2, with each evening as a rating period. A player’s strength is within the ± range with 95% confidence.
stats-players-note = Brights dealt: bright cards per dealt hand, where the hand is known. Rating: Glicko-2, with each evening as a rating period. A player’s strength is within the ± range with 95% confidence.
stats-called = Rounds with a call
stats-called-won = Of these won
stats-called-average = Average with a call
stats-other-average = Average without
stats-yaku-title = Yaku
stats-yaku = Yaku
stats-times = Made
stats-of-rounds = Of all rounds
stats-yaku-won = Round won
stats-value = Average points
stats-pairs = Head to head
stats-pair = Players
stats-losses = Lost
stats-difference = Point difference
stats-months = By month
stats-months-points = Points by month
stats-months-wins = Rounds won by month
stats-month = Month

rounds-title = Rounds
rounds-against = against { $name }
rounds-won = won
rounds-not-won = not won
rounds-called = with a koi-koi call
rounds-not-called = without a koi-koi call
rounds-dealt = dealt hand known
rounds-since = from { $day }
rounds-until = to { $day }

decks-title = Known decks
decks-text = Most decks work right away. A deck in another style, or the cards of another game, can be learned from a photo or two.
decks-new = Learn a deck
decks-own = Your decks
decks-none = None yet.
decks-shipped = Built in
decks-cards = { $count ->
    [one] { $count } card
   *[other] { $count } cards
}
decks-made = learned: { $day }
decks-broken = The file is damaged and can’t be used. Delete it, then learn the deck again or get the file again.
decks-file = Download
decks-file-of = Download the file of { $deck }
decks-forget-of = Delete { $deck }
decks-forget-title = Delete { $deck }?
decks-forget-text = Its pictures are then read like those of any other deck. Saved scans stay as they are. Without the file you can’t undo this.
decks-friend = From a friend
decks-friend-text = A deck that someone else taught the program is one file. Add it and use it right away.
decks-friend-choose = Choose the file
decks-taken-in = { $deck } was added.
decks-replace = Replace
decks-replace-title = { $deck } already exists
decks-replace-text = Replace it? What was learned before is lost.
decks-tags = Tags
decks-tags-of = Tags of { $deck }
decks-readers = Tags and stickers
decks-readers-text = Readers and scanners recognize cards by the tag or sticker on the back.
decks-readers-devices = Devices

pack-hanafuda = Hanafuda
pack-hanafuda-text = 48 cards: twelve flowers, four of each
pack-mekurifuda = Mekurifuda
pack-mekurifuda-text = 48 cards: four suits of twelve, often with an ogre
pack-kabufuda = Kabufuda
pack-kabufuda-text = 40 cards: 1 to 10, four of each
pack-western = Western cards

suit-western-clubs = Clubs
suit-western-spades = Spades
suit-western-hearts = Hearts
suit-western-diamonds = Diamonds
suit-mekurifuda-clubs = Clubs
suit-mekurifuda-swords = Swords
suit-mekurifuda-cups = Cups
suit-mekurifuda-coins = Coins
suit-mekurifuda-onifuda = Ogre

enroll-text = About two minutes: take one to four photos, then check the names.
enroll-what = Which cards are they?
enroll-name = Name of the deck
enroll-name-example = For example: grandmothers-deck
enroll-name-rule = Letters, digits, - and _ only.
enroll-photograph = Lay them out and photograph them
enroll-layout = Four rows of { $columns } cards, side by side, not touching
enroll-lay-hanafuda = Four rows of twelve: January’s four cards in the leftmost column, December’s in the rightmost. Any other order works too.
enroll-lay-mekurifuda = Four rows of twelve: one suit per row, from 1 on the left to 12. Any other order works too.
enroll-lay-kabufuda = Four rows of ten: the four 1s in the leftmost column, the 10s in the rightmost. Any other order works too.
enroll-lay = Lay the cards face up, right way up, not touching. Photograph them from straight above, without glare or shadows. One photo of the whole deck is enough; a second one in different light improves accuracy.
enroll-take = Take a photo
enroll-take-more = Take another photo
enroll-choose = Choose photos
enroll-photo = Photo { $number }
enroll-photo-remove = Remove photo { $number }
enroll-single = Or: one picture per card
enroll-single-text = Name the files after the cards (pine-crane.png) or by month and position (01-0.png for the crane, 01-1 to 01-3 for the other pines).
enroll-single-choose = Choose the pictures
enroll-single-chosen = { $count ->
    [one] { $count } picture chosen
   *[other] { $count } pictures chosen
}
enroll-find-title = Check that all cards are found
enroll-find = Find the cards
enroll-find-no-name = Give the deck a name first.
enroll-find-no-pictures = Take or choose a photo first.
enroll-sending-title = Sending the pictures
enroll-looking-title = Finding the cards
enroll-looking = Finding each card and suggesting its name. This takes a few seconds per photo.
enroll-again = Take the photo again
enroll-done-title = { $deck } is ready
enroll-done-text = { $count ->
    [one] { $count } card was learned. From now on, pictures of this deck are recognized automatically.
   *[other] { $count } cards were learned. From now on, pictures of this deck are recognized automatically.
}
enroll-done-file = Download the file
enroll-done-all = All decks
enroll-done-command = On the command line:

found-title = Are all names right?
found-doubts = { $count ->
    [one] One name is uncertain. The others look right; tap any that’s wrong.
   *[other] { $count } names are uncertain. The others look right; tap any that’s wrong.
}
found-no-doubts = All names look right. Check them; tap any that’s wrong.
found-look = { $count ->
    [one] Check this card
   *[other] Check these { $count } cards
}
found-open = { $count ->
    [one] One name is still uncertain.
   *[other] { $count } names are still uncertain.
}
found-crop = Card { $number } of your photo
found-is-it = { $card }?
found-nameless = A card without a name
found-right = That’s right
found-another = Another card
found-no-name = None of these (joker, blank)
found-swap-hint = If you choose another card’s name, the two names are swapped.
found-swaps = { $card }, swaps the names
found-perhaps = Perhaps
found-all = All cards
found-change-doubtful = { $card }, uncertain: correct it
found-all-places = { $count ->
    [one] The card found
   *[other] All { $count } cards found
}
found-tap = Tap a card to correct its name.
found-gap = Not found
found-alike = Same picture
found-missing = { $count ->
    [one] One card was not found
   *[other] { $count } cards were not found
}
found-missing-many = They are the empty spaces below.
found-missing-text = Are they on the table? Then take another photo with nothing on the cards and all of them in the picture. If the box doesn’t have them, learn the deck without them.
found-photo = Take another photo
found-keep = Learn this deck

dialog-close = Close
cancel = Cancel

problem-title = That did not work
problem-again = Try again
problem-dismiss = OK
problem-offline-title = No answer from the program
problem-offline = Is this phone on the same network as the program, and is the program running? Nothing is lost: try again in a moment.
problem-empty-picture = The file is empty (0 bytes). Take or choose the picture again.
problem-not-a-picture = This is not a picture that can be read: it looks like { $file }. Use JPEG, PNG, WebP or HEIC.
problem-damaged-picture = The picture file is damaged and can’t be read ({ $reason }). Take or choose the picture again.
problem-truncated-picture = The picture file is cut short. Take or choose the picture again.
problem-too-many-bytes = That is too large: the limit is { $max } MB. Send less, or smaller pictures.
problem-too-many-pixels = The picture has { $width } × { $height } = { $pixels } megapixels; the limit for a file of this kind is { $max }. Send a smaller one.
problem-picture-shape = The picture has { $width } × { $height } pixels. Sides of { $min } to { $max } pixels are read, the longer one at most { $aspect } times the shorter one. Send a normal photo.
problem-picture-too-costly = This picture takes too long to read. Send a smaller one, or save it as a normal JPEG first.
problem-no-such-scan = the log has no scan { $scan }: it was deleted, or the id is mistyped
problem-log-busy = another program is using the database in { $folder }, so nothing was stored: try again in a moment, or close the program that has it open
problem-log-not-read = the log in { $folder } cannot be read here ({ $reason }): nothing was changed. Other pages still work; start the server again, which repairs what it can, or restore a backup with `companion log restore`
problem-tags-being-paired = somebody is pairing tags with cards, so these scans are no moves
problem-log-not-written = the log in { $folder } could not be written ({ $reason }), so nothing was stored: { $advice }
advice-database-damaged = ask the administrator of the database to check it, or restore a backup
advice-database-failed = ask the administrator of the database to check it
advice-database-full = free some space on the disk of the database and try again
advice-database-read-only = the database only lets itself be read: check whether this is the address of a copy
problem-database-in-doubt = the connection to the database { $place } was lost while it stored this ({ $reason }), so it is not known whether it was stored: check, and try again if it was not
problem-database-not-read = the database { $place } could not be read ({ $reason }): nothing was changed; try again in a moment
problem-database-not-written = the database { $place } could not be written ({ $reason }), so nothing was stored: { $advice }
problem-database-unreachable = the database { $place } cannot be reached ({ $reason }), so nothing was stored: try again in a moment
problem-unknown-deck = there is no deck { $deck } here; known decks: { $known }
problem-busy = Many pictures are being read right now. Wait a few seconds and send yours again.
problem-scan-queue-full = { $count } pictures are waiting to be read already. Wait a minute and send yours again.
problem-no-such-scan-job = no picture with the number { $job } is waiting to be read: its result may be in the log, or send the picture again
problem-scanner-failed = The program failed while reading this picture; nothing was stored. Try again, or try another picture.
problem-bad-deck-name = a deck cannot be called { $name }: a name has 1 to { $max } letters, digits, - and _
problem-no-such-deck = There is no deck called { $deck } here; it may have been deleted.
problem-no-such-enrollment = These pictures are no longer stored: they are kept for two hours, or until the program restarts. Send them again.
problem-deck-taken = A deck called { $deck } already exists. Choose another name, or replace it.
problem-shipped-deck = { $deck } is built in and can’t be deleted.
problem-too-many-decks = There are { $max } decks already, the most that can be kept. Delete one first.
problem-deck-not-written = The deck couldn’t be saved: { $reason }.
problem-pair = Pair this device
problem-not-paired = This phone can only watch. { $hint }
problem-role-too-low = { $name } is paired as { $role }, but this needs { $needed }. Ask the host.
problem-forbidden = This request came from another site’s page, so it was refused.
problem-unknown-host = This server is not known as { $host }. Open it by its address. If the name is yours, add it to `hosts` in settings.toml in the data folder, for example hosts = ["cards.home.example"], and restart the server.
problem-no-such-pin = PIN wrong or expired. Check it, or ask the host for a new one.
problem-pins-paused = { $minutes ->
        [one] PINs are paused for a minute because somebody in this network is guessing them. Scan the host’s QR code instead.
       *[other] PINs are paused for { $minutes } minutes because somebody in this network is guessing them. Scan the host’s QR code instead.
    }
problem-no-such-invitation = This QR code was used already or has expired. Ask the host for a new one, or run `companion invite` on the machine that runs the program.
problem-too-many-guesses = { $minutes ->
        [one] Too many wrong PINs from this phone. Wait a minute, or scan the host’s QR code.
       *[other] Too many wrong PINs from this phone. Wait { $minutes } minutes, or scan the host’s QR code.
    }
problem-out-of-step = this was reported after event { $expected }, but there are { $seq } events: check the events in between and report it again
problem-nothing-to-undo = There is nothing to undo.
problem-no-observation-yet = The camera hasn’t seen this table yet. Leave the cards still for a moment, then try again.
problem-no-such-table = there is no table { $table }: the id is mistyped, or it is in another data folder
problem-no-such-night = there is no evening { $night }: the id is mistyped, or it is in another data folder
problem-no-such-event = this table has no event { $seq }: the newest one is { $newest }
problem-rules-name-taken = there are rules called { $name } already, saved on { $day }: choose another name, or replace them
problem-bad-rules-name = rules cannot be called { $name }: a name has 1 to { $max } printable characters, and no slash
problem-bad-token = This token is no longer valid. Pair this machine again.
problem-no-such-picture = This picture no longer exists.
problem-no-picture-yet = The camera has not sent a picture yet.
problem-no-such-pairing = This phone or machine is no longer paired.
problem-unknown = Something unexpected went wrong. Please try again.
problem-bad-request = { $detail }
problem-camera-watches = A camera is already watching this table. Stop it first, or leave the pictures to it.
problem-devices-changed = The devices changed in the meantime. Check them, then change them again.
problem-bad-device = { $device }: { $problem }
problem-no-such-device = There is no device called { $device } here; /devices lists them.
problem-device-off = the device { $device } is switched off: switch it on first.
problem-device-not-ready = the device { $device } is not ready: { $why }.
problem-devices-not-running = Nobody talks to the devices: no report has come for { $seconds } s. `companion serve` starts that process by itself; `companion devices run` starts one on another machine.
problem-tag-taken = the tag { $tag } stands for { $card } ({ $id }) already; take it off that card first, or move it
problem-tags-not-written = the pairings couldn’t be saved: { $reason }
problem-printing = A receipt is being printed. Wait until it’s done.
problem-no-printer = There is no printer yet. Set one up below.

flower-pine = Pine
flower-plum = Plum
flower-cherry = Cherry
flower-wisteria = Wisteria
flower-iris = Iris
flower-peony = Peony
flower-clover = Clover
flower-susuki = Susuki
flower-chrysanthemum = Chry­san­the­mum
flower-maple = Maple
flower-willow = Willow
flower-paulownia = Pau­low­nia

month-1 = January
month-2 = February
month-3 = March
month-4 = April
month-5 = May
month-6 = June
month-7 = July
month-8 = August
month-9 = September
month-10 = October
month-11 = November
month-12 = December

live-title-lobby = Tables
live-title-join = Join
live-title-seat = My cards
live-title-table = Table
live-title-display = Display
live-title-host = Host
live-title-overlay = Overlay
live-waiting = Loading the table…
live-no-table = This table doesn’t exist
live-to-tables = All tables
live-menu = Pages of this table
live-online = Connected
live-offline = No connection
live-offline-age = This is how it was { $age } ago. It catches up by itself.
unsent-title = { $count ->
    [one] Not sent yet: one entry
   *[other] Not sent yet: { $count } entries
}
unsent-text = Kept on this phone, also if you close the page. It is sent as soon as there is a connection, and counts once.
unsent-refused = An entry made without a connection was not accepted
unsent-went-on = The table went on in the meantime. Its last event: { $last }
unsent-insist = Enter it now
unsent-discard = Discard
unsent-of = { $name }: { $what }
unsent-kind-dealt = Deal
unsent-kind-began = Dealer
unsent-kind-scored = Result of a round
unsent-kind-undone = Undo
unsent-kind-corrected = Correction
unsent-kind-inserted = Missed move
unsent-kind-answered = Answer to a question
unsent-kind-abandoned = Round abandoned
unsent-kind-seated = Seat
unsent-kind-other = Move
wake-on = The screen stays on while this page is open.
wake-off = The screen may turn off: this device does not allow keeping it on at the moment, for example to save power.
wake-missing = The screen may turn off by itself: browsers keep it on only over HTTPS (companion https).
live-seconds = { $count ->
    [one] { $count } second
   *[other] { $count } seconds
}
live-minutes = { $count ->
    [one] { $count } minute
   *[other] { $count } minutes
}
live-watching = This phone can only watch. To keep score, scan the host’s QR code.
live-join = Join with a PIN
live-invite = Others join here
live-qr = QR code of { $address }
live-undo = Undo
live-seat = Seat { $seat }
live-no-seat = This table has no seat { $seat }.
live-over = The game is over
live-before = No round yet
live-before-text = The round begins when the camera sees the deal, or when you enter it.
live-round-word = Round
live-on-field = on the field
live-unseen = unseen
live-pile = Cards
live-near = Close to
live-danger = Opponent is close to
live-decision = Decision
live-decision-yours = Koi-koi, or stop?
live-decision-of = { $name } decides
live-decision-or-play = Or just keep playing: the camera takes that as koi-koi.
live-call-koikoi = Koi-koi
live-call-koikoi-more = play on for more
live-call-stop = Stop
live-call-stop-more = take { $points }
live-call-win = I won
live-question = A question
live-question-none = None of these
live-problem = Something isn’t right
live-problem-settled = Dismiss
live-apart = The table doesn’t match the log
live-rescan = Reset to what the camera sees
live-picture-before = Before
live-picture-after = After
live-entry = Enter a move
live-entry-of = { $name }: what happened?
live-entry-what = What happened?
live-entry-which = Which card?
live-entry-play = Which card was played?
live-entry-draw = Which card was drawn?
live-entry-call = What was called?
live-entry-wager = How many stones?
live-entry-discard = Which cards were discarded?
live-entry-box = Which card came from the box?
live-entry-show = Which card was shown?
live-entry-choose = Which card was kept?
live-entry-takes = What did it capture?
live-entry-more = And what else?
live-entry-back = Another card
live-entry-others = It’s { $name }’s move. { $name }’s phone or the host can enter it.
live-entry-none = There’s nothing to enter right now.
live-word-play = Play a card
live-word-draw = Draw a card
live-word-draw-to-hand = Draw a card
live-word-call = Call
live-word-wager = Place a wager
live-word-discard = Discard
live-word-box = Open the box
live-word-show = Show a card
live-word-choose = Keep a card
live-word-hidden = A hidden card
live-history = What happened
live-history-none = Nothing yet.
live-history-all = Show all { $n }
live-drawn = From the draw pile
live-source-camera = camera
live-source-scanner = scanner
live-source-phone = phone
live-source-button = button
live-source-keyboard = keyboard
live-source-program = program
live-kind-table = The table
live-corrected = corrected
live-correct-hint = Tap what is wrong.
live-correct-missed = Add a missing move before this
live-correct-not = Delete this move
live-part-play = Played
live-part-draw = Drawn
live-part-call = Called
live-part-nothing = captured nothing
live-part-wrong = { $card }: correct it
live-night = The evening
live-wins = { $name } wins
live-draw = Nobody wins
live-deal = Enter the deal
live-deal-dealer = Who dealt?
live-deal-who = Who dealt this round?
live-deal-field = { $count ->
    [one] Tap the last field card
   *[other] Tap the { $count } field cards
}
live-deal-field-done = The field
live-deal-take-out = Remove { $card }
live-deal-begin = Begin the round
live-dealer = Dealer
live-dealer-mark = deals
result-title = Enter the result
result-who-won = Who won?
result-nobody = Nobody
result-how = How did it end?
result-yaku-of = Yaku of { $name }
result-further = { $yaku }: further cards
result-calls-of = { $name }: { $call }
result-less = Less: { $what }
result-more = More: { $what }
result-points = Points of the round
result-plain-points = Points instead of yaku
result-away = No connection: the points are computed when the result is sent.
result-incomplete = Enter what you know; the points follow from the rules.
result-record = Record the round
result-correct = Correct the result
result-delete = Delete this result
result-piles-hint = Photograph one or both piles, or choose a player and tap the cards.
result-photo = Photograph of the piles
result-photograph = Photograph
result-swap = Swap the piles
result-piles-clear = Without cards
result-unread = { $count ->
    [one] One card was not recognized: tap it below.
   *[other] { $count } cards were not recognized: tap them below.
}
result-card-of = { $card }, pile of { $name }
live-turn-yours = Your turn
live-turn-of = { $name }’s turn
live-calls = { $count ->
    [one] koi-koi
   *[other] koi-koi ×{ $count }
}
live-hand = { $count ->
    [one] One card in hand
   *[other] { $count } cards in hand
}
live-field = The field
live-stock = { $count ->
    [one] One card in the draw pile
   *[other] { $count } cards in the draw pile
}
live-stock-word = draw pile
live-part-else = Done
live-word-pass = Pass
live-word-fold = Fold
live-word-three-pairs = Three pairs
live-word-bareta = Bareta
live-word-redeal = New cards
live-word-swap = Swap
live-word-keep = Keep
live-word-lucky-hand = Lucky hand
live-redo = Redo
live-trail = { $count ->
    [one] 1 correction
   *[other] { $count } corrections
}
live-has-passed = passed
live-has-three-pairs = three pairs
live-has-dropped-out = out
live-has-bareta = bareta
live-has-sits-out = sits out
live-has-wager = { $count ->
    [one] wagers one stone
   *[other] wagers { $count } stones
}
live-has-stones = { $count ->
    [one] has one stone
   *[other] has { $count } stones
}
live-any-of = { $count ->
    [one] one of
   *[other] { $count } of
}
live-pot = pot
live-camera-failed = The camera can’t see right now. Enter moves by hand; it continues when it’s back.

join-title = Join
join-joining = Joining…
join-to-host = To host: scan the QR code in the terminal of the machine that runs the program, or run “companion invite” there, which also shows a PIN.
join-welcome-viewer = This phone can watch now
join-welcome-scorer = This phone keeps score now
join-welcome-host = This phone is a host now
join-text = Scan the QR code that the host’s phone shows for your seat, or type the PIN beside it.
join-pin = PIN
join-name = Your name (optional)
join-watch = To watch, you need no PIN.
join-go-on = Continue
join-role-scorer = This phone keeps score, as { $name }.
join-role-host = This phone is a host.

lobby-text = Play with real cards. The camera watches, and every phone shows the score.
lobby-tables = Open tables
lobby-open = Open a table
lobby-do-open = Open the table
evening-rules-open = Change the rules
evening-rules-title = Change the rules of this evening
evening-rules-choose = Choose rules
evening-rules-new = Make other rules
evening-rules-later = They apply from the next round on. The current round keeps its rules.
evening-rules-next = They apply from the next round on.
evening-rules-same = Nothing would change: these are the rules of the next round already.
evening-rules-do = Play by these rules
evening-rules-before = before: { $meaning }
evening-rules-upcoming = From the next round: { $rules }
evening-rules-remove = Delete this change
lobby-rules = House rules
lobby-rules-all = Make or change house rules
lobby-players = Players, in seating order
lobby-more = Add a player
lobby-fewer = Remove a player
lobby-options = Table name and deck
lobby-again = Start with { $names }
lobby-name = Table name
lobby-invite = Phones on the same network find the tables here
lobby-your-seat = your seat
lobby-only-host = A host opens tables. To play, scan the QR code of your seat.

watching-title = This phone can only watch
watching-score = To keep score, scan the QR code that the host’s phone shows for your seat.
watching-host = To host, scan the QR code in the terminal of the machine that runs the program, or run there:

lobby-following = { $count ->
    [one] one screen is watching
   *[other] { $count } screens are watching
}

seat-quick = What you can call

display-points = points
display-dealer = dealer
display-turn = to play
display-more-yaku = and { $count } more yaku
display-needs = needs { $cards }
display-this-round = this round
display-field = Field
unit-points = points
unit-shares = shares
unit-stones = stones
display-stock = in the draw pile
display-box = in the box
display-pot = in the pot
display-wager = wager
display-decides = decides: koi-koi or stop?
display-odds = { $chance } to win
display-koikoi = Koi-koi: play goes on
display-stop = Stop: the round is won
display-total = Total
display-nobody = Nobody wins
display-night-won = { $names } won the evening
display-waiting = Deal the cards
display-join = Follow on your phone
display-offline = no connection
display-camera = the camera can’t see
display-hash = ID of these rules
display-asks = The referee asks (answer on a phone):
display-wonders = See the phones:
display-lost = There is no such table here.

overlay-koikoi = Koi-koi!
overlay-stop = Stop!

host-camera = Camera view
host-cards = { $count ->
    [one] One card seen
   *[other] { $count } cards seen
}
host-no-picture = No camera picture yet. You can enter everything by hand.
host-stale = This picture is { $n } seconds old and isn’t used
host-age = picture { $n } s old
host-fps = { $n } pictures per second
host-state-absent = No camera
host-state-starting = Starting
host-state-watching = Watching
host-state-hands = A hand is in the picture
host-state-failed = The camera isn’t working
host-state-ended = Watching has ended
host-state-silent = The camera isn’t responding
host-zones = Zones
host-zones-adjust = Adjust the zones
host-zones-hint = Choose a zone, then drag its corners to match your table. The arrow keys work too.
host-zones-done = Done
host-zones-default = Reset to default
host-zones-keeping = Saving…
host-zones-kept = Saved
host-zone-field = Field
host-zone-stock = Stock
host-zone-discard = Discard pile
host-zone-elsewhere = Elsewhere
host-zone-captured = { $name }: captured
host-zone-hand = { $name }: hand
host-corner = { $zone }, corner { $n }
host-round-none = No round yet. It begins when the camera sees the deal, or when you enter it.
host-round-stands = It’s { $name }’s turn.
host-abandon = Abandon the round
host-abandon-title = Abandon this round?
host-abandon-text = The round doesn’t count, and the next one can be dealt. You can undo this.
host-last = Last:
host-health = Status
host-health-server = Server
host-health-log = Log
host-health-camera = Camera
host-health-recording = Recording
host-health-online = connected
host-health-offline = no response; last contact { $ago }
host-health-saved = entry { $n } saved { $ago }
host-health-unsaved = can’t be written: free up disk space, and check that the folder still exists
host-ago-seconds = { $count ->
    [one] { $count } second ago
   *[other] { $count } seconds ago
}
host-ago-minutes = { $count ->
    [one] { $count } minute ago
   *[other] { $count } minutes ago
}
host-ago-hours = { $count ->
    [one] { $count } hour ago
   *[other] { $count } hours ago
}
host-restarts = { $count ->
    [one] restarted once
   *[other] restarted { $count } times
}
host-recording-on = saved to
host-recording-off = off
host-people = Paired devices
host-people-none = No phone is paired yet. The machine that runs the program is always a host.
host-role-seat = { $name }’s seat
host-role-scorer = Scorer
host-role-host = Host
host-role-camera = Camera
host-role-device = Device
host-role-viewer = Watch only
host-role-of = Role of { $name }
host-this-phone = (this phone)
host-seen = last seen { $day }, { $time }
host-revoke = Remove { $name }
host-revoke-text = It can then only watch. You can pair it again at any time.
host-revoke-yes = Remove
host-revoke-all = Remove all others
host-revoke-all-text = All other phones and machines can then only watch, and open invitations end.
host-invite = Invite
host-invite-watching = Watching needs no invitation.

invite-scan-host = Scan to become a host
invite-scan-scorer = Scan to keep score
invite-scan-viewer = Scan to watch
invite-once = For one phone, for ten minutes.
invite-pin = No QR reader? Open { $address } and enter the PIN
invite-pins-paused = Somebody in this network is guessing PINs, so PINs are paused for { $n } min. QR codes still work.
invite-machine = Run this on that machine. The token is shown only now.

seats-title = Seats
seats-scan = Scan to sit as { $name }
seats-taken = ✓ taken
seats-mine = ✓ this phone
seats-free = free
seats-show = QR code
seats-sit = Sit here

host-only-host = Only a host can invite others. To become one, scan a host’s QR code, or run “companion invite” on the machine that runs the program.
host-screens = Other screens
host-screen-display = Wall screen
host-screen-light = Wall screen, light
host-screen-overlay = Overlay for a stream (OBS)
host-records = Rounds as a file:

display-stays = stays
display-of = of { $n }
display-lacks = { $count ->
    [one] one more card
   *[other] { $count } more cards
}

host-health-worker = Watcher
host-worker-running = running
host-worker-waiting = stopped; restarts in { $n } s
host-worker-ended = ended
host-names-show = Show names
host-names-hide = Hide names
host-screen-devices = Devices: readers, buttons, displays

display-won = { $count ->
    [one] { $names } wins
   *[other] { $names } win
}

snap-take = Photograph the table
snap-looking = Reading the picture…
snap-nothing = Nothing new in this picture. Are all cards visible, and has anything been played since?
snap-title = The picture does not fit the table
snap-zones-title = Where the cards must lie
snap-again = Photograph again
snap-zones-hint = The captured piles must lie in their players’ zones. Cards with a red outline are in a wrong one.
snap-zones-show = Show the zones
snap-zones-none = There are no zones yet: photograph the eight field cards of the deal first.
snap-unknown-hint = The cards with a red outline could not be recognized.

devices-text = Readers, buttons and displays next to the table. They work as soon as they’re plugged in, and are found again after being unplugged.
devices-add = Add a device
devices-add-yes = Add
devices-none = Nothing is plugged in yet
devices-none-text = A tag reader under the capture tray, a box with buttons, a small display, a barcode scanner: add it here once, and it’s found wherever you plug it in.
devices-none-simulate = No hardware? Try a simulated device:
devices-worker-running = Connected to the devices
devices-worker-away = Not running
devices-worker-never = The device process hasn’t reported yet. It starts with the server within a few seconds.
devices-worker-since = The device process last reported { $ago }. If the server runs it, it restarts by itself.
devices-state-ready = Ready
devices-state-opening = Connecting
devices-state-probing = Waiting for a response
devices-state-stale = Not responding
devices-state-back-off = Not working
devices-state-absent = Not plugged in
devices-state-off = Switched off
devices-state-asleep = Not running
devices-state-new = Searching
devices-seen = last contact { $ago }
devices-nowhere = No position yet
devices-everybody = For the whole table
devices-port = Port
devices-says = Identifies as
devices-opened = Connections
devices-frames = Last frames
devices-frames-none = none yet
devices-try-of = Try { $name }
devices-try-lights = Lights
devices-try-light = Blink light { $n }
devices-try-text = Text to show
devices-try-hello = Hello from the table
devices-try-show = Show
devices-try-scan = Scan now
devices-tried-light = Look at its lights.
devices-tried-draw = Look at its display.
devices-tried-scan = Hold a code in front of it.
devices-tried-again = Tried again.
devices-again = Try again now
devices-on = On
devices-off = Off
devices-on-of = { $name } on
devices-change-of = Change { $name }
devices-remove = Remove
devices-remove-of = Remove { $name }
devices-remove-title = Remove { $name }?
devices-remove-text = The program stops looking for it. You can add it again at any time.
devices-damaged = The list of devices was damaged
devices-only-host = Only the host can change devices. Open this page on the machine that runs the program.
devices-tags-text = A reader recognizes a card by the tag or sticker on its back.
devices-tags-pair = Pair tags with cards
devices-tags-decks = Choose another deck
devices-kind-tags = Tag readers
devices-kind-codes = Barcode and QR scanners
devices-kind-buttons = Buttons
devices-kind-display = Displays
devices-form-port = Where is it plugged in?
devices-form-no-ports = No port found. Plug the device in now: it appears here by itself.
devices-form-other-port = Another path or address
devices-form-address = Path or address
devices-form-driver = What kind of device is it?
devices-form-where = Where is it?
devices-form-place = The cards it reads are
devices-form-seat = Next to the seat of
devices-form-table = Table
devices-form-name-rule = Letters, digits, - and _
devices-place-any = Held in the hand
devices-place-any-hint = The scan order decides: the card played, the cards captured, the card drawn.
devices-place-none = Not set
devices-seat-none = Nobody
devices-table-newest = The newest one
devices-option-columns = Columns
devices-option-rows = Rows
devices-option-font = Characters it can show
devices-option-weakest-dbm = Weakest signal accepted, dBm
devices-font-ascii = Latin only
devices-font-katakana = Latin and katakana

tags-of = Tags: { $deck }
tags-text = Tap a card, scan its tag, and the next card comes up. A card can have two tags.
tags-progress = { $n } of { $all } cards have a tag
tags-has = { $count ->
    [one] has a tag
   *[other] has { $count } tags
}
tags-has-none = no tag yet
tags-begin = Which card first?
tags-begin-with = Begin with { $card }
tags-scan = Now scan the tag of { $card }
tags-no-reader = No reader is ready. A scanner that types like a keyboard works too
tags-by-hand = Enter the number
tags-number = Tag number
tags-pair = Pair
tags-stop = Done for now
tags-paired = { $card } now has a tag.
tags-paired-all = { $card } now has a tag, and so does every other card.
tags-already = This tag is already { $card }.
tags-is = This tag is { $card }.
tags-unknown = Whose tag is this? Tap the card.
tags-sticker = This sticker already names { $card }, so it needs no pairing.
tags-ask = This tag is already { $card }
tags-ask-text = Change it to { $card }?
tags-move = Move it
tags-leave = Keep it
tags-remove = Remove tag { $tag }
tags-removed = Tag { $tag } was removed.
tags-only-look = This device can only watch
tags-damaged = The pairings were damaged

stickers-title = Use stickers
stickers-text = A printed code on the back of each card identifies it: no pairing needed.
stickers-kind = Code
stickers-kind-qr = QR code
stickers-kind-datamatrix = DataMatrix
stickers-size = Size
stickers-paper = Paper
stickers-paper-letter = US letter
stickers-print = PDF to print

help-open = What can I still make?
help-title = Cards and yaku
help-still = You can still make
help-nothing = Nothing is close yet.
help-pick = Tap a card to see its yaku
help-month = Month: { $month } ({ $flower })
help-kind = Type: { $kind }
help-kind-bright = bright
help-kind-animal = animal
help-kind-ribbon = ribbon
help-kind-chaff = chaff
help-yaku = It takes part in
help-no-yaku = By the rules of this table it is in no yaku.
help-have = { $name }: { $have } of { $count }
wall-odds-menu = Odds on the display…
wall-odds-title = Odds on the display
wall-odds-hint = The wall display can show how likely each player is to win the round, if every player agrees. It is computed from what everybody can see; nobody’s hand is used. Anyone can turn it off.
wall-odds-shown = The display shows the odds.
wall-odds-not-shown = The display shows no odds.
wall-odds-agreed = Agreed
wall-odds-open = Not yet
wall-odds-agree = Agree
wall-odds-decline = No
wall-odds-refuse = Turn off for everybody
wall-odds-proposal = { $names } would like the odds on the display.
speech-title = Speech
speech-open = Speech…
speech-hint = This device says aloud what happens at the table. Saved in this browser.
speech-no-voice = This browser has no voice for { $language }. Add one in the device’s settings, or use another browser.
speech-on = Announce aloud
speech-what = What to say
speech-captures = Captured cards
speech-yaku = Yaku and calls
speech-points = Points
speech-corrections = Corrections: who has more or fewer points
speech-volume = Volume
speech-quiet = Quiet hours
speech-quiet-on = Be silent at night
speech-from = From
speech-to = To
speech-try = Try it
speech-sample = Mei: Three Brights, 5 points
speech-blocked = Tap for speech
speech-takes = { $name } captures { $cards }
speech-of = { $name }: { $text }
speech-wins = { $name } wins the round: { $points }
speech-nobody = Nobody wins the round
speech-more = { $name }: { $points } more
speech-less = { $name }: { $points } less
keys-title = Keys as buttons
keys-open = Keys as buttons…
keys-hint = Use a keyboard, or a button box that types. Hold Undo for a second to undo the whole turn; press it twice to redo. Saved for this page in this browser.
keys-koi-koi = Koi-koi
keys-stop = Stop
keys-pass = Pass
keys-undo = Undo
keys-next = Next
keys-press = Press the key for { $button }…
keys-none = none: choose one
keys-taken = The page uses that key. Choose another one.
keys-reset = Reset to default

slip-title = Score receipt
slip-hint = Print the evening’s result on a receipt printer.
slip-look = Preview
slip-print = Print the receipt
slip-none = You can print when the first round is over.
slip-printing = Printing: { $n }%
slip-done = Printed.
slip-sent = Sent. This printer doesn’t report whether it printed.
slip-low = The paper roll is almost empty.
slip-missing = The server has no font for { $chars }: 〓 is printed instead.
slip-printer = Printer
slip-port = Location
slip-port-hint = For example { $addresses }
slip-paper = Paper
slip-lang-both = Both
slip-lang-en = English
slip-lang-ja = Japanese
slip-lang-ko = Korean
slip-baud = Baud rate (serial)

certificate-title = HTTPS on this phone
certificate-why = With this household’s certificate, your phone can use the camera in the page, keep the screen on, and install the app. The certificate only works for addresses in a home network.
certificate-download = Download the certificate
certificate-iphone = iPhone and iPad
certificate-iphone-1 = Open this page in Safari, download the certificate, and allow the profile.
certificate-iphone-2 = Open Settings, tap “Profile Downloaded”, then Install.
certificate-iphone-3 = Go to Settings › General › About › Certificate Trust Settings.
certificate-iphone-4 = Turn on “Hanafuda Companion on …” under full trust for root certificates.
certificate-android = Android
certificate-android-1 = Download the certificate.
certificate-android-2 = Open Settings and search for “CA certificate” (often under Security › Encryption & credentials › Install a certificate).
certificate-android-3 = Choose “Install anyway” and pick hanafuda-companion.crt from the downloads.
certificate-compare = Compare before you trust it
certificate-fingerprint = The details of the certificate on your phone must show this SHA-256 fingerprint, and so must `companion https` on the machine that runs the server:
certificate-then = Then use this address:
certificate-off = HTTPS starts when the server is restarted.

## cli: texts of the commands

cli-rules-code = Share code { $code }
cli-rules-differ = { $count ->
    [one] Differs from { $other } in 1 option, marked *.
   *[other] Differs from { $other } in { $count } options, marked *.
}
cli-rules-same = The same as { $other }.
cli-rules-option = { $sentence }: { $meaning }. ({ $source })
cli-cards = { $count ->
    [one] { $count } card
   *[other] { $count } cards
}
cli-face-down = face down
cli-group-count = { $count } { $group }
cli-score-rules = by { $rules }
cli-score-near = Near:
cli-score-lacks = { $yaku } lacks { $cards }
cli-score-lacks-any = { $yaku } lacks any { $count } of { $cards }
cli-score-bad-requests = { $bad } of { $count } requests could not be answered
cli-unsure = unsure
cli-unsure-card = at { $x }, { $y }: { $cards }
cli-unsure-nothing = at { $x }, { $y }: no idea
cli-scan-no-cards = No cards were detected in this picture. Lay them face up in good light and come closer: a card should be at least 28 pixels wide.
cli-scan-unnamed = Not counted because they have no name: { $count }
cli-group-bright = bright
cli-group-animal = animal
cli-group-ribbon = ribbon
cli-group-chaff = chaff
cli-group-clubs = clubs
cli-group-western-clubs = clubs
cli-group-swords = swords
cli-group-cups = cups
cli-group-coins = coins
cli-group-onifuda = onifuda
cli-group-kabu = kabu
cli-group-spades = spades
cli-group-hearts = hearts
cli-group-diamonds = diamonds
cli-group-back = back
cli-watch-deal = Deal
cli-watch-problem = Problem
cli-watch-unsure = Unsure
cli-watch-undone = Taken back
cli-watch-turns = { $count ->
    [one] { $count } turn
   *[other] { $count } turns
}
cli-watch-not-over = not over when the camera stopped
cli-watch-frames-again = frames arrive again
cli-log-empty = The log in { $folder } has no scans yet.
cli-log-no-kept = The log in { $folder } has no kept scans yet.
cli-log-no-nights = The log in { $folder } has no evenings yet.
cli-log-no-score = no score
cli-log-unnamed = , { $count } unnamed
cli-log-kept = kept
cli-log-draft = draft
cli-log-stored = { $image }, stored as { $file }
cli-log-without-name = unnamed
cli-log-added = added { $card }
cli-log-changed = card { $index }: { $before } → { $after }
cli-replay-no-record = not a round record
cli-replay-legal = legal
cli-replay-illegal = illegal
cli-replay-agrees = , result agrees
cli-replay-disagrees = , result does not agree
cli-replay-not-over = not over, { $player } to move
cli-replay-result = result
cli-replay-turn = turn { $number }
cli-replay-deal = deal
cli-replay-illegal-count = { $count } with illegal moves
cli-replay-disagreeing-count = { $count } whose result does not agree
cli-replay-unreadable-count = { $count ->
    [one] { $count } line that is not a record
   *[other] { $count } lines that are not records
}
cli-replay-all-good = { $rounds }: all legal, no result disagrees
cli-serve-stopped = Stopped.
cli-serve-host = Scan this to host. It works once, within 24 hours.
cli-serve-others = Another host or player later: any host's page, or `companion invite` here.
cli-serve-watch = To watch, open { $url } on a phone in the same network.
cli-serve-name = Most phones can also open { $url }
cli-serve-here = On this machine: { $url }
cli-serve-https = HTTPS, on phones that have the certificate: { $url }   to install it: { $install }
cli-serve-table = The table: { $url }   for a wall screen: { $display }   camera and health: { $host }
cli-serve-seat = Seat { $seat }: { $url }
cli-serve-folder = Scans and tables are kept in { $folder }. Ctrl-C stops.
cli-rules-link = Link: { $url }
cli-rules-shared-code = Code: { $code }
cli-rules-open = `companion rules open { $code }` reads it; --rules takes it as well.
cli-rules-saved = Saved as { $name }: { $rules }, code { $code }.
cli-rules-entry = { $rules }, code { $code }, saved { $date }
cli-rules-forgotten = { $name } is deleted; `companion rules save NAME { $code }` saves it again.
cli-games-rules = Rules (`companion rules show NAME` describes them):
cli-decks-unusable = cannot be used: { $problem }
cli-decks-shipped = { $count } { $pack } cards, shipped { $date }
cli-decks-enrolled = { $count } { $pack } cards, enrolled { $date }
cli-decks-content = { $prototypes } prototypes, { $pictures } pictures
cli-decks-pack = { $count } cards, { $first } to { $last }
cli-invite-seat = seat { $seat }
cli-invite-seat-as = { $seat }, as { $role }
cli-invite-scan = { $uses ->
    [one] Scan this to join as { $role }. It works once, within ten minutes.
   *[other] Scan this to join as { $role }. It works { $uses } times, within ten minutes.
}
cli-invite-pin = No camera? Open { $url } and type the PIN { $pin }.
cli-invite-token = The token of this { $role }; it is displayed only once:
cli-invite-use = Use it on the { $role }'s machine:
cli-invite-remove = It can be removed on a host's page.
devices-queue-full = too many presses and scans wait for the server
devices-no-table = there is no table: open one first
cli-unknown-deck = there is no deck { $deck }{ $hint }
cli-rules-unknown = there is no rules preset, no file and no saved rules { $name }{ $hint }
cli-source-error = { $source }: { $error }
cli-watch-retrying = { $error }; retrying
client-no-answer = { $url } does not answer: { $reason }
client-not-companion = { $url } did not respond with a JSON object: check that it is the address of `companion serve`
client-bad-address = { $url } is not a server's address; an example is http://192.168.0.7:8420
client-bad-table-address = { $url } is not a table's address: copy it from the table's page (http://.../t/...)
client-not-answered-yet = { $url } has not answered yet
source-folder-empty = the folder { $folder } contains no pictures (JPEG, PNG, WebP, HEIC): choose a folder of frames
source-bad-times = { $file } does not contain the times of the frames ({ $error }): delete the file, or use --fps
source-no-video = { $file } cannot be opened as a video: use a video file (MP4, MKV, WebM, AVI), a folder of frames, a camera's number or an address
recording-exists = { $folder } already contains a recording: choose another folder
recording-not-written = cannot record to { $folder }: { $reason }
weights-missing = the weights { $file } are missing from { $folder }: install hanafuda-companion again
camera-hung = { $camera } has stopped responding { $count } times: restart the program
registration-file-version = it has format version { $version }, and this program reads version { $known }: run companion calibrate again
registration-file-invalid = it is not the registration of a table: run companion calibrate again
registration-file-missing = no table was registered here ({ $file }); run companion calibrate without --check first
printer-bad-address = { $address } is not a printer's address; give socket://192.168.0.9:9100, a serial port (/dev/serial/by-id/…, COM3) or usb:VENDOR:PRODUCT
cli-print-sent = Sent. This printer does not report whether it has printed.
cli-print-low = The paper is nearly used up.
