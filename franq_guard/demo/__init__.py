"""A small RAG system of our own: corpus, retriever, generator. What the guard is dropped into."""
