"""Native helper modules that are built for one Python each: manifests say which one a file is for."""

import importlib.machinery
import importlib.util
import json
import platform
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Iterable, Iterator, Optional


@dataclass(frozen=True)
class PythonArtifact:
    """A helper module that was found, and what it is built for."""

    root: Path
    manifest_path: Path
    python_tag: str
    platform_tag: str
    abi: int
    native_path: Path
    bridge_path: Optional[Path] = None


def current_python_tag() -> str:
    """Of the running interpreter, as in the names of wheels: "cp311"."""
    return f"cp{sys.version_info[0]}{sys.version_info[1]}"


def current_platform_tag() -> str:
    """Of the running machine: "linux-x86_64"."""
    return f"{sys.platform}-{platform.machine()}"


def iter_manifest_paths(root) -> Iterator[Path]:
    """manifest.json of the folder itself, then of each folder in it by name."""
    root = Path(root)
    if (root / "manifest.json").is_file():
        yield root / "manifest.json"
    if root.is_dir():
        for child in sorted(root.iterdir(), key=lambda p: p.name):
            if (child / "manifest.json").is_file():
                yield child / "manifest.json"


def load_manifest_json(path) -> Optional[dict]:
    """The content of a manifest; None when it is broken."""
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return content if isinstance(content, dict) else None


def _load(path, abi_key, needs_bridge):
    path = Path(path)
    content = load_manifest_json(path)
    files = content.get("artifacts") if content else None
    if not isinstance(files, dict):
        return None
    tags = content.get("python_tag"), content.get("platform")
    abi, native, bridge = content.get(abi_key), files.get("native"), files.get("bridge")
    if not all(isinstance(tag, str) for tag in tags) or type(abi) is not int or not isinstance(native, str):
        return None
    native_path = path.parent / native
    bridge_path = path.parent / bridge if isinstance(bridge, str) else None
    if not native_path.is_file() or (needs_bridge and (bridge_path is None or not bridge_path.is_file())):
        return None
    return PythonArtifact(path.parent, path, *tags, abi, native_path, bridge_path)


def load_native_artifact_manifest(path) -> Optional[PythonArtifact]:
    """The artifact that a manifest with the key native_abi describes; None when it is broken or its file is missing."""
    return _load(path, "native_abi", False)


def load_bridge_artifact_manifest(path) -> Optional[PythonArtifact]:
    """The same with the key bridge_abi; both files must be there."""
    return _load(path, "bridge_abi", True)


def iter_artifacts(root, load_manifest: Callable) -> Iterator[PythonArtifact]:
    """All that the manifests below a folder describe; broken ones are left out."""
    for path in iter_manifest_paths(root):
        artifact = load_manifest(path)
        if artifact is not None:
            yield artifact


def find_compatible_artifact(artifacts: Iterable[PythonArtifact], abi_version) -> Optional[PythonArtifact]:
    """The first one that is for this interpreter, this machine and this version of the interface."""
    wanted = current_python_tag(), current_platform_tag(), abi_version
    return next((a for a in artifacts if (a.python_tag, a.platform_tag, a.abi) == wanted), None)


def load_module_from_path(module_name, module_path):
    """Loads an extension module from a file, under a name."""
    loader = importlib.machinery.ExtensionFileLoader(module_name, str(module_path))
    spec = importlib.util.spec_from_file_location(module_name, str(module_path), loader=loader)
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module
    try:
        loader.exec_module(module)
    except BaseException:
        sys.modules.pop(module_name, None)
        raise
    return module
