"""From answers to scored claims. `pipeline` is the sequence; the other modules are its stages."""
