"""Settings of the server: `settings.toml` in the data folder, overridden by environment variables `COMPANION_…`.

Everything has a safe default, so a household never needs the file.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from companion.hanafuda.errors import BadRequestError

SETTINGS_FILE: Final = "settings.toml"


class SettingsError(BadRequestError):
    """Raised if the settings file or an environment variable has an invalid value."""

    code = "bad-settings"


class Settings(BaseSettings):
    """Settings of one server; `Settings.load` reads them."""

    model_config = SettingsConfigDict(env_prefix="COMPANION_", extra="forbid", frozen=True)

    read: Annotated[
        Literal["everyone", "paired"], Field(description="Who may watch live tables without pairing.")
    ] = "everyone"
    proxies: Annotated[
        int,
        Field(ge=0, le=10, description="Number of reverse proxies in front of the server that are trusted."),
    ] = 0
    hosts: Annotated[
        tuple[str, ...], Field(description="Further host names under which browsers may reach the server.")
    ] = ()
    mdns: Annotated[bool, Field(description="Announce the server in the network as hanafuda.local.")] = True
    store: Annotated[
        str | None,
        Field(description="The PostgreSQL database that several servers share, postgresql://USER@HOST/NAME."),
    ] = None
    metrics: Annotated[bool, Field(description="Serve Prometheus metrics at /metrics.")] = False

    @classmethod
    def load(cls, folder: Path) -> Settings:
        """Return the settings of a data folder; raises `SettingsError` for a bad file or variable."""
        path = folder / SETTINGS_FILE
        try:
            values: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
        except (FileNotFoundError, NotADirectoryError):  # the log reports a folder that is none
            values = {}
        except (OSError, ValueError) as error:
            raise SettingsError(f"cannot read {path}: {error}") from error
        try:
            return cls(**values)
        except ValidationError as error:
            first = error.errors()[0]
            key = ".".join(str(part) for part in first["loc"])
            raise SettingsError(f"{path} or COMPANION_{key.upper()}: {key}: {first['msg']}") from error

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Let environment variables win over the file."""
        return env_settings, init_settings
