"""Every colour of the window, in light and in dark, and the sizes that more than one place needs.

The palette, the style sheet and hand-painted rows all read these, so that nothing stays light in the dark. Contrast of each pair in
USED_PAIRS is at least 4.5:1, which a test computes. `border_strong` is decoration only.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tokens:
    """Colours as #RRGGBB."""

    name: str
    app: str
    sidebar: str
    panel: str
    raised: str
    hover: str
    border: str
    border_strong: str
    border_input: str
    text: str
    text2: str
    text3: str
    accent: str
    accent_hover: str
    accent_press: str
    on_accent: str
    accent_soft: str
    accent_text: str
    focus: str
    ok: str
    ok_soft: str
    warn: str
    warn_soft: str
    warn_edge: str
    bad: str
    bad_soft: str
    info: str
    info_soft: str
    add: str
    add_mark: str
    gone: str
    gone_mark: str
    scrim: str


LIGHT = Tokens(
    name="light",
    app="#F7F7F5",
    sidebar="#F1F1EE",
    panel="#FFFFFF",
    raised="#FBFBFA",
    hover="#ECECE8",
    border="#E6E6E1",
    border_strong="#D2D3CC",
    border_input="#8A8F8A",
    text="#1A1C1B",
    text2="#565B58",
    text3="#656A66",
    accent="#0B6B63",
    accent_hover="#095A53",
    accent_press="#074B45",
    on_accent="#FFFFFF",
    accent_soft="#E3F1EF",
    accent_text="#0B5F58",
    focus="#0B6B63",
    ok="#1A6B3C",
    ok_soft="#E4F3E9",
    warn="#855400",
    warn_soft="#FCF0D6",
    warn_edge="#D99A2B",
    bad="#AE261C",
    bad_soft="#FBE9E7",
    info="#2456A6",
    info_soft="#E7EEFA",
    add="#E9F6ED",
    add_mark="#CBEAD5",
    gone="#FCEDEB",
    gone_mark="#F6D0CB",
    scrim="#1A1C1B",
)

DARK = Tokens(
    name="dark",
    app="#151716",
    sidebar="#111312",
    panel="#1A1D1C",
    raised="#202423",
    hover="#242827",
    border="#2A2E2D",
    border_strong="#3B403E",
    border_input="#6E7572",
    text="#ECEEED",
    text2="#A9AFAC",
    text3="#969D9A",
    accent="#3FB5A6",
    accent_hover="#54C4B6",
    accent_press="#2F9E90",
    on_accent="#06201D",
    accent_soft="#18312E",
    accent_text="#7ADACD",
    focus="#54C4B6",
    ok="#7FD19B",
    ok_soft="#17301F",
    warn="#EBBE66",
    warn_soft="#352A12",
    warn_edge="#B98A2E",
    bad="#F3968E",
    bad_soft="#3A1E1C",
    info="#8DB4F2",
    info_soft="#1A2840",
    add="#15291C",
    add_mark="#22472F",
    gone="#2F1A19",
    gone_mark="#55292A",
    scrim="#000000",
)

SIDEBAR, LIST = 212, 372
INBOX_ROW, GROUP_ROW, TABLE_ROW, CONTROL, BAR, STEP_ROW = 84, 34, 38, 32, 54, 44
ICON = 16
WINDOW, LEAST = (1440, 900), (1100, 700)

# (foreground, background) as they meet on the screen
USED_PAIRS = (
    *(
        (front, back)
        for front in ("text", "text2", "text3")
        for back in ("app", "sidebar", "panel", "raised", "hover", "accent_soft")
    ),
    *(
        ("text", back)
        for back in ("add", "gone", "add_mark", "gone_mark", "warn_soft", "bad_soft", "ok_soft", "info_soft")
    ),
    *(("text2", back) for back in ("add", "gone", "warn_soft", "bad_soft", "ok_soft", "info_soft")),
    ("on_accent", "accent"),
    ("on_accent", "accent_hover"),
    ("accent_text", "accent_soft"),
    ("accent_text", "panel"),
    ("accent_text", "app"),
    ("accent_text", "raised"),
    ("accent_text", "hover"),
    *((tone, back) for tone in ("ok", "warn", "bad", "info") for back in ("panel", "app", "raised", "sidebar")),
    ("ok", "ok_soft"),
    ("warn", "warn_soft"),
    ("bad", "bad_soft"),
    ("info", "info_soft"),
    ("warn", "accent_soft"),
    ("bad", "accent_soft"),
    ("warn", "hover"),
    ("bad", "hover"),
    ("ok", "add"),
    ("bad", "gone"),
)
