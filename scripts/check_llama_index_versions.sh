#!/usr/bin/env bash
# Runs the LlamaIndex tests with the oldest and the newest supported llama-index-core, each in a virtual
# environment of its own that has no LangChain. The embedded models' weights must be cached or fetchable.
#
# usage: scripts/check_llama_index_versions.sh [VERSION ...]      "newest" is a version too
#        PYTHON=python3.12 scripts/check_llama_index_versions.sh 0.13.0
set -euo pipefail
cd "$(dirname "$0")/.."

oldest="$(sed -n 's/^llama-index = \["llama-index-core>=\([0-9.]*\),.*/\1/p' pyproject.toml)"
case "$oldest" in *.*.*) ;; *.*) oldest="$oldest.0" ;; *) echo "no lower bound in pyproject.toml" >&2; exit 2 ;; esac
[ "$#" -gt 0 ] || set -- "$oldest" newest

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

# Pins of the framework itself would decide the outcome; everything else stays as tested.
grep -viE '^(llama|langchain|langgraph|langsmith|openinference|tenacity)' constraints.txt > "$work/constraints.txt"

for version in "$@"; do
    echo "== llama-index-core $version"
    environment="$work/$version"
    "${PYTHON:-python3}" -m venv "$environment"
    core="llama-index-core==$version"
    [ "$version" != newest ] || core="llama-index-core"
    "$environment/bin/pip" install --quiet --constraint "$work/constraints.txt" --editable ".[llama-index]" \
        "$core" llama-index-llms-huggingface blockbuster hypothesis pytest pytest-asyncio pytest-socket
    "$environment/bin/python" - <<'PYTHON'
import importlib.util, importlib.metadata
assert importlib.util.find_spec("langchain_core") is None, "LangChain came along"
print("found", importlib.metadata.version("llama-index-core"))
PYTHON
    # What old releases warn about is not ours to mend.
    "$environment/bin/python" -m pytest tests/integrations/llama_index tests/retrieval \
        -W default
done
