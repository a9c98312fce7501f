# English texts of every message (Project Fluent). One entry per code; the same codes and variables in each language.
# Entries are in sections by area; add a message to its area's section, in all languages.

## general: words and list forms that every area uses

language-name = English
list-two = { $first } and { $second }
list-middle = { $start }, { $next }
list-last = { $start }, and { $last }
player = player { $number }
player-name = { $name }
points = { $count ->
    [one] { $count } point
   *[other] { $count } points
}

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
card-clubs-1 = 1 of Clubs (Dragon)
card-clubs-2 = 2 of Clubs
card-clubs-3 = 3 of Clubs
card-clubs-4 = 4 of Clubs
card-clubs-5 = 5 of Clubs
card-clubs-6 = 6 of Clubs
card-clubs-7 = 7 of Clubs
card-clubs-8 = 8 of Clubs
card-clubs-9 = 9 of Clubs
card-clubs-10 = 10 of Clubs (Maid)
card-clubs-11 = 11 of Clubs (Horse)
card-clubs-12 = 12 of Clubs (King)
card-swords-1 = 1 of Swords (Dragon)
card-swords-2 = 2 of Swords
card-swords-3 = 3 of Swords
card-swords-4 = 4 of Swords
card-swords-5 = 5 of Swords
card-swords-6 = 6 of Swords
card-swords-7 = 7 of Swords
card-swords-8 = 8 of Swords
card-swords-9 = 9 of Swords
card-swords-10 = 10 of Swords (Maid)
card-swords-11 = 11 of Swords (Horse)
card-swords-12 = 12 of Swords (King)
card-cups-1 = 1 of Cups (Dragon)
card-cups-2 = 2 of Cups
card-cups-3 = 3 of Cups
card-cups-4 = 4 of Cups
card-cups-5 = 5 of Cups
card-cups-6 = 6 of Cups
card-cups-7 = 7 of Cups
card-cups-8 = 8 of Cups
card-cups-9 = 9 of Cups
card-cups-10 = 10 of Cups (Maid)
card-cups-11 = 11 of Cups (Horse)
card-cups-12 = 12 of Cups (King)
card-coins-1 = 1 of Coins (Dragon)
card-coins-2 = 2 of Coins
card-coins-3 = 3 of Coins
card-coins-4 = 4 of Coins
card-coins-5 = 5 of Coins
card-coins-6 = 6 of Coins
card-coins-7 = 7 of Coins
card-coins-8 = 8 of Coins
card-coins-9 = 9 of Coins
card-coins-10 = 10 of Coins (Maid)
card-coins-11 = 11 of Coins (Horse)
card-coins-12 = 12 of Coins (King)
card-onifuda = Onifuda (Ogre)
card-kabu-1-a = Kabu 1 (red-printed)
card-kabu-1-b = Kabu 1
card-kabu-1-c = Kabu 1
card-kabu-1-d = Kabu 1
card-kabu-2-a = Kabu 2
card-kabu-2-b = Kabu 2
card-kabu-2-c = Kabu 2
card-kabu-2-d = Kabu 2
card-kabu-3-a = Kabu 3
card-kabu-3-b = Kabu 3
card-kabu-3-c = Kabu 3
card-kabu-3-d = Kabu 3
card-kabu-4-a = Kabu 4 (silver-printed)
card-kabu-4-b = Kabu 4
card-kabu-4-c = Kabu 4
card-kabu-4-d = Kabu 4
card-kabu-5-a = Kabu 5
card-kabu-5-b = Kabu 5
card-kabu-5-c = Kabu 5
card-kabu-5-d = Kabu 5
card-kabu-6-a = Kabu 6
card-kabu-6-b = Kabu 6
card-kabu-6-c = Kabu 6
card-kabu-6-d = Kabu 6
card-kabu-7-a = Kabu 7
card-kabu-7-b = Kabu 7
card-kabu-7-c = Kabu 7
card-kabu-7-d = Kabu 7
card-kabu-8-a = Kabu 8
card-kabu-8-b = Kabu 8
card-kabu-8-c = Kabu 8
card-kabu-8-d = Kabu 8
card-kabu-9-a = Kabu 9
card-kabu-9-b = Kabu 9
card-kabu-9-c = Kabu 9
card-kabu-9-d = Kabu 9
card-kabu-10-a = Kabu 10
card-kabu-10-b = Kabu 10
card-kabu-10-c = Kabu 10
card-kabu-10-d = Kabu 10
card-C1 = Ace of Clubs
card-C2 = 2 of Clubs
card-C3 = 3 of Clubs
card-C4 = 4 of Clubs
card-C5 = 5 of Clubs
card-C6 = 6 of Clubs
card-C7 = 7 of Clubs
card-C8 = 8 of Clubs
card-C9 = 9 of Clubs
card-CJ = Jack of Clubs
card-CQ = Queen of Clubs
card-CK = King of Clubs
card-S1 = Ace of Spades
card-S2 = 2 of Spades
card-S3 = 3 of Spades
card-S4 = 4 of Spades
card-S5 = 5 of Spades
card-S6 = 6 of Spades
card-S7 = 7 of Spades
card-S8 = 8 of Spades
card-S9 = 9 of Spades
card-SJ = Jack of Spades
card-SQ = Queen of Spades
card-SK = King of Spades
card-H1 = Ace of Hearts
card-H2 = 2 of Hearts
card-H3 = 3 of Hearts
card-H4 = 4 of Hearts
card-H5 = 5 of Hearts
card-H6 = 6 of Hearts
card-H7 = 7 of Hearts
card-H8 = 8 of Hearts
card-H9 = 9 of Hearts
card-HJ = Jack of Hearts
card-HQ = Queen of Hearts
card-HK = King of Hearts
card-D1 = Ace of Diamonds
card-D2 = 2 of Diamonds
card-D3 = 3 of Diamonds
card-D4 = 4 of Diamonds
card-D5 = 5 of Diamonds
card-D6 = 6 of Diamonds
card-D7 = 7 of Diamonds
card-D8 = 8 of Diamonds
card-D9 = 9 of Diamonds
card-DJ = Jack of Diamonds
card-DQ = Queen of Diamonds
card-DK = King of Diamonds
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

## koikoi: problems, reasons and results of Koi-Koi

## kekoro: problems, reasons and results of Kekoro

## fishing: what Koi-Koi and Kekoro share

## kakkuri: problems, reasons and results of Kakkuri

## kingo: problems, reasons and results of Kingo

## replay: problems of records

## table: the table's history, moves, button presses

## referee: questions and notices of the referee and the readers

## store: the data folder, the log

## access: roles, invitations, PINs

## scan: pictures and scans, quality of photographs

## decks: deck enrollment and libraries

## watch: registering and watching a table

## devices: readers, buttons, displays, printers, the score receipt

## pages: texts of the pages only

## cli: texts of the commands
