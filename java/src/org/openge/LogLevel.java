package org.openge;

import org.openge.c.GeLogLevel;

/** How important a message of the library is. */
public enum LogLevel {
  DEBUG(GeLogLevel.GE_LOG_DEBUG),
  INFO(GeLogLevel.GE_LOG_INFO),
  WARNING(GeLogLevel.GE_LOG_WARNING),
  ERROR(GeLogLevel.GE_LOG_ERROR),
  /** No messages. */
  OFF(GeLogLevel.GE_LOG_OFF);

  final int value;

  LogLevel(int value) {
    this.value = value;
  }
}
