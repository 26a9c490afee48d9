import { AppEvents } from '#main/lib/app-events.ts'
import type { AppEvent } from '#main/lib/app-events.ts'

/** A bus on which somebody hears all that is told, before those who follow it. */
export function eventsTo(hear: (event: AppEvent) => void): AppEvents {
  const events = new AppEvents()
  const emit = events.emit.bind(events)
  events.emit = (event) => {
    hear(event)
    emit(event)
  }
  return events
}
