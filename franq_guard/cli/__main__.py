"""`python -m franq_guard.cli`."""

from franq_guard.cli import main

main()
