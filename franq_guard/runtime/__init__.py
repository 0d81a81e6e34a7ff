"""Where and when models run: device, number format, one worker each, time limits, memory."""
