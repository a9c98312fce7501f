"""Dates and times of evenings as text."""

from __future__ import annotations

from datetime import datetime
from typing import Final

_DAYS_JA: Final = "月火水木金土日"


def weekday_ja(day: datetime) -> str:
    """Return the Japanese character of a weekday."""
    return _DAYS_JA[day.weekday()]


def evening_date(began: datetime, ended: datetime, language: str) -> str:
    """Return the date of an evening and the times of its start and end, in local time."""
    hours = f"{began:%H:%M}–{ended:%H:%M}"
    if language == "ja":
        return f"{began.year}年{began.month}月{began.day}日（{weekday_ja(began)}）{hours}"
    if language == "ko":
        return f"{began.year}년 {began.month}월 {began.day}일 {hours}"
    return f"{began:%a} {began.day} {began:%b %Y}, {hours}"
