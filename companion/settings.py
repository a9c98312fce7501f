"""Settings of the server: `settings.toml` in the data folder, overridden by environment variables `COMPANION_…` and by options.

Everything has a safe default, so a household never needs the file. Whatever their source, values are checked here.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
)

from companion.hanafuda.errors import BadRequestError, did_you_mean, nearest
from companion.redaction import redacted

SETTINGS_FILE: Final = "settings.toml"
_PREFIX: Final = "COMPANION_"
_OTHER_VARIABLES: Final = frozenset(
    {"TOKEN", "CAMERA", "PARENT", "MQTT_BROKER", "MQTT_USER", "MQTT_PASSWORD"}
)
"""Environment variables `COMPANION_…` that are options of commands."""
_MAX_BYTES: Final = 2**14
"""Maximum size of the settings file: reading tables in tables takes time quadratic in it."""
_VALUE_CHARACTERS: Final = 60
"""How much of a wrong value an error quotes, characters."""


class SettingsError(BadRequestError):
    """Raised if the settings file, an environment variable or an option has an invalid value."""

    code = "bad-settings"


def _database(address: str) -> str:
    """Return the address of a PostgreSQL database. Raises `ValueError` for other texts; its parts are checked when it is opened."""
    if not address.startswith(("postgresql://", "postgres://")):
        raise ValueError
    return address


def _tuple(value: object) -> object:
    """Return a list as a tuple; an environment variable contains it as JSON. Raises `ValueError` for other texts."""
    try:
        parsed = json.loads(value) if isinstance(value, str) else value
    except RecursionError:  # lists in lists without an end
        raise ValueError from None
    return tuple(parsed) if isinstance(parsed, list) else parsed


class Settings(BaseModel):
    """Settings of one server; `Settings.load` reads them. The text in each annotation is what errors call allowed."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    read: Annotated[
        Literal["everyone", "paired"],
        '"everyone" or "paired"',
        Field(description="Who may watch live tables without pairing."),
    ] = "everyone"
    proxies: Annotated[
        int,
        "a whole number from 0 to 10",
        Field(ge=0, le=10, description="Number of reverse proxies in front of the server that are trusted."),
    ] = 0
    hosts: Annotated[
        tuple[Annotated[str, StringConstraints(pattern=r"^[^\s/:@]+$")], ...],
        'a list of names without scheme and port, such as ["cards.home.example"]',
        BeforeValidator(_tuple),
        Field(description="Further host names under which browsers may reach the server."),
    ] = ()
    mdns: Annotated[
        bool,
        "true or false",
        Field(description="Announce the server in the network as hanafuda.local."),
    ] = True
    store: Annotated[
        Annotated[str, AfterValidator(_database)] | None,
        "the address of a PostgreSQL database, postgresql://USER@HOST/NAME",
        Field(description="The PostgreSQL database that several servers share, postgresql://USER@HOST/NAME."),
    ] = None
    metrics: Annotated[bool, "true or false", Field(description="Serve Prometheus metrics at /metrics.")] = (
        False
    )

    @classmethod
    def load(cls, folder: Path) -> Settings:
        """Return the settings of a data folder; raises `SettingsError` for a bad file or variable."""
        path = folder / SETTINGS_FILE
        of_file = cls.check(_read(path), f"{path}: ", strict=True)
        variables = {
            name.removeprefix(_PREFIX): value
            for name, value in os.environ.items()
            if name.startswith(_PREFIX) and value
        }
        given = {
            name.lower(): value
            for name, value in variables.items()
            # Kubernetes sets COMPANION_PORT and others for a service of this name: only likely mistakes are errors.
            if name.lower() in cls.model_fields
            or (name not in _OTHER_VARIABLES and nearest(name, cls.model_fields))
        }
        of_environment = cls.check(given, f"environment variable {_PREFIX}")
        return of_file.model_copy(update=of_environment.model_dump(exclude_unset=True))

    @classmethod
    def check(cls, values: Mapping[str, object], source: str, *, strict: bool = False) -> Settings:
        """Return the settings with these values; raises `SettingsError` with the key, the value and what is allowed.

        ``source``: begins the error's sentence; keys after an environment variable's prefix are in capitals. ``strict``: values have their
        types already; otherwise they may be texts.
        """
        try:
            return cls.model_validate(dict(values), strict=strict)
        except ValidationError as error:
            keys = dict.fromkeys(str(each["loc"][0]) for each in error.errors(include_input=False))
        faults = (cls._fault(key, values[key], source) for key in keys)
        raise SettingsError("; ".join(faults))

    @classmethod
    def _fault(cls, key: str, value: object, source: str) -> str:
        """Return the sentence for a wrong key or value."""
        prefix = _PREFIX if source.endswith(_PREFIX) else ""
        names = {each: f"{prefix}{each.upper()}" if prefix else each for each in (key, *cls.model_fields)}
        name = f"{source.removesuffix(prefix)}{_short(names.pop(key))}"
        if (field := cls.model_fields.get(key)) is None:
            similar = tuple(names[each] for each in nearest(key, names))
            return f"{name} is not a setting{did_you_mean(similar) or '; there are ' + ', '.join(names.values())}"
        allowed = next(each for each in field.metadata if isinstance(each, str))
        return f"{name} = {_quoted(value)} is not allowed: it must be {allowed}"


def _read(path: Path) -> dict[str, Any]:
    """Return what the settings file contains. Raises `SettingsError` if it cannot be read."""
    try:
        with path.open("rb") as file:
            content = file.read(_MAX_BYTES + 1)
        if len(content) > _MAX_BYTES:
            raise ValueError(f"it is larger than {_MAX_BYTES // 2**10} kB")
        return tomllib.loads(content.decode())
    except (FileNotFoundError, NotADirectoryError):  # the log reports a folder that is none
        return {}
    except RecursionError:  # lists in lists without an end
        reason = "its values are nested too deeply"
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    raise SettingsError(f"cannot read {path}: {redacted(reason)}")


def _quoted(value: object) -> str:
    """Return a value for an error message, shortened, without passwords."""
    try:
        return _short(redacted(json.dumps(value, ensure_ascii=False, default=str)))
    except (
        ValueError,
        RecursionError,
    ):  # a number of thousands of digits, or tables in tables without an end
        return "(too long)"


def _short(text: str) -> str:
    return text if len(text) <= _VALUE_CHARACTERS else f"{text[: _VALUE_CHARACTERS - 1]}…"
