"""How fast guarding is: one module a table, each against a named alternative measured in the same run."""
