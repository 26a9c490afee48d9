import type { Notification, NotificationConstructorOptions } from 'electron'
import { after } from '#main/lib/async.ts'
import { actionWords } from '#shared/texts/raw.ts'
import type { DeskNotification, NotificationAction } from '#shared/texts/raw.ts'
import { NoReply } from './session-bus.ts'
import type { BusTarget, SessionBus } from './session-bus.ts'

export type Showing = {
  /** Called directly before it is handed over, with nothing waited for between. */
  readonly handing: () => void
  /** Hears what the person does, each time. */
  readonly act: (action: NotificationAction) => void
}

/** Shows notifications by the desktop's own means, which also know when the person is not to be disturbed. */
export type Notifier = {
  /** Hands one over; resolves once the desktop has it. @throws where no notifications can be shown */
  readonly show: (notification: DeskNotification, handlers: Showing) => Promise<void>
  readonly close: () => void
}

type ElectronNotification = Pick<Notification, 'on' | 'show' | 'close'>

/** Electron's class of them. */
type Notifications = {
  readonly isSupported: () => boolean
  new (options: NotificationConstructorOptions): ElectronNotification
}

/** A system that says neither that it shows a notification nor that it cannot has it: offered again it would come twice. */
const SHOW_TIMEOUT = 5000

/** Electron's own notifications: on macOS with buttons, elsewhere with a click alone. */
export class ElectronNotifier implements Notifier {
  readonly #Notification: Notifications
  /** Held, because what is collected as garbage hears no click. */
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

/** Whoever shows notifications owns this name. */
export const notificationsName = 'org.freedesktop.Notifications'

const daemon: BusTarget = {
  destination: notificationsName,
  path: '/org/freedesktop/Notifications',
  interface: 'org.freedesktop.Notifications',
}

const appName = 'Traffic Desk'
/** As the daemon usually does. */
const USUAL_TIME = -1
const [normal, critical] = [1, 2]

/** The action that a click on the notification itself is. */
const CLICK = 'default'

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/**
 * Notifications of Linux desktops (freedesktop's Desktop Notifications), spoken to directly: Electron's own have no
 * buttons there.
 * @param icon the path of a picture
 */
export function createBusNotifier(bus: SessionBus, icon: string): Notifier {
  /** What was offered with a notification, and who hears what becomes of it, by the daemon's number. */
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
  // Who takes the name over counts notifications anew: its numbers are not those of ours.
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
    const words = able.includes('body-markup') ? escaped(body) : body
    const given = [appName, 0, icon, title, words, buttons, hints, USUAL_TIME]
    handing()
    try {
      const number = Number(await bus.call(daemon, 'Notify', 'susssasa{sv}i', given))
      shown.set(number, { actions: offers ? actions : [], act })
    } catch (error) {
      // The daemon has it, and answers late; or this computer slept meanwhile. Offered again it would come twice.
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

/** Asked each time: another daemon may have taken over. */
async function capabilities(bus: SessionBus): Promise<readonly unknown[]> {
  const able = await bus.call(daemon, 'GetCapabilities')
  return Array.isArray(able) ? able : []
}
