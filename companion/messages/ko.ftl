# Korean texts of every message (Project Fluent). One entry per code; the same codes and variables in each language.
# JOSA($word, "은/는") gives the Korean particle that follows a word.

## general: words and list forms that every area uses

language-name = 한국어
list-two = { $first }, { $second }
list-middle = { $start }, { $next }
list-last = { $start }, { $last }
player = { $number }번
player-name = { $name }
points = { $count }점

## cards: card-<id>: the name of each card

card-pine-crane = 송학 광
card-pine-ribbon = 송학 홍단
card-pine-chaff-1 = 송학 피
card-pine-chaff-2 = 송학 피
card-plum-warbler = 매조 열끗
card-plum-ribbon = 매조 홍단
card-plum-chaff-1 = 매조 피
card-plum-chaff-2 = 매조 피
card-cherry-curtain = 벚꽃 광
card-cherry-ribbon = 벚꽃 홍단
card-cherry-chaff-1 = 벚꽃 피
card-cherry-chaff-2 = 벚꽃 피
card-wisteria-cuckoo = 흑싸리 열끗
card-wisteria-ribbon = 흑싸리 초단
card-wisteria-chaff-1 = 흑싸리 피
card-wisteria-chaff-2 = 흑싸리 피
card-iris-bridge = 난초 열끗
card-iris-ribbon = 난초 초단
card-iris-chaff-1 = 난초 피
card-iris-chaff-2 = 난초 피
card-peony-butterflies = 모란 열끗
card-peony-ribbon = 모란 청단
card-peony-chaff-1 = 모란 피
card-peony-chaff-2 = 모란 피
card-clover-boar = 홍싸리 열끗
card-clover-ribbon = 홍싸리 초단
card-clover-chaff-1 = 홍싸리 피
card-clover-chaff-2 = 홍싸리 피
card-susuki-moon = 공산 광
card-susuki-geese = 공산 열끗
card-susuki-chaff-1 = 공산 피
card-susuki-chaff-2 = 공산 피
card-chrysanthemum-sake = 국화 열끗
card-chrysanthemum-ribbon = 국화 청단
card-chrysanthemum-chaff-1 = 국화 피
card-chrysanthemum-chaff-2 = 국화 피
card-maple-deer = 단풍 열끗
card-maple-ribbon = 단풍 청단
card-maple-chaff-1 = 단풍 피
card-maple-chaff-2 = 단풍 피
card-willow-rainman = 비 광
card-willow-swallow = 비 열끗
card-willow-ribbon = 비 띠
card-willow-lightning = 비 쌍피
card-paulownia-phoenix = 오동 광
card-paulownia-yellow = 오동 쌍피
card-paulownia-chaff-1 = 오동 피
card-paulownia-chaff-2 = 오동 피
card-clubs-1 = 곤봉 1
card-clubs-2 = 곤봉 2
card-clubs-3 = 곤봉 3
card-clubs-4 = 곤봉 4
card-clubs-5 = 곤봉 5
card-clubs-6 = 곤봉 6
card-clubs-7 = 곤봉 7
card-clubs-8 = 곤봉 8
card-clubs-9 = 곤봉 9
card-clubs-10 = 곤봉 10
card-clubs-11 = 곤봉 11
card-clubs-12 = 곤봉 12
card-swords-1 = 검 1
card-swords-2 = 검 2
card-swords-3 = 검 3
card-swords-4 = 검 4
card-swords-5 = 검 5
card-swords-6 = 검 6
card-swords-7 = 검 7
card-swords-8 = 검 8
card-swords-9 = 검 9
card-swords-10 = 검 10
card-swords-11 = 검 11
card-swords-12 = 검 12
card-cups-1 = 컵 1
card-cups-2 = 컵 2
card-cups-3 = 컵 3
card-cups-4 = 컵 4
card-cups-5 = 컵 5
card-cups-6 = 컵 6
card-cups-7 = 컵 7
card-cups-8 = 컵 8
card-cups-9 = 컵 9
card-cups-10 = 컵 10
card-cups-11 = 컵 11
card-cups-12 = 컵 12
card-coins-1 = 금화 1
card-coins-2 = 금화 2
card-coins-3 = 금화 3
card-coins-4 = 금화 4
card-coins-5 = 금화 5
card-coins-6 = 금화 6
card-coins-7 = 금화 7
card-coins-8 = 금화 8
card-coins-9 = 금화 9
card-coins-10 = 금화 10
card-coins-11 = 금화 11
card-coins-12 = 금화 12
card-onifuda = 오니후다(도깨비)
card-kabu-1-a = 가부 1(빨강)
card-kabu-1-b = 가부 1
card-kabu-1-c = 가부 1
card-kabu-1-d = 가부 1
card-kabu-2-a = 가부 2
card-kabu-2-b = 가부 2
card-kabu-2-c = 가부 2
card-kabu-2-d = 가부 2
card-kabu-3-a = 가부 3
card-kabu-3-b = 가부 3
card-kabu-3-c = 가부 3
card-kabu-3-d = 가부 3
card-kabu-4-a = 가부 4(은색)
card-kabu-4-b = 가부 4
card-kabu-4-c = 가부 4
card-kabu-4-d = 가부 4
card-kabu-5-a = 가부 5
card-kabu-5-b = 가부 5
card-kabu-5-c = 가부 5
card-kabu-5-d = 가부 5
card-kabu-6-a = 가부 6
card-kabu-6-b = 가부 6
card-kabu-6-c = 가부 6
card-kabu-6-d = 가부 6
card-kabu-7-a = 가부 7
card-kabu-7-b = 가부 7
card-kabu-7-c = 가부 7
card-kabu-7-d = 가부 7
card-kabu-8-a = 가부 8
card-kabu-8-b = 가부 8
card-kabu-8-c = 가부 8
card-kabu-8-d = 가부 8
card-kabu-9-a = 가부 9
card-kabu-9-b = 가부 9
card-kabu-9-c = 가부 9
card-kabu-9-d = 가부 9
card-kabu-10-a = 가부 10
card-kabu-10-b = 가부 10
card-kabu-10-c = 가부 10
card-kabu-10-d = 가부 10
card-C1 = 곤봉 1
card-C2 = 곤봉 2
card-C3 = 곤봉 3
card-C4 = 곤봉 4
card-C5 = 곤봉 5
card-C6 = 곤봉 6
card-C7 = 곤봉 7
card-C8 = 곤봉 8
card-C9 = 곤봉 9
card-CJ = 곤봉 10
card-CQ = 곤봉 11
card-CK = 곤봉 12
card-S1 = 스페이드 A
card-S2 = 스페이드 2
card-S3 = 스페이드 3
card-S4 = 스페이드 4
card-S5 = 스페이드 5
card-S6 = 스페이드 6
card-S7 = 스페이드 7
card-S8 = 스페이드 8
card-S9 = 스페이드 9
card-SJ = 스페이드 J
card-SQ = 스페이드 Q
card-SK = 스페이드 K
card-H1 = 하트 A
card-H2 = 하트 2
card-H3 = 하트 3
card-H4 = 하트 4
card-H5 = 하트 5
card-H6 = 하트 6
card-H7 = 하트 7
card-H8 = 하트 8
card-H9 = 하트 9
card-HJ = 하트 J
card-HQ = 하트 Q
card-HK = 하트 K
card-D1 = 다이아몬드 A
card-D2 = 다이아몬드 2
card-D3 = 다이아몬드 3
card-D4 = 다이아몬드 4
card-D5 = 다이아몬드 5
card-D6 = 다이아몬드 6
card-D7 = 다이아몬드 7
card-D8 = 다이아몬드 8
card-D9 = 다이아몬드 9
card-DJ = 다이아몬드 J
card-DQ = 다이아몬드 Q
card-DK = 다이아몬드 K
card-back = 뒷면 패

## yaku: yaku-<slug>: the name of each yaku, dealt hand and rank

yaku-five-brights = 오광
yaku-four-brights = 사광
yaku-rainy-four-brights = 비사광
yaku-three-brights = 삼광
yaku-flower-viewing = 꽃구경 한잔
yaku-moon-viewing = 달구경 한잔
yaku-boar-deer-butterfly = 멧돼지·사슴·나비
yaku-animals = 열끗
yaku-poetry-ribbons = 홍단
yaku-blue-ribbons = 청단
yaku-poetry-and-blue = 홍단·청단
yaku-ribbons = 띠
yaku-chaff = 피
yaku-month-cards = 이달의 패
yaku-four-of-a-kind = 총통
yaku-four-pairs = 네 쌍
yaku-kirishima = 기리시마
yaku-gundari = 군다리
yaku-goroju = 고로주
yaku-sangoro = 산고로
yaku-goshiroku = 고시로쿠
yaku-shichigosan = 시치고산
yaku-kumano = 구마노
yaku-yashima = 야시마
yaku-nakazo = 나카조
yaku-ebi = 에비
yaku-shimozan = 시모잔
yaku-deu = 데우
yaku-kirishima-ribbons = 기리시마 띠
yaku-gundari-ribbons = 군다리 띠
yaku-goroju-ribbons = 고로주 띠
yaku-sangoro-ribbons = 산고로 띠
yaku-goshiroku-ribbons = 고시로쿠 띠
yaku-shichigosan-ribbons = 시치고산 띠
yaku-kumano-ribbons = 구마노 띠
yaku-yashima-ribbons = 야시마 띠
yaku-nakazo-ribbons = 나카조 띠
yaku-shinshichihachi = 신시치하치
yaku-jushichihachi = 주시치하치
yaku-ebi-ribbons = 에비 띠
yaku-shimozan-ribbons = 시모잔 띠
yaku-deu-ribbons = 데우 띠
yaku-kingo = 긴고
yaku-arashi = 아라시
yaku-goshita-gomai = 고시타고마이
yaku-ittan-juuroku = 잇탄주로쿠
yaku-shippin = 싯핀
yaku-kuppin = 굿핀
yaku-shigoro = 시고로
yaku-fifteen = 십오
yaku-goppin = 곳핀
yaku-below = 십사 이하
yaku-bareta = 바레타

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
