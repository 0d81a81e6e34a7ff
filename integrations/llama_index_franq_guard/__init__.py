"""franq_guard for llama_index."""
