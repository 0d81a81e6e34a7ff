"""Where models run: device, number format, and keeping the event loop free."""
