"""A guarded chat engine that streams: each sentence is shown as soon as it was checked."""

from llama_index.core.chat_engine import ContextChatEngine
from llama_index.core.memory import ChatMemoryBuffer

from llama_index_franq_guard import FranqChatEngine, report_of
from llama_index_franq_guard.demo import demo_guard, demo_index, demo_llm


def main() -> None:
    llm = demo_llm()
    chat = FranqChatEngine(
        ContextChatEngine.from_defaults(
            retriever=demo_index().as_retriever(similarity_top_k=1),
            llm=llm,
            memory=ChatMemoryBuffer.from_defaults(token_limit=1000),
        ),
        demo_guard(llm),
    )
    for question in ("Who discovered penicillin?", "In which year was penicillin discovered?"):
        response = chat.stream_chat(question)
        for sentence in response.response_gen:
            print(sentence, end="", flush=True)
        report = report_of(response)
        print("\nP(true) of the least likely claim:", report and report.p_true)
    print("What the next prompt will contain:")
    for message in chat.chat_history:
        print(f"  {message.role.value}: {message.content}")


if __name__ == "__main__":
    main()
