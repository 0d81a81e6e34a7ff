"""franq_guard for langchain."""
