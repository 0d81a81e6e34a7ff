"""Language models run by transformers: hub ids, folders, and GGUF files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from franq_guard.errors import InputError, ModelError
from franq_guard.models.base import (
    FloatArray,
    Generation,
    Prompt,
    TokenDistributions,
    Tokens,
    TokenScores,
)
from franq_guard.models.batching import batches
from franq_guard.models.chat_tokenizer import ChatTokenizer
from franq_guard.models.decoding import Pick, Written, decode, greedy, sampler
from franq_guard.models.distributions import Distributions, assemble_distributions
from franq_guard.models.packed import decode_behind
from franq_guard.models.prefix_cache import PrefixCache
from franq_guard.models.quiet import without_progress_bars
from franq_guard.models.stretches import Stretch, stretches
from franq_guard.models.teacher_forcing import Pair, TeacherForcing
from franq_guard.runtime.device import capacity, resolve_device, resolve_dtype
from franq_guard.runtime.locks import ForkLock

_END_OF_TURN = ("<|im_end|>", "<|eot_id|>", "<end_of_turn>", "<|end|>")


class TransformersLM:
    """A causal language model on cuda, mps or cpu. Safe to share between threads.

    Args:
        model: folder or hub id, already fetched or fetchable.
        id: names the weights, the same in every process.
        revision: hub revision.
        gguf_file: name of a GGUF file inside `model`; it is de-quantised on loading.
        device: "cuda", "cuda:0", "mps", "cpu"; None picks the best there is.
        dtype: "float32", "bfloat16", "float16"; None picks by device.
        batch_tokens: most padded tokens in one forward pass; None for what suits the device.
        logit_values: most logits (positions x vocabulary) held at once; None for what suits the device.

    Raises:
        ModelError: if the weights cannot be loaded.
    """

    def __init__(
        self,
        model: str | Path,
        *,
        id: str | None = None,
        revision: str | None = None,
        gguf_file: str | None = None,
        device: str | None = None,
        dtype: str | None = None,
        batch_tokens: int | None = None,
        logit_values: int | None = None,
    ) -> None:
        from transformers import AutoModelForCausalLM, AutoTokenizer

        self._id = id or str(model)
        self.device = resolve_device(device)
        number_format = resolve_dtype(dtype, self.device)
        options: dict[str, Any] = {"revision": revision or "main", "trust_remote_code": False}
        if gguf_file is not None:
            options["gguf_file"] = gguf_file
        try:
            self._tokenizer: Any = AutoTokenizer.from_pretrained(str(model), **options)
            with without_progress_bars():
                loaded: Any = AutoModelForCausalLM.from_pretrained(
                    str(model), dtype=number_format, output_loading_info=True, **options
                )
        except Exception as error:  # loaders raise OSError, ValueError, KeyError, SafetensorError, ...
            raise ModelError(
                f"cannot load the language model {self._id!r}: {error}. Check the name or path; "
                "`franq-guard models pull` fetches weights ahead of time"
            ) from error
        self._model: Any = loaded[0]
        if missing := sorted(loaded[1]["missing_keys"]):
            raise ModelError(
                f"the weights of {self._id!r} lack {missing[:3]}: this is not a causal language model, or a "
                "damaged one"
            )
        self._adopt(batch_tokens, logit_values)

    @classmethod
    def from_loaded(
        cls, model: Any, tokenizer: Any, *, id: str, batch_tokens: int | None = None
    ) -> TransformersLM:
        """Shares a transformers model that the application has already loaded.

        Args:
            model: a causal language model, on its device.
            tokenizer: its fast tokeniser.
            id: names the weights.
            batch_tokens: most padded tokens in one forward pass; None for what suits the device.
        """
        self = cls.__new__(cls)
        self._id = id
        self._model, self._tokenizer = model, tokenizer
        self.device = str(model.device)
        self._adopt(batch_tokens, None)
        return self

    def _adopt(self, batch_tokens: int | None, logit_values: int | None) -> None:
        if not self._tokenizer.is_fast:
            raise ModelError(
                f"{self._id!r} has no fast tokeniser; character offsets need one (tokenizer.json)"
            )
        if str(self._model.device) != self.device:
            self._model.to(self.device)
        self._model.eval()
        self._lock = ForkLock()
        liked = capacity(self.device)
        self.batch_tokens = batch_tokens or liked.batch_tokens
        self._text = ChatTokenizer(self._tokenizer)
        self._end_ids = self._find_end_ids()
        self._prefixes = PrefixCache(self._model) if PrefixCache.supports(self._model) else None
        self._forcing = TeacherForcing(
            self._model,
            prefixes=self._prefixes,
            lock=self._lock,
            device=self.device,
            pad_id=self._pad_id,
            batch_tokens=self.batch_tokens,
            logit_values=logit_values or liked.logit_values,
            pass_overhead=liked.pass_overhead,
        )

    def _find_end_ids(self) -> tuple[int, ...]:
        found: set[int] = set()
        for value in (self._tokenizer.eos_token_id, self._model.generation_config.eos_token_id):
            found.update([value] if isinstance(value, int) else value or [])
        vocabulary = self._tokenizer.get_vocab()
        found.update(vocabulary[token] for token in _END_OF_TURN if token in vocabulary)
        return tuple(sorted(found))

    @property
    def id(self) -> str:
        """Names the weights."""
        return self._id

    @property
    def max_context(self) -> int:
        """Most tokens the model can attend to, prompt and answer together."""
        config = self._model.config.get_text_config()
        return int(getattr(config, "max_position_embeddings", None) or 2048)

    def tokenize(self, text: str) -> Tokens:
        """Tokenises an answer; text that looks like a special token is plain text."""
        return self._text.tokenize(text)

    def prompt_ids(self, prompt: Prompt) -> list[int]:
        """Token ids of a prompt, up to where the model starts to answer."""
        return self._text.prompt_ids(prompt)

    def score(self, requests: Sequence[tuple[Prompt, Tokens]]) -> list[TokenScores]:
        """Log-probabilities of each answer under its prompt, by teacher forcing.

        An answer that does not fit the context behind its prompt is scored in stretches, each behind the
        prompt and the tokens just before it (`TokenScores.stretches` > 1).

        Raises:
            InputError: if a prompt alone leaves no room for an answer.
        """
        return self._scored(requests, self._forcing.score)

    def score_growing(self, requests: Sequence[tuple[Prompt, Tokens]]) -> list[TokenScores]:
        """As `score`, for answers that are still being written: only tokens that are new are read.

        What was read is kept for a while, within bounds, for the next call with a longer answer.

        Raises:
            InputError: as `score`.
        """
        return self._scored(requests, self._forcing.score_growing)

    def read_ahead(self, prompts: Sequence[Prompt]) -> None:
        """Reads prompts that will soon be asked for; those that leave no room for an answer are left out."""
        rows = [self.prompt_ids(prompt) for prompt in prompts]
        self._forcing.read_ahead([row for row in rows if 0 < len(row) < self.max_context])

    def _scored(
        self,
        requests: Sequence[tuple[Prompt, Tokens]],
        score: Callable[[list[Pair]], list[FloatArray]],
    ) -> list[TokenScores]:
        plan = self._plan(requests)
        scored = score([(stretch.prompt, stretch.targets) for stretch in plan])
        pieces: list[list[FloatArray]] = [[] for _ in requests]
        for stretch, log_probs in zip(plan, scored, strict=True):
            pieces[stretch.request].append(log_probs[stretch.skip :])
        return [
            TokenScores(tokens, np.concatenate(found) if found else np.zeros(0), stretches=max(1, len(found)))
            for (_, tokens), found in zip(requests, pieces, strict=True)
        ]

    def distributions(
        self, requests: Sequence[tuple[Prompt, Tokens]], *, top: int = 10
    ) -> list[TokenDistributions]:
        """Entropy and likeliest alternatives of every token, from the same forward pass as its score.

        Args:
            requests: prompts and answers; as for `score`.
            top: how many alternatives, at least 1.

        Raises:
            InputError: as `score`, or if `top` is less than 1.
        """
        if top < 1:
            raise InputError(f"needs at least one alternative, got top={top}")
        plan = self._plan(requests)
        found = self._forcing.look(
            [(stretch.prompt, stretch.targets) for stretch in plan], [stretch.skip for stretch in plan], top
        )
        pieces: list[list[Distributions]] = [[] for _ in requests]
        for stretch, one in zip(plan, found, strict=True):
            pieces[stretch.request].append(one)
        return [
            assemble_distributions(tokens, parts, self._text.text_of)
            for (_, tokens), parts in zip(requests, pieces, strict=True)
        ]

    def _plan(self, requests: Sequence[tuple[Prompt, Tokens]]) -> list[Stretch]:
        rendered = {prompt: self.prompt_ids(prompt) for prompt in dict.fromkeys(p for p, _ in requests)}
        return [
            stretch
            for number, (prompt, tokens) in enumerate(requests)
            for stretch in stretches(
                number, rendered[prompt], tokens.ids, room=self.max_context - len(rendered[prompt])
            )
        ]

    def forget(self) -> None:
        """Drops the prompts that were read."""
        if self._prefixes is not None:
            with self._lock:
                self._prefixes.clear()

    @property
    def _pad_id(self) -> int:
        pad = self._tokenizer.pad_token_id
        return int(pad if pad is not None else self._end_ids[0] if self._end_ids else 0)

    def generate(self, prompts: Sequence[Prompt], *, max_new_tokens: int = 256) -> list[Generation]:
        """Greedy decoding, batched by length; order is kept.

        Raises:
            InputError: if a prompt leaves no room for an answer.
        """
        rows = [self.prompt_ids(prompt) for prompt in prompts]
        results: list[Generation | None] = [None] * len(rows)
        lengths = [len(row) + max_new_tokens for row in rows]
        for batch in batches(lengths, budget=self.batch_tokens):
            written = self._decode([rows[i] for i in batch], max_new_tokens, pick=greedy)
            for index, text in zip(batch, written, strict=True):
                results[index] = self._generation(text)
        return [result for result in results if result is not None]

    def sample(
        self,
        prompt: Prompt,
        *,
        n: int = 10,
        temperature: float = 1.0,
        top_k: int = 50,
        top_p: float = 1.0,
        max_new_tokens: int = 64,
        seed: int | None = None,
    ) -> list[Generation]:
        """Draws `n` answers to one prompt in one batch that reads the prompt once.

        The same seed gives the same answers on the same machine. The global random state stays as it is.

        Raises:
            InputError: if a setting is out of range, or the prompt leaves no room for an answer.
        """
        if n < 1 or temperature <= 0 or top_k < 0 or not 0 < top_p <= 1:
            raise InputError(
                "sampling needs n >= 1, temperature > 0, top_k >= 0 and top_p in (0, 1], "
                f"not n={n}, temperature={temperature}, top_k={top_k}, top_p={top_p}"
            )
        pick = sampler(temperature=temperature, top_k=top_k, top_p=top_p, seed=seed, device=self.device)
        written = self._decode([self.prompt_ids(prompt)], max_new_tokens, pick=pick, copies=n)
        return [self._generation(text) for text in written]

    def _decode(
        self, rows: Sequence[list[int]], max_new_tokens: int, *, pick: Pick, copies: int = 1
    ) -> list[Written]:
        import torch

        longest = max(len(row) for row in rows)
        if longest >= self.max_context:
            raise InputError(
                f"the prompt has {longest} tokens; {self._id!r} can see {self.max_context}. "
                "Give fewer or shorter passages"
            )
        options: dict[str, Any] = {
            "pick": pick,
            "end_ids": frozenset(self._end_ids),
            "max_new_tokens": min(max_new_tokens, self.max_context - longest),
            "copies": copies,
        }
        with self._lock, torch.inference_mode():
            if len(rows) == 1 and self._prefixes is not None:
                prefix = self._prefixes.read(rows[0])
                cache = self._prefixes.copy(prefix)
                return decode_behind(self._model, cache, prefix.logits, **options)
            ids, mask = self._forcing.pad_left(rows)
            return decode(self._model, ids, mask, **options)

    def _generation(self, written: Written) -> Generation:
        tokens = self._text.locate(written.ids)
        log_probs = np.asarray(written.log_probs, dtype=np.float64)
        return Generation(tokens.text, TokenScores(tokens, log_probs), written.end_log_prob)
