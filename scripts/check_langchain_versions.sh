#!/usr/bin/env bash
# Runs the LangChain tests that need nothing but langchain-core with its oldest and newest supported release,
# in throw-away environments without langchain, langgraph, langchain-huggingface and LlamaIndex.
#
#   scripts/check_langchain_versions.sh [VERSION ...]     e.g. 1.0.0 1.4.0 newest
#
# All other packages come from the environment of the python that is called (PYTHON, default .venv/bin/python).
set -euo pipefail

cd "$(dirname "$0")/.."
python=$(realpath -s "${PYTHON:-.venv/bin/python}")
site=$("$python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Everything that is installed except for the frameworks.
mkdir "$scratch/rest"
for entry in "$site"/*; do
    case $(basename "$entry") in
        lang* | llama_* | openinference* | arize* | phoenix* | mlflow* | pip | pip-* | *.pth) ;;
        *) ln -s "$entry" "$scratch/rest/" ;;
    esac
done

tests=tests/integrations/langchain
for version in "${@:-1.0.0 newest}"; do
    for one in $version; do
        wanted="langchain-core>=1,<2"
        [ "$one" = newest ] || wanted="langchain-core==$one"
        "$python" -m venv "$scratch/$one"
        "$scratch/$one/bin/pip" install --quiet --disable-pip-version-check "$wanted"
        own=$("$scratch/$one/bin/python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
        printf '%s\n' "$scratch/rest" "$PWD" "$PWD/integrations" >"$own/rest.pth"
        "$scratch/$one/bin/python" -c 'import langchain_core; print("langchain-core", langchain_core.__version__)'
        "$scratch/$one/bin/python" -m pytest -p no:cacheprovider \
            $tests/test_lc_guardrail.py $tests/test_lc_streaming.py $tests/test_lc_handler.py \
            $tests/test_lc_reasking.py $tests/test_lc_prompts.py $tests/test_lc_package.py
    done
done
