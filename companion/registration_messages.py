"""What registering and watching a table finds, in sentences for the person at the table, English and Japanese."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from companion.hanafuda.messages import Message
from companion.hanafuda.rules import Text

__all__ = ["SENTENCES", "say"]

#: By the code of a `vision.geometry.registration.registration_findings.Finding`, with places for its figures.
SENTENCES: Final[Mapping[str, Message]] = {
    "no-markers": Text(
        "No corner marks were found in this picture. Print them with `companion mat` and lay them out in good light, or give four corners"
        " with --corners and --size.",
        "四隅の印が見つかりません。companion mat で印刷して明るい所に置くか、--corners と --size で四隅を指定してください。",
    ),
    "few-markers": Text(
        "Only {count} of the four corner marks can be seen. Move hands, cards and glare off the others, or the camera back until they"
        " are in the picture.",
        "四隅の印のうち{count}個しか見えません。手や札や照り返しをよけるか、全部が写るようにカメラを離してください。",
    ),
    "two-mats": Text(
        "Marks of two mats are in the picture, so which table is meant is not clear. Cover or take away one of the mats.",
        "二枚のマットの印が写っています。どちらの卓か分からないので、一枚を片づけてください。",
    ),
    "markers-disagree": Text(
        "The corner marks do not lie where one flat mat has them. Lay the mat flat, and check that it is one sheet, printed whole.",
        "印の位置が一枚の平らなマットと合いません。マットを平らに敷き、一枚に印刷したものか確かめてください。",
    ),
    "markers-crossed": Text(
        "The four corner cards lie in the wrong order. Each has its place printed on it: far left, far right, near right, near left.",
        "四隅の札の順が違います。左奥・右奥・右手前・左手前と印刷されたとおりに置いてください。",
    ),
    "corners-crossed": Text(
        "These four corners make no rectangle. Give them clockwise: far left, far right, near right, near left.",
        "この四点では四角形になりません。左奥・右奥・右手前・左手前の順（時計回り）に指定してください。",
    ),
    "size-unlikely": Text(
        "No camera over a table sees a rectangle of that size so: it would look {tilt:.0f}° from straight down. Check the size (width"
        " first) and the order of the corners.",
        "その大きさの四角形がこう写るカメラ位置はありません（傾き{tilt:.0f}°）。大きさ（幅が先）と四隅の順を確かめてください。",
    ),
    "few-cards": Text(
        "{seen} whole cards were seen, and {needed} are needed to register by cards. Spread some more cards over the table, none"
        " covering another.",
        "全体が見える札は{seen}枚です。札で合わせるには{needed}枚要ります。重ならないように卓に広げてください。",
    ),
    "cards-uncertain": Text(
        "The cards lie too close together to tell the scale everywhere (it may be {percent:.0f} % off). Spread them to the table's corners.",
        "札が近すぎて全体の縮尺が決まりません（{percent:.0f}%ずれるかもしれません）。卓の四隅まで広げてください。",
    ),
    "cards-disagree": Text(
        "The cards seen are not all of one size on one flat table ({mm:.1f} mm apart on average). Lay them flat, or use the printed mat.",
        "見えた札が平らな卓の同じ大きさの札として揃いません（平均{mm:.1f}mmのずれ）。平らに置くか、印刷したマットを使ってください。",
    ),
    "marker-hidden": Text("Corner mark {markers} is hidden.", "印{markers}が隠れています。"),
    "marker-astray": Text(
        "Corner mark {markers} does not lie where it should: is the mat bent there, or the card shifted?",
        "印{markers}の位置がずれています。マットが曲がったか、札が動いていませんか。",
    ),
    "cards-small": Text(
        "A card is {px:.0f} px wide where it is smallest. That will do; 60 px is comfortable: bring the camera nearer, or take a larger"
        " picture.",
        "札の幅は小さい所で{px:.0f}pxです。読めますが、60pxあると楽です。カメラを近づけるか、解像度を上げてください。",
    ),
    "cards-too-small": Text(
        "The far cards are too small: {px:.0f} px wide at the far edge, and at least 28 are needed. Bring the camera nearer, raise it, or take a"
        " larger picture.",
        "奥の札が小さすぎます（幅{px:.0f}px、28px以上必要）。カメラを近づけるか、高くするか、解像度を上げてください。",
    ),
    "tilted": Text(
        "The camera looks {tilt:.0f}° from straight down. Up to 60° the view is rectified; at more, piles hide what lies behind them.",
        "カメラが真上から{tilt:.0f}°傾いています。60°までは補正しますが、それ以上では山の陰の札が隠れます。",
    ),
    "blurred": Text(
        "The picture is blurred: edges are {mm:.1f} mm wide. Focus the camera on the table, or hold it still.",
        "写真がぼけています（輪郭の幅{mm:.1f}mm）。卓にピントを合わせるか、カメラを固定してください。",
    ),
    "dark": Text(
        "The picture is dark: white paper has {level:.0f} % of full brightness. Give more light, or a longer exposure.",
        "写真が暗いです（白い紙の明るさ{level:.0f}%）。明かりを足すか、露出を上げてください。",
    ),
    "bright": Text(
        "The picture is too bright: white paper is burnt out. Give a shorter exposure.",
        "写真が明るすぎて白が飛んでいます。露出を下げてください。",
    ),
    "glare": Text(
        "A lamp glares on {percent:.0f} % of the table. Move the lamp or the camera, until no mirror image of it lies on the cards.",
        "卓の{percent:.0f}%が照り返しています。照明かカメラをずらしてください。",
    ),
    "uneven": Text(
        "The light is uneven: one corner is {ratio:.1f} times as bright as another. Light the table from both sides.",
        "明るさにむらがあります（隅どうしで{ratio:.1f}倍）。両側から照らしてください。",
    ),
    "colour-cast": Text(
        "The light has a strong colour. The white patches correct it; fix the camera's white balance if it has one.",
        "照明の色が強いです。白い四角で補正しますが、カメラの白色調整を固定するとなお良いです。",
    ),
    "table-cut": Text(
        "Part of the table is outside the picture. Cards there are not seen.",
        "卓の一部が写っていません。そこの札は見えません。",
    ),
    "steady": Text(
        "Camera and table stand as they were registered (within {mm:.1f} mm).",
        "カメラと卓は合わせたときのままです（ずれ{mm:.1f}mm）。",
    ),
    "moved-little": Text(
        "Camera or table moved by {mm:.1f} mm since they were registered. It can still be read; calibrate again when convenient.",
        "合わせたときからカメラか卓が{mm:.1f}mm動きました。まだ読めますが、折を見て合わせ直してください。",
    ),
    "moved": Text(
        "Camera or table moved by {mm:.0f} mm since they were registered. Calibrate again.",
        "合わせたときからカメラか卓が{mm:.0f}mm動きました。合わせ直してください。",
    ),
    "turned": Text(
        "The camera was turned or put elsewhere: the table lies {mm:.0f} mm from where it was. Calibrate again.",
        "カメラの向きか場所が変わりました（{mm:.0f}mmのずれ）。合わせ直してください。",
    ),
    "lost": Text(
        "The corner marks are gone: the table is covered or dark, or the camera looks elsewhere.",
        "四隅の印が見えません。隠れているか、暗いか、カメラの向きが変わっています。",
    ),
    "other-size": Text(
        "This picture has {now} px, and the table was registered with {was} px. Use the same camera setting, or calibrate again.",
        "写真の大きさは{now}pxですが、合わせたときは{was}pxでした。同じ設定にするか、合わせ直してください。",
    ),
    "nothing-to-watch": Text(
        "This table was registered without corner marks, so whether the camera moved cannot be told. Print them with `companion mat`.",
        "印を使わずに合わせたので、動いたかどうかは分かりません。companion mat の印を使ってください。",
    ),
}


def say(code: str, figures: Mapping[str, float | str]) -> Message:
    """Say what was found."""
    sentence = SENTENCES[code]
    return Text(sentence.en.format(**figures), sentence.ja.format(**figures))
