import type { DeskNotification, NotificationAction } from '#shared/texts/notifications.ts'

export type Showing = {
  /** Called directly before it is handed over, with nothing waited for between. */
  readonly handing: () => void
  /** Hears what the person does, each time. */
  readonly act: (action: NotificationAction) => void
}

/** Shows notifications by the desktop's own means, which also know when the person is not to be disturbed. */
export type Notifier = {
  /** Hands one over; resolves once the desktop has it. @throws where no notifications can be shown */
  readonly show: (notification: DeskNotification, showing: Showing) => Promise<void>
  readonly close: () => void
}
