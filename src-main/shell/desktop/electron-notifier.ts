import type { Notification, NotificationConstructorOptions } from 'electron'
import { actionWords } from '#shared/texts/notifications.ts'
import type { Notifier } from './notifier.ts'

export type ElectronNotifierParts = {
  readonly isSupported: () => boolean
  readonly create: (options: NotificationConstructorOptions) => Pick<Notification, 'on' | 'show' | 'close'>
  /** Runs something after so many milliseconds; the result calls it off. */
  readonly after: (milliseconds: number, run: () => void) => () => void
}

/** A system that says neither that it shows a notification nor that it cannot has it: offered again it would come twice. */
const PATIENCE = 5000

/** Electron's own notifications: on macOS with buttons, elsewhere with a click alone. */
export function createElectronNotifier({ isSupported, create, after }: ElectronNotifierParts): Notifier {
  /** Held, because what is collected as garbage hears no click. */
  const standing = new Set<ReturnType<ElectronNotifierParts['create']>>()
  return {
    show: async ({ title, body, actions, urgent }, { handing, act }) => {
      if (!isSupported()) throw new Error('This system shows no notifications')
      const notification = create({
        title,
        body,
        urgency: urgent ? 'critical' : 'normal',
        actions: actions.map((action) => ({ type: 'button', text: actionWords[action] })),
      })
      standing.add(notification)
      notification.on('click', () => act('open'))
      notification.on('action', (_, index) => {
        const action = actions[index]
        if (action) act(action)
      })
      notification.on('close', () => standing.delete(notification))
      let callOff: () => void = () => undefined
      const taken = new Promise<void>((resolve, reject) => {
        notification.on('show', () => resolve())
        notification.on('failed', (_, error) => reject(new Error(error)))
        callOff = after(PATIENCE, resolve)
        handing()
        notification.show()
      })
      await taken.finally(callOff)
    },
    close: () => standing.clear(),
  }
}
