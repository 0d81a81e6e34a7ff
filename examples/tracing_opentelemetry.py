"""Write spans and evaluation events to the console; a real application exports them to its collector."""

import sys

from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import ConsoleLogRecordExporter, SimpleLogRecordProcessor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor

from franq_guard import Guard
from franq_guard.tracing import OpenTelemetrySink


def main() -> None:
    tracers, loggers = TracerProvider(), LoggerProvider()
    tracers.add_span_processor(SimpleSpanProcessor(ConsoleSpanExporter(out=sys.stdout)))
    loggers.add_log_record_processor(SimpleLogRecordProcessor(ConsoleLogRecordExporter(out=sys.stdout)))
    sink = OpenTelemetrySink(tracer_provider=tracers, logger_provider=loggers)
    guard = Guard.from_preset("mini", tracing=[sink])
    with tracers.get_tracer("app").start_as_current_span("rag"):
        guard.check(
            "Who discovered penicillin?",
            ["Penicillin was discovered by Alexander Fleming in London in 1928."],
            "Alexander Fleming discovered penicillin in 1928. He was born in Norway.",
        )
    guard.tracing.flush()


if __name__ == "__main__":
    main()
