"""Models that run elsewhere: on OpenAI-compatible servers, and on a `franq-guard serve`."""
