# Japanese texts of every message (Project Fluent). One entry per code; the same codes and variables in each language.
# Entries are in sections by area; add a message to its area's section, in all languages.

## general: words and list forms that every area uses

language-name = 日本語
list-two = { $first }と{ $second }
list-middle = { $start }、{ $next }
list-last = { $start }、{ $last }
player = { $number }番
player-name = { $name }
points = { $count }点

## cards: card-<id>: the name of each card

card-pine-crane = 松に鶴
card-pine-ribbon = 松に赤短
card-pine-chaff-1 = 松のカス
card-pine-chaff-2 = 松のカス
card-plum-warbler = 梅に鶯
card-plum-ribbon = 梅に赤短
card-plum-chaff-1 = 梅のカス
card-plum-chaff-2 = 梅のカス
card-cherry-curtain = 桜に幕
card-cherry-ribbon = 桜に赤短
card-cherry-chaff-1 = 桜のカス
card-cherry-chaff-2 = 桜のカス
card-wisteria-cuckoo = 藤に不如帰
card-wisteria-ribbon = 藤に短冊
card-wisteria-chaff-1 = 藤のカス
card-wisteria-chaff-2 = 藤のカス
card-iris-bridge = 菖蒲に八橋
card-iris-ribbon = 菖蒲に短冊
card-iris-chaff-1 = 菖蒲のカス
card-iris-chaff-2 = 菖蒲のカス
card-peony-butterflies = 牡丹に蝶
card-peony-ribbon = 牡丹に青短
card-peony-chaff-1 = 牡丹のカス
card-peony-chaff-2 = 牡丹のカス
card-clover-boar = 萩に猪
card-clover-ribbon = 萩に短冊
card-clover-chaff-1 = 萩のカス
card-clover-chaff-2 = 萩のカス
card-susuki-moon = 芒に月
card-susuki-geese = 芒に雁
card-susuki-chaff-1 = 芒のカス
card-susuki-chaff-2 = 芒のカス
card-chrysanthemum-sake = 菊に盃
card-chrysanthemum-ribbon = 菊に青短
card-chrysanthemum-chaff-1 = 菊のカス
card-chrysanthemum-chaff-2 = 菊のカス
card-maple-deer = 紅葉に鹿
card-maple-ribbon = 紅葉に青短
card-maple-chaff-1 = 紅葉のカス
card-maple-chaff-2 = 紅葉のカス
card-willow-rainman = 柳に小野道風
card-willow-swallow = 柳に燕
card-willow-ribbon = 柳に短冊
card-willow-lightning = 柳に雷
card-paulownia-phoenix = 桐に鳳凰
card-paulownia-yellow = 桐のカス（黄）
card-paulownia-chaff-1 = 桐のカス
card-paulownia-chaff-2 = 桐のカス
card-clubs-1 = ハウの一
card-clubs-2 = ハウの二
card-clubs-3 = ハウの三
card-clubs-4 = ハウの四
card-clubs-5 = ハウの五
card-clubs-6 = ハウの六
card-clubs-7 = ハウの七
card-clubs-8 = ハウの八
card-clubs-9 = ハウの九
card-clubs-10 = ハウの十
card-clubs-11 = ハウの十一
card-clubs-12 = ハウの十二
card-swords-1 = イスの一
card-swords-2 = イスの二
card-swords-3 = イスの三
card-swords-4 = イスの四
card-swords-5 = イスの五
card-swords-6 = イスの六
card-swords-7 = イスの七
card-swords-8 = イスの八
card-swords-9 = イスの九
card-swords-10 = イスの十
card-swords-11 = イスの十一
card-swords-12 = イスの十二
card-cups-1 = コップの一
card-cups-2 = コップの二
card-cups-3 = コップの三
card-cups-4 = コップの四
card-cups-5 = コップの五
card-cups-6 = コップの六
card-cups-7 = コップの七
card-cups-8 = コップの八
card-cups-9 = コップの九
card-cups-10 = コップの十
card-cups-11 = コップの十一
card-cups-12 = コップの十二
card-coins-1 = オウルの一
card-coins-2 = オウルの二
card-coins-3 = オウルの三
card-coins-4 = オウルの四
card-coins-5 = オウルの五
card-coins-6 = オウルの六
card-coins-7 = オウルの七
card-coins-8 = オウルの八
card-coins-9 = オウルの九
card-coins-10 = オウルの十
card-coins-11 = オウルの十一
card-coins-12 = オウルの十二
card-onifuda = 鬼札
card-kabu-1-a = 株札の一（赤）
card-kabu-1-b = 株札の一
card-kabu-1-c = 株札の一
card-kabu-1-d = 株札の一
card-kabu-2-a = 株札の二
card-kabu-2-b = 株札の二
card-kabu-2-c = 株札の二
card-kabu-2-d = 株札の二
card-kabu-3-a = 株札の三
card-kabu-3-b = 株札の三
card-kabu-3-c = 株札の三
card-kabu-3-d = 株札の三
card-kabu-4-a = 株札の四（銀）
card-kabu-4-b = 株札の四
card-kabu-4-c = 株札の四
card-kabu-4-d = 株札の四
card-kabu-5-a = 株札の五
card-kabu-5-b = 株札の五
card-kabu-5-c = 株札の五
card-kabu-5-d = 株札の五
card-kabu-6-a = 株札の六
card-kabu-6-b = 株札の六
card-kabu-6-c = 株札の六
card-kabu-6-d = 株札の六
card-kabu-7-a = 株札の七
card-kabu-7-b = 株札の七
card-kabu-7-c = 株札の七
card-kabu-7-d = 株札の七
card-kabu-8-a = 株札の八
card-kabu-8-b = 株札の八
card-kabu-8-c = 株札の八
card-kabu-8-d = 株札の八
card-kabu-9-a = 株札の九
card-kabu-9-b = 株札の九
card-kabu-9-c = 株札の九
card-kabu-9-d = 株札の九
card-kabu-10-a = 株札の十
card-kabu-10-b = 株札の十
card-kabu-10-c = 株札の十
card-kabu-10-d = 株札の十
card-C1 = クラブのA
card-C2 = クラブの2
card-C3 = クラブの3
card-C4 = クラブの4
card-C5 = クラブの5
card-C6 = クラブの6
card-C7 = クラブの7
card-C8 = クラブの8
card-C9 = クラブの9
card-CJ = クラブのJ
card-CQ = クラブのQ
card-CK = クラブのK
card-S1 = スペードのA
card-S2 = スペードの2
card-S3 = スペードの3
card-S4 = スペードの4
card-S5 = スペードの5
card-S6 = スペードの6
card-S7 = スペードの7
card-S8 = スペードの8
card-S9 = スペードの9
card-SJ = スペードのJ
card-SQ = スペードのQ
card-SK = スペードのK
card-H1 = ハートのA
card-H2 = ハートの2
card-H3 = ハートの3
card-H4 = ハートの4
card-H5 = ハートの5
card-H6 = ハートの6
card-H7 = ハートの7
card-H8 = ハートの8
card-H9 = ハートの9
card-HJ = ハートのJ
card-HQ = ハートのQ
card-HK = ハートのK
card-D1 = ダイヤのA
card-D2 = ダイヤの2
card-D3 = ダイヤの3
card-D4 = ダイヤの4
card-D5 = ダイヤの5
card-D6 = ダイヤの6
card-D7 = ダイヤの7
card-D8 = ダイヤの8
card-D9 = ダイヤの9
card-DJ = ダイヤのJ
card-DQ = ダイヤのQ
card-DK = ダイヤのK
card-back = 裏向きの札

## yaku: yaku-<slug>: the name of each yaku, dealt hand and rank

yaku-five-brights = 五光
yaku-four-brights = 四光
yaku-rainy-four-brights = 雨四光
yaku-three-brights = 三光
yaku-flower-viewing = 花見で一杯
yaku-moon-viewing = 月見で一杯
yaku-boar-deer-butterfly = 猪鹿蝶
yaku-animals = タネ
yaku-poetry-ribbons = 赤短
yaku-blue-ribbons = 青短
yaku-poetry-and-blue = 赤短・青短の重複
yaku-ribbons = タン
yaku-chaff = カス
yaku-month-cards = 月札
yaku-four-of-a-kind = 手四
yaku-four-pairs = くっつき
yaku-kirishima = 霧島
yaku-gundari = グンダリ
yaku-goroju = 御老中
yaku-sangoro = 三五六
yaku-goshiroku = 五四六
yaku-shichigosan = 七五三
yaku-kumano = 熊野サン
yaku-yashima = 八島
yaku-nakazo = 仲蔵
yaku-ebi = 海老
yaku-shimozan = 下三
yaku-deu = 出雨
yaku-kirishima-ribbons = 短の霧島
yaku-gundari-ribbons = 短のグンダリ
yaku-goroju-ribbons = 短の御老中
yaku-sangoro-ribbons = 短の三五六
yaku-goshiroku-ribbons = 短の五四六
yaku-shichigosan-ribbons = 短の七五三
yaku-kumano-ribbons = 短の熊野サン
yaku-yashima-ribbons = 短の八島
yaku-nakazo-ribbons = 短の仲蔵
yaku-shinshichihachi = 四七八
yaku-jushichihachi = 十七八
yaku-ebi-ribbons = 短の海老
yaku-shimozan-ribbons = 短の下三
yaku-deu-ribbons = 短の出雨
yaku-kingo = きんご
yaku-arashi = あらし
yaku-goshita-gomai = 五下五枚
yaku-ittan-juuroku = いったん十六
yaku-shippin = 四一
yaku-kuppin = 九一
yaku-shigoro = シゴロ
yaku-fifteen = 十五
yaku-goppin = 五一
yaku-below = 十四以下
yaku-bareta = バレタ

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
