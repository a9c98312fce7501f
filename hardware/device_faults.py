"""What goes wrong with a device: a code for programs, and for the person at the table what we saw and what to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from hardware.words import Said

__all__ = ["Fault", "FaultCode", "PortError"]

FaultCode = Literal[
    "not-plugged",
    "held",
    "forbidden",
    "no-such",
    "unreachable",
    "gone",
    "no-answer",
    "wrong-device",
    "stalled",
    "refused",
    "paper-out",
    "cover-open",
    "offline",
    "broken",
    "stuck",
    "no-usb",
]

_SENTENCES: Final[Mapping[FaultCode, Said]] = {
    "not-plugged": Said(
        "nothing is plugged in at {where}; plug the device in, or name the port where it is now",
        "{where} に何もつながっていません。機器を差し込むか、今のポートを指定してください",
        "{where}에 아무것도 연결되어 있지 않습니다. 장치를 꽂거나 현재 포트를 지정하세요",
    ),
    "held": Said(
        "another program is using {where}; close it (a serial monitor, a second companion) and it connects by itself",
        "{where} は別のプログラムが使っています。シリアルモニターなどを閉じると自動でつながります",
        "다른 프로그램이 {where}을(를) 사용 중입니다. 그 프로그램을 닫으면 자동으로 연결됩니다",
    ),
    "forbidden": Said(
        "this user may not open {where}; on Linux: sudo usermod -aG dialout $USER, then sign in again",
        "このユーザーは {where} を開けません。Linux では sudo usermod -aG dialout $USER のあと、ログインし直してください",
        "이 사용자는 {where}을(를) 열 수 없습니다. Linux에서는 sudo usermod -aG dialout $USER 후 다시 로그인하세요",
    ),
    "no-such": Said(
        "{where} cannot be opened as a port ({detail}); give a port, a by-id path or a socket:// address",
        "{where} はポートとして開けません（{detail}）。ポート名、by-id のパス、socket:// のアドレスを指定してください",
        "{where}은(는) 포트로 열 수 없습니다({detail}). 포트, by-id 경로 또는 socket:// 주소를 지정하세요",
    ),
    "unreachable": Said(
        "{where} does not let us in ({detail}); check that the other machine is on and its bridge is running",
        "{where} に接続できません（{detail}）。相手の機械の電源と中継プログラムを確かめてください",
        "{where}에 연결할 수 없습니다({detail}). 상대 기기의 전원과 중계 프로그램을 확인하세요",
    ),
    "gone": Said(
        "the connection at {where} broke off ({detail}); it is looked for until it is back",
        "{where} との接続が切れました（{detail}）。戻るまで探し続けます",
        "{where} 연결이 끊어졌습니다({detail}). 돌아올 때까지 계속 찾습니다",
    ),
    "no-answer": Said(
        "{where} is open, but the device does not answer; check its power, the crossing of TX and RX, and the baud rate {baud}",
        "{where} は開きましたが機器が応答しません。電源、TX と RX の配線、通信速度 {baud} を確かめてください",
        "{where}은(는) 열렸지만 장치가 응답하지 않습니다. 전원, TX/RX 배선, 통신 속도 {baud}을(를) 확인하세요",
    ),
    "wrong-device": Said(
        "what answers at {where} is no {driver}: it said {detail}; choose another driver or another port",
        "{where} の機器は {driver} ではありません（応答: {detail}）。ドライバーかポートを選び直してください",
        "{where}의 장치는 {driver}이(가) 아닙니다(응답: {detail}). 다른 드라이버나 포트를 선택하세요",
    ),
    "stalled": Said(
        "the device at {where} takes no more data; it is opened anew",
        "{where} の機器がデータを受け取りません。開き直します",
        "{where}의 장치가 데이터를 받지 않습니다. 다시 엽니다",
    ),
    "refused": Said(
        "the device at {where} refused what it was sent: {detail}",
        "{where} の機器が指示を受け付けませんでした: {detail}",
        "{where}의 장치가 명령을 거부했습니다: {detail}",
    ),
    "paper-out": Said(
        "the printer at {where} is out of paper; put in a new roll and print again",
        "{where} のプリンターは用紙切れです。新しいロール紙を入れて、もう一度印刷してください",
        "{where}의 프린터에 용지가 없습니다. 새 롤을 넣고 다시 인쇄하세요",
    ),
    "cover-open": Said(
        "the cover of the printer at {where} is open; close it and print again",
        "{where} のプリンターのカバーが開いています。閉じて、もう一度印刷してください",
        "{where}의 프린터 덮개가 열려 있습니다. 닫고 다시 인쇄하세요",
    ),
    "offline": Said(
        "the printer at {where} is switched offline; press its feed or online key and print again",
        "{where} のプリンターはオフラインです。紙送りかオンラインのボタンを押して、もう一度印刷してください",
        "{where}의 프린터가 오프라인입니다. 급지 또는 온라인 버튼을 누르고 다시 인쇄하세요",
    ),
    "broken": Said(
        "the printer at {where} reports a fault ({detail}); switch it off, look for jammed paper, and switch it on again",
        "{where} のプリンターが異常を知らせています（{detail}）。電源を切り、紙詰まりを確かめてから入れ直してください",
        "{where}의 프린터가 고장을 알립니다({detail}). 전원을 끄고 용지 걸림을 확인한 뒤 다시 켜세요",
    ),
    "stuck": Said(
        "the printer at {where} takes no more; look at its paper and its cover, and print again",
        "{where} のプリンターがデータを受け取りません。用紙とカバーを確かめて、もう一度印刷してください",
        "{where}의 프린터가 데이터를 받지 않습니다. 용지와 덮개를 확인하고 다시 인쇄하세요",
    ),
    "no-usb": Said(
        "a printer on USB needs the program's extra `printer` and libusb ({detail}): pip install 'hanafuda-companion[printer]'",
        "USB のプリンターには追加機能 printer と libusb が必要です（{detail}）: pip install 'hanafuda-companion[printer]'",
        "USB 프린터에는 추가 기능 printer와 libusb가 필요합니다({detail}): pip install 'hanafuda-companion[printer]'",
    ),
}


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that went wrong."""

    code: FaultCode
    says: Said

    @classmethod
    def of(cls, code: FaultCode, where: str, **values: object) -> Fault:
        """Return a fault with its sentence about the port ``where``."""
        return cls(code, _SENTENCES[code].about(where=where, **values))

    def to_dict(self) -> dict[str, Any]:
        """Return code and sentence, as JSON has them."""
        return {"code": self.code, "says": self.says.to_dict()}


class PortError(OSError):
    """A port that cannot be opened, or that broke off; `fault` says why."""

    def __init__(self, fault: Fault) -> None:
        self.fault = fault
        super().__init__(fault.says.en)
