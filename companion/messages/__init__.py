"""The texts of every message, one Project Fluent file per language, and how a message becomes a sentence.

A new language is one new file, ``xx.ftl``, with the codes of ``en.ftl``. The texts of ``administration.ftl``, for
administrators, are in English only.
"""

from companion.messages.catalog import (
    DEFAULT_LANGUAGE,
    LANGUAGES,
    best_language,
    catalog_source,
    error_text,
    language_name,
    render,
    render_all,
    with_texts,
)

__all__ = [
    "DEFAULT_LANGUAGE",
    "LANGUAGES",
    "best_language",
    "catalog_source",
    "error_text",
    "language_name",
    "render",
    "render_all",
    "with_texts",
]
