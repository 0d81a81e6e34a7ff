"""Language models run by transformers: hub ids, folders, and GGUF files."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from franq_guard.errors import InputError, ModelError
from franq_guard.models.base import FloatArray, Generation, Prompt, Tokens, TokenScores
from franq_guard.models.batching import batches
from franq_guard.models.text import neutralise, offsets_from_prefixes, readable
from franq_guard.runtime.device import resolve_device, resolve_dtype

# Answers longer than the model's context are scored in stretches; each sees this share of it as prefix.
_STRETCH_OVERLAP = 0.25
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
        batch_tokens: most padded tokens in one forward pass.
        logit_values: most logits (positions x vocabulary) held at once in one forward pass.

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
        batch_tokens: int = 8192,
        logit_values: int = 2**27,
    ) -> None:
        from transformers import AutoModelForCausalLM, AutoTokenizer

        self._id = id or str(model)
        self.device = resolve_device(device)
        options: dict[str, Any] = {"revision": revision or "main", "trust_remote_code": False}
        if gguf_file is not None:
            options["gguf_file"] = gguf_file
        try:
            self._tokenizer: Any = AutoTokenizer.from_pretrained(str(model), **options)
            self._model: Any = AutoModelForCausalLM.from_pretrained(
                str(model), dtype=resolve_dtype(dtype, self.device), **options
            )
        except (OSError, ValueError, RuntimeError, KeyError, ImportError) as error:
            raise ModelError(
                f"cannot load the language model {self._id!r}: {error}. Check the name or path; "
                "`franq-guard models pull` fetches weights ahead of time"
            ) from error
        self._adopt(batch_tokens, logit_values)

    @classmethod
    def from_loaded(cls, model: Any, tokenizer: Any, *, id: str, batch_tokens: int = 8192) -> TransformersLM:
        """Shares a transformers model that the application has already loaded.

        Args:
            model: a causal language model, on its device.
            tokenizer: its fast tokeniser.
            id: names the weights.
            batch_tokens: most padded tokens in one forward pass.
        """
        self = cls.__new__(cls)
        self._id = id
        self._model, self._tokenizer = model, tokenizer
        self.device = str(model.device)
        self._adopt(batch_tokens, 2**27)
        return self

    def _adopt(self, batch_tokens: int, logit_values: int) -> None:
        if not self._tokenizer.is_fast:
            raise ModelError(
                f"{self._id!r} has no fast tokeniser; character offsets need one (tokenizer.json)"
            )
        if str(self._model.device) != self.device:
            self._model.to(self.device)
        self._model.eval()
        self._lock = threading.Lock()
        self._batch_tokens = batch_tokens
        self._logit_values = logit_values
        self._keeps_logits = "logits_to_keep" in inspect.signature(self._model.forward).parameters
        self._special_tokens = tuple(str(token) for token in self._tokenizer.added_tokens_decoder.values())
        self._end_ids = self._find_end_ids()

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

    def count_tokens(self, text: str) -> int:
        """Number of tokens of `text`."""
        return len(self.tokenize(text).ids)

    def tokenize(self, text: str) -> Tokens:
        """Tokenises an answer; text that looks like a special token is plain text."""
        with self._lock:
            encoded = self._tokenizer(
                readable(text),
                add_special_tokens=False,
                return_offsets_mapping=True,
                split_special_tokens=True,
                verbose=False,
            )
        offsets = np.asarray(encoded["offset_mapping"], dtype=np.int64).reshape(-1, 2)
        return Tokens(text, tuple(encoded["input_ids"]), offsets)

    def prompt_ids(self, prompt: Prompt) -> list[int]:
        """Token ids of a prompt, up to where the model starts to answer.

        The chat template writes its own start token; without a template the tokeniser adds it.
        """
        user = neutralise(prompt.user, self._special_tokens)
        system = neutralise(prompt.system, self._special_tokens) if prompt.system else None
        with self._lock:
            if self._tokenizer.chat_template is None:
                text = f"{system}\n\n{user}\n\nAnswer:" if system else f"{user}\n\nAnswer:"
                return list(self._tokenizer(text, verbose=False)["input_ids"])
            text = self._render(system, user)
            return list(self._tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"])

    def _render(self, system: str | None, user: str) -> str:
        import jinja2

        # A fixed date: templates that print today's would change the numbers from day to day.
        fixed: dict[str, Any] = {
            "add_generation_prompt": True,
            "tokenize": False,
            "date_string": "26 Jul 2024",
        }
        turn = {"role": "user", "content": user}
        if system is None:
            return str(self._tokenizer.apply_chat_template([turn], **fixed))
        try:
            messages = [{"role": "system", "content": system}, turn]
            return str(self._tokenizer.apply_chat_template(messages, **fixed))
        except jinja2.TemplateError:  # some templates know no system role
            turn = {"role": "user", "content": f"{system}\n\n{user}"}
            return str(self._tokenizer.apply_chat_template([turn], **fixed))

    def score(self, requests: Sequence[tuple[Prompt, Tokens]]) -> list[TokenScores]:
        """Log-probabilities of each answer under its prompt, by teacher forcing.

        An answer that does not fit the context behind its prompt is scored in stretches, each behind the
        prompt and the tokens just before it (`TokenScores.stretches` > 1).

        Raises:
            InputError: if a prompt alone leaves no room for an answer.
        """
        stretches: list[tuple[int, list[int], tuple[int, ...], int]] = []
        rendered: dict[Prompt, list[int]] = {}
        for position, (prompt, tokens) in enumerate(requests):
            if prompt not in rendered:
                rendered[prompt] = self.prompt_ids(prompt)
            for prefix, targets, skip in self._stretches(rendered[prompt], tokens.ids):
                stretches.append((position, prefix, targets, skip))
        scored = self._score_ids([(prefix, targets) for _, prefix, targets, _ in stretches])
        pieces: list[list[FloatArray]] = [[] for _ in requests]
        for (position, _, _, skip), log_probs in zip(stretches, scored, strict=True):
            pieces[position].append(log_probs[skip:])
        return [
            TokenScores(tokens, np.concatenate(found) if found else np.zeros(0), stretches=max(1, len(found)))
            for (_, tokens), found in zip(requests, pieces, strict=True)
        ]

    def _stretches(
        self, prompt: list[int], ids: tuple[int, ...]
    ) -> list[tuple[list[int], tuple[int, ...], int]]:
        room = self.max_context - len(prompt)
        if not ids:
            return []
        if room < min(len(ids), 16):
            raise InputError(
                f"the prompt takes {len(prompt)} of the {self.max_context} tokens that {self._id!r} can see; "
                "give fewer or shorter passages, or a model with a longer context"
            )
        if len(ids) <= room:
            return [(prompt, ids, 0)]
        overlap = int(room * _STRETCH_OVERLAP)
        found = [(prompt, ids[:room], 0)]
        start = room
        while start < len(ids):
            end = min(start + room - overlap, len(ids))
            found.append((prompt, ids[start - overlap : end], overlap))
            start = end
        return found

    def _score_ids(self, pairs: Sequence[tuple[list[int], tuple[int, ...]]]) -> list[FloatArray]:
        """Log-probabilities of the second ids behind the first, batched by length."""
        vocabulary = self._model.config.get_text_config().vocab_size
        per_batch = max(1, self._logit_values // vocabulary)
        results: list[FloatArray] = [np.zeros(0)] * len(pairs)
        lengths = [len(prefix) + len(targets) for prefix, targets in pairs]
        targets_of = [len(targets) for _, targets in pairs]
        for batch in batches(lengths, budget=self._batch_tokens, extra=targets_of, extra_budget=per_batch):
            for index, log_probs in zip(batch, self._forward([pairs[i] for i in batch]), strict=True):
                results[index] = log_probs
        return results

    def _forward(self, pairs: Sequence[tuple[list[int], tuple[int, ...]]]) -> list[FloatArray]:
        import torch

        rows = [[*prefix, *targets] for prefix, targets in pairs]
        ids, mask = self._pad_left(rows)
        keep = max(len(targets) for _, targets in pairs) + 1
        options: dict[str, Any] = {"logits_to_keep": keep} if self._keeps_logits else {}
        positions = (mask.cumsum(-1) - 1).clamp(min=0)
        with self._lock, torch.inference_mode():
            logits = self._model(
                input_ids=ids, attention_mask=mask, position_ids=positions, use_cache=False, **options
            ).logits[:, -keep:]
            found = []
            for row, (_, targets) in enumerate(pairs):
                # The logits before a token predict it: drop the last position.
                rows_logits = logits[row, -len(targets) - 1 : -1].float()
                wanted = torch.tensor(targets, device=logits.device)[:, None]
                picked = rows_logits.gather(-1, wanted)[:, 0] - rows_logits.logsumexp(-1)
                found.append(picked.clamp(max=0.0).double().cpu().numpy())
        if not all(np.isfinite(log_probs).all() for log_probs in found):
            raise ModelError(f"{self._id!r} gave log-probabilities that are not finite; try dtype='float32'")
        return found

    def _pad_left(self, rows: Sequence[list[int]]) -> tuple[Any, Any]:
        import torch

        width = max(len(row) for row in rows)
        pad = self._tokenizer.pad_token_id
        fill = pad if pad is not None else self._end_ids[0] if self._end_ids else 0
        ids = torch.full((len(rows), width), fill, dtype=torch.long)
        mask = torch.zeros((len(rows), width), dtype=torch.long)
        for index, row in enumerate(rows):
            ids[index, width - len(row) :] = torch.tensor(row)
            mask[index, width - len(row) :] = 1
        return ids.to(self.device), mask.to(self.device)

    def generate(self, prompts: Sequence[Prompt], *, max_new_tokens: int = 256) -> list[Generation]:
        """Greedy decoding, batched by length; order is kept."""
        rows = [self.prompt_ids(prompt) for prompt in prompts]
        results: list[Generation | None] = [None] * len(rows)
        lengths = [len(row) + max_new_tokens for row in rows]
        for batch in batches(lengths, budget=self._batch_tokens):
            written = self._generate_ids([rows[i] for i in batch], max_new_tokens, do_sample=False)
            for index, generation in zip(batch, self._finish([rows[i] for i in batch], written), strict=True):
                results[index] = generation
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
        """Draws `n` answers to one prompt in one batch; the same seed gives the same answers.

        Raises:
            InputError: if `n` or `temperature` is not positive.
        """
        if n < 1 or temperature <= 0:
            raise InputError(
                f"sampling needs n >= 1 and temperature > 0, not n={n}, temperature={temperature}"
            )
        row = self.prompt_ids(prompt)
        options = {"temperature": temperature, "top_k": top_k, "top_p": top_p, "num_return_sequences": n}
        written = self._generate_ids([row], max_new_tokens, do_sample=True, seed=seed, **options)
        return self._finish([row] * n, written)

    def _generate_ids(
        self, rows: Sequence[list[int]], max_new_tokens: int, *, seed: int | None = None, **options: Any
    ) -> list[list[int]]:
        import torch

        longest = max(len(row) for row in rows)
        if longest >= self.max_context:
            raise InputError(
                f"the prompt has {longest} tokens; {self._id!r} can see {self.max_context}. "
                "Give fewer or shorter passages"
            )
        ids, mask = self._pad_left(rows)
        devices = [self.device] if self.device.startswith("cuda") else []
        with self._lock, torch.inference_mode(), torch.random.fork_rng(devices=devices):
            torch.manual_seed(seed) if seed is not None else torch.seed()
            output = self._model.generate(
                input_ids=ids,
                attention_mask=mask,
                max_new_tokens=min(max_new_tokens, self.max_context - longest),
                eos_token_id=list(self._end_ids),
                pad_token_id=self._end_ids[0],
                **options,
            )
        return [row[ids.shape[1] :].tolist() for row in output]

    def _finish(self, rows: Sequence[list[int]], written: Sequence[list[int]]) -> list[Generation]:
        """Cuts at the end token and scores what is left under the untempered distribution."""
        cut: list[tuple[list[int], int | None]] = []
        for ids in written:
            stop = next((i for i, token in enumerate(ids) if token in self._end_ids), None)
            cut.append((ids, None) if stop is None else (ids[:stop], ids[stop]))
        targets = [tuple(ids) if end is None else (*ids, end) for ids, end in cut]
        scored = self._score_ids(list(zip(rows, targets, strict=True)))
        generations = []
        for (ids, end), log_probs in zip(cut, scored, strict=True):
            tokens = self._locate(ids)
            scores = TokenScores(tokens, log_probs[: len(ids)])
            generations.append(
                Generation(tokens.text, scores, None if end is None else float(log_probs[len(ids)]))
            )
        return generations

    def _locate(self, ids: list[int]) -> Tokens:
        """Finds the characters of generated ids, which may not be how the text would be tokenised anew."""
        with self._lock:
            text = self._tokenizer.decode(ids, skip_special_tokens=True)
        again = self.tokenize(text)
        if again.ids == tuple(ids):
            return again
        with self._lock:
            prefixes = [
                self._tokenizer.decode(ids[:k], skip_special_tokens=True) for k in range(len(ids) + 1)
            ]
        return Tokens(text, tuple(ids), offsets_from_prefixes(prefixes, text))
