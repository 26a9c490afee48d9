import type { Notification, NotificationConstructorOptions } from 'electron'
import { after } from '#main/lib/async.ts'
import { actionWords } from '#shared/texts/raw.ts'
import type { DeskNotification, NotificationAction } from '#shared/texts/raw.ts'
import { NoReply } from './session-bus.ts'
import type { BusTarget, SessionBus } from './session-bus.ts'

export type Showing = {
  /** Called synchronously before the notification is shown. */
  readonly handing: () => void
  /** Called for each action of the user. */
  readonly act: (action: NotificationAction) => void
}

/** Shows notifications through the desktop, which respects “do not disturb”. */
export type Notifier = {
  /** Shows a notification; resolves once the desktop has accepted it. @throws if the desktop shows no notifications */
  readonly show: (notification: DeskNotification, handlers: Showing) => Promise<void>
  readonly close: () => void
}

type ElectronNotification = Pick<Notification, 'on' | 'show' | 'close'>

/** Electron's `Notification` class. */
type Notifications = {
  readonly isSupported: () => boolean
  new (options: NotificationConstructorOptions): ElectronNotification
}

/** After this many ms without an event, a notification counts as shown. Showing it again would create a duplicate. */
const SHOW_TIMEOUT = 5000

/** Electron's own notifications: with buttons on macOS, elsewhere only with a click. */
export class ElectronNotifier implements Notifier {
  readonly #Notification: Notifications
  /** Prevents garbage collection, after which clicks would be lost. */
  readonly #standing = new Set<ElectronNotification>()

  constructor(Notification: Notifications) {
    this.#Notification = Notification
  }

  readonly show: Notifier['show'] = async ({ title, body, actions, urgent }, { handing, act }) => {
    if (!this.#Notification.isSupported()) throw new Error('This system shows no notifications')
    const notification = new this.#Notification({
      title,
      body,
      urgency: urgent ? 'critical' : 'normal',
      actions: actions.map((action) => ({ type: 'button', text: actionWords[action] })),
    })
    this.#standing.add(notification)
    notification.on('click', () => act('open'))
    notification.on('action', (_, index) => {
      const action = actions[index]
      if (action) act(action)
    })
    notification.on('close', () => this.#standing.delete(notification))
    let callOff: () => void = () => undefined
    const taken = new Promise<void>((resolve, reject) => {
      notification.on('show', () => resolve())
      notification.on('failed', (_, error) => reject(new Error(error)))
      callOff = after(SHOW_TIMEOUT, resolve)
      handing()
      notification.show()
    })
    await taken.finally(callOff)
  }

  readonly close = (): void => this.#standing.clear()
}

/** D-Bus name of the notification daemon. */
export const notificationsName = 'org.freedesktop.Notifications'

const daemon: BusTarget = {
  destination: notificationsName,
  path: '/org/freedesktop/Notifications',
  interface: 'org.freedesktop.Notifications',
}

const appName = 'Traffic Desk'
/** The daemon's default timeout. */
const USUAL_TIME = -1
const [normal, critical] = [1, 2]

/** Action id of a click on the notification itself. */
const CLICK = 'default'

const escapeMarkup = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/**
 * Creates the notifier for Linux desktops (freedesktop's Desktop Notifications). Uses D-Bus directly, because Electron's
 * notifications have no buttons on Linux.
 * @param icon path of the icon
 */
export function createBusNotifier(bus: SessionBus, icon: string): Notifier {
  /** Actions and handler of each notification, by the daemon's id. */
  const shown = new Map<number, Pick<DeskNotification, 'actions'> & Pick<Showing, 'act'>>()
  const onSignal = (member: string, [number, detail]: readonly unknown[]) => {
    if (typeof number !== 'number') return
    const found = shown.get(number)
    if (!found) return
    if (member === 'NotificationClosed') shown.delete(number)
    if (member !== 'ActionInvoked') return
    const action = detail === CLICK ? 'open' : found.actions.find((item) => item === detail)
    if (action !== undefined) found.act(action)
  }
  // A new owner of the name assigns new ids.
  const stopListening = bus.listen(daemon, onSignal, () => shown.clear())

  async function show(
    { title, body, actions, urgent }: DeskNotification,
    { handing, act }: Showing,
  ): Promise<void> {
    const able = await capabilities(bus)
    const offers = able.includes('actions')
    const buttons = offers
      ? [CLICK, actionWords.open, ...actions.flatMap((action) => [action, actionWords[action]])]
      : []
    const hints = [
      ['desktop-entry', ['s', 'traffic-desk']],
      ['urgency', ['y', urgent ? critical : normal]],
    ]
    const words = able.includes('body-markup') ? escapeMarkup(body) : body
    const given = [appName, 0, icon, title, words, buttons, hints, USUAL_TIME]
    handing()
    try {
      const number = Number(await bus.call(daemon, 'Notify', 'susssasa{sv}i', given))
      shown.set(number, { actions: offers ? actions : [], act })
    } catch (error) {
      // The daemon received the call but responds late, or the computer slept. Showing it again would create a duplicate.
      if (!(error instanceof NoReply)) throw error
    }
  }

  return {
    show,
    close: () => {
      stopListening()
      shown.clear()
    },
  }
}

/** Queried each time, because another daemon may have taken over. */
async function capabilities(bus: SessionBus): Promise<readonly unknown[]> {
  const able = await bus.call(daemon, 'GetCapabilities')
  return Array.isArray(able) ? able : []
}
