"""The native helper module, which reads what Python cannot: built for one version of Python, when it is asked for.

Nothing in this package needs it while the package's own extension module loads; it is for hosts that bring their own bridge.
"""

import contextlib
import fcntl
import json
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from ge.passes import _artifact_utils as _artifacts
from ge.passes._native_source import SOURCE


def ensure_native_module():
    """The helper module: the one that is loaded, else one that is there for this interpreter, else one that is built."""
    loaded = sys.modules.get(_artifacts.NATIVE_MODULE_NAME)
    if loaded is not None:
        return loaded
    errors = []

    def load(artifact):
        return _artifacts.load_native_module(artifact.native_path)

    def prebuilt():
        artifact = _artifacts.find_prebuilt_artifact()
        return None if artifact is None else load(artifact)

    for what, find in (
        ("find_prebuilt_artifact", prebuilt),
        ("run_fallback_codegen", lambda: _there_or_built(load)),
    ):
        try:
            module = find()
            if module is not None:
                return module
        except (ImportError, OSError, RuntimeError, subprocess.SubprocessError) as error:
            errors.append(f"{what}: {error}")
    found = [f"{a.native_path} ({a.python_tag}, {a.platform_tag}, interface {a.abi})" for a in _artifacts.iter_artifacts()]
    raise ImportError(
        f"no native helper for {_artifacts.current_python_tag()} on {_artifacts.current_platform_tag()}, interface "
        f"{_artifacts.BRIDGE_ABI_VERSION}, below {_artifacts.artifacts_root()}; found: {', '.join(found) or 'none'}; "
        f"errors: {'; '.join(errors) or 'none'}",
        name=_artifacts.NATIVE_MODULE_NAME,
    )


def _compiler():
    name = next((n for n in ("CXX", "CC") if os.environ.get(n)), None)
    try:
        command = shlex.split(os.environ[name] if name else "") or ["cc"]
    except ValueError as error:
        raise RuntimeError(f"variable {name} is '{os.environ[name]}', which is no command: {error}") from error
    if shutil.which(command[0]) is None:
        raise RuntimeError(f"there is no compiler '{command[0]}' to build the native helper with; variable CXX names one")
    return command


@contextlib.contextmanager
def _locked(folder):
    with open(folder / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(lock, fcntl.LOCK_UN)


def run_fallback_codegen():
    """Builds the helper from the source that the package holds, into a folder of its own below artifacts_root, unless it is
    there; the artifact. One process builds, others wait for it."""
    return _there_or_built(lambda artifact: artifact)


def _there_or_built(use):
    """The result of `use` for the artifact in the folder for this interpreter. Only where there is none, or `use` fails because
    it is damaged, one is built."""
    root = _artifacts.artifacts_root()
    root.mkdir(parents=True, exist_ok=True)
    tags = _artifacts.current_python_tag(), _artifacts.current_platform_tag()
    target = root / "-".join(tags)
    with _locked(root):
        artifact = _artifacts.load_artifact_from_dir(target)
        if artifact is not None:
            with contextlib.suppress(ImportError, OSError):
                return use(artifact)
        work = Path(tempfile.mkdtemp(prefix=".build-", dir=root))
        try:
            _build(work, tags)
            shutil.rmtree(target, ignore_errors=True)
            os.replace(work, target)
        finally:
            shutil.rmtree(work, ignore_errors=True)
    artifact = _artifacts.load_artifact_from_dir(target)
    if artifact is None:
        raise RuntimeError(f"the native helper in {target} is not for this interpreter")
    return use(artifact)


def _build(work, tags):
    source, native = work / "_ge_pass_native.c", f"_ge_pass_native{sysconfig.get_config_var('EXT_SUFFIX')}"
    source.write_text(SOURCE)
    command = [*_compiler(), "-x", "c", "-O1", "-fPIC", "-shared", f"-I{sysconfig.get_paths()['include']}", str(source)]
    run = subprocess.run([*command, "-o", str(work / native)], capture_output=True, text=True, timeout=300)
    if run.returncode != 0:
        raise RuntimeError(f"{command[0]} cannot build the native helper: {run.stderr.strip()[-2000:]}")
    source.unlink()
    manifest = {
        "python_tag": tags[0],
        "platform": tags[1],
        "bridge_abi": _artifacts.BRIDGE_ABI_VERSION,
        "artifacts": {"bridge": native, "native": native},
    }
    (work / "manifest.json").write_text(json.dumps(manifest))
