/** What a person can do from a notification; where it has no buttons, a click opens. */
export type NotificationAction = 'open' | 'save' | 'show-in-folder'

export const actionWords: Readonly<Record<NotificationAction, string>> = {
  open: 'Open',
  save: 'Save',
  'show-in-folder': 'Show in folder',
}

/** Something to tell while no window may be open. Its texts are plain; what the service wrote stays text. */
export type DeskNotification = {
  readonly title: string
  readonly body: string
  /** Beside opening, which a click does. */
  readonly actions: readonly Exclude<NotificationAction, 'open'>[]
  /** Stays until it is dismissed, where the desktop has such. */
  readonly urgent: boolean
}

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
