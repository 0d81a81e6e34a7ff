#!/usr/bin/env bash
# Runs the tests of the core with the oldest or newest supported release of each main dependency, in a throw-away
# environment.
#
#   scripts/check_versions.sh oldest [TESTS ...]      the first releases within the bounds of pyproject.toml that have
#                                                     wheels for this Python, all at once
#   scripts/check_versions.sh newest [TESTS ...]      whatever the index has, within the upper bounds
#   scripts/check_versions.sh NAME==VERSION [...]     that release on top of the environment of $PYTHON
#
# PYTHON is the interpreter (default python3). The extras "serve" and "servers" come along; no framework does.
# TORCH=VERSION takes that release of torch instead, for an index that has only huge GPU builds of the others.
# KEEP=FOLDER makes the environment there and leaves it, so that the next run installs only what has changed.
# PREPARE=1 only resolves and installs.
set -euo pipefail

cd "$(dirname "$0")/.."
which="${1:?oldest, newest or NAME==VERSION}"
shift
python="${PYTHON:-python3}"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
environment="${KEEP:-$work/venv}"
"$python" -m venv "$environment"
pip=("$environment/bin/pip" install --quiet --disable-pip-version-check)
core=".[serve,servers]"
tools=(hypothesis pytest pytest-asyncio pytest-socket blockbuster)
torch="torch${TORCH:+==$TORCH}"

case "$which" in
    oldest)
        # pip always takes the newest; uv can take the lowest that fit together.
        "${pip[@]}" uv
        echo "$torch" >"$work/pinned.txt"
        "$environment/bin/uv" pip compile --quiet --python "$environment/bin/python" \
            --resolution lowest-direct --only-binary :all: --extra serve --extra servers \
            --constraint "$work/pinned.txt" pyproject.toml -o "$work/oldest.txt"
        "${pip[@]}" --constraint "$work/oldest.txt" --editable "$core" "${tools[@]}"
        ;;
    newest)
        "${pip[@]}" --upgrade --editable "$core" "${tools[@]}" "$torch"
        ;;
    *)
        "${pip[@]}" "$which"
        own=$("$environment/bin/python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
        rest=$("$python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
        # Behind the environment's own packages, so that the release asked for is found first.
        printf '%s\n' "$rest" "$PWD" "$PWD/integrations" >"$own/zz-rest.pth"
        ;;
esac
"$environment/bin/pip" list --disable-pip-version-check 2>/dev/null |
    grep -iE '^(numpy|scipy|scikit-learn|pydantic|pydantic-settings|torch|transformers|huggingface)' || true
[ -z "${PREPARE:-}" ] || exit 0

[ "$#" -gt 0 ] || set -- tests --ignore=tests/integrations --ignore=tests/tracing --ignore=tests/audit \
    --ignore=tests/evaluation --ignore=tests/report --ignore=tests/cli --ignore=tests/e2e/test_examples.py \
    --ignore=tests/e2e/test_baselines.py
# What other releases warn about is not ours to mend; plugins of other packages may not load with them at all.
PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 "$environment/bin/python" -m pytest -p pytest_asyncio.plugin -p pytest_socket \
    -p no:cacheprovider -W default "$@"
