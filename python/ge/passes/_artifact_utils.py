"""Native helper modules of this package that are built for one version of Python.

The package's own extension module serves every version with a stable interface, so none is shipped; an interpreter that it
cannot serve gets one from here.
"""

from pathlib import Path
from typing import Iterator, Optional

from ge._internal import artifact_utils as _common
from ge._internal.artifact_utils import PythonArtifact, current_platform_tag, current_python_tag  # noqa: F401

BRIDGE_ABI_VERSION = 1
NATIVE_MODULE_NAME = "ge.passes._ge_pass_native"


def artifacts_root() -> Path:
    """The folder with a manifest for each module."""
    return Path(__file__).parent / "python_pass_artifacts"


def iter_artifacts(root=None) -> Iterator[PythonArtifact]:
    """The artifacts that manifests below the folder describe."""
    return _common.iter_artifacts(artifacts_root() if root is None else root, _common.load_bridge_artifact_manifest)


def find_prebuilt_artifact() -> Optional[PythonArtifact]:
    """The one for this interpreter, if there is one."""
    return _common.find_compatible_artifact(iter_artifacts(), BRIDGE_ABI_VERSION)


def load_artifact_from_dir(folder) -> Optional[PythonArtifact]:
    """The artifact that the manifest of one folder describes; None when it is broken or for another interpreter."""
    manifest = Path(folder) / "manifest.json"
    artifact = _common.load_bridge_artifact_manifest(manifest)
    return None if artifact is None else _common.find_compatible_artifact([artifact], BRIDGE_ABI_VERSION)


def load_native_module(path):
    """Loads the helper module from a file."""
    return _common.load_module_from_path(NATIVE_MODULE_NAME, path)
