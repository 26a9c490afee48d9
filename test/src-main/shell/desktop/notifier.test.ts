import { EventEmitter } from 'node:events'
import type { NotificationConstructorOptions } from 'electron'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ElectronNotifier, createBusNotifier } from '#main/shell/desktop/notifier.ts'
import { NoReply } from '#main/shell/desktop/session-bus.ts'
import type { SessionBus } from '#main/shell/desktop/session-bus.ts'
import type { DeskNotification } from '#shared/texts/raw.ts'

describe("Electron's notifications", () => {
  afterEach(() => void vi.useRealTimers())

  /** What the system does when a notification is handed to it. */
  type Does = 'shows' | 'refuses' | 'nothing'

  class FakeNotification extends EventEmitter {
    readonly options: NotificationConstructorOptions
    readonly #does: Does

    constructor(options: NotificationConstructorOptions, does: Does) {
      super()
      this.options = options
      this.#does = does
    }

    show() {
      if (this.#does === 'shows') this.emit('show')
      if (this.#does === 'refuses') this.emit('failed', {}, 'No place for it')
    }
  }

  function notifierThat(does: Does, isSupported = true) {
    const made: FakeNotification[] = []
    class Made extends FakeNotification {
      static isSupported = () => isSupported

      constructor(options: NotificationConstructorOptions) {
        super(options, does)
        made.push(this)
      }
    }
    const notifier = new ElectronNotifier(Made as unknown as typeof Electron.Notification)
    return { notifier, made }
  }

  const notification = {
    title: 'Ready',
    body: '',
    actions: ['save', 'show-in-folder'],
    urgent: true,
  } as const

  const nobody = { handing: () => undefined, act: () => undefined }

  it('tell of a click, and of each button by its place', async () => {
    const { notifier, made } = notifierThat('shows')
    const acts: string[] = []
    await notifier.show(notification, { handing: () => undefined, act: (action) => acts.push(action) })
    made[0]?.emit('click')
    made[0]?.emit('action', {}, 1)
    made[0]?.emit('action', {}, 7)
    expect(acts).toEqual(['open', 'show-in-folder'])
    expect(made[0]?.options.actions?.map(({ text }) => text)).toEqual(['Save', 'Show in folder'])
  })

  it('say where they cannot be shown', async () => {
    await expect(notifierThat('refuses').notifier.show(notification, nobody)).rejects.toThrow(
      'No place for it',
    )
    await expect(notifierThat('shows', false).notifier.show(notification, nobody)).rejects.toThrow(
      'shows no notifications',
    )
  })

  it('count as shown where the system says nothing of it, after a while', async () => {
    vi.useFakeTimers()
    const { notifier } = notifierThat('nothing')
    let ended = false
    const showing = notifier.show(notification, nobody).then(() => (ended = true))
    await vi.advanceTimersByTimeAsync(4999)
    expect(ended).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    await showing
    expect(ended).toBe(true)
  })

  it('leave nothing that waits where the system says what became of them', async () => {
    vi.useFakeTimers()
    await notifierThat('shows').notifier.show(notification, nobody)
    await notifierThat('refuses')
      .notifier.show(notification, nobody)
      .catch(() => undefined)
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('notifications over the session bus', () => {
  /** A bus with a notification daemon that can what it is said to. */
  function busWith(able: readonly string[]) {
    const shown: unknown[][] = []
    let tell: (member: string, body: readonly unknown[]) => void = () => undefined
    const bus: SessionBus = {
      call: async (_, member, __, body = []) => {
        if (member === 'GetCapabilities') return Promise.resolve(able)
        shown.push(body)
        return Promise.resolve(shown.length)
      },
      signal: () => undefined,
      listen: (_, heard) => {
        tell = heard
        return () => (tell = () => undefined)
      },
      follow: () => () => undefined,
      close: async () => undefined,
    }
    return { bus, shown, tell: (member: string, ...body: unknown[]) => tell(member, body) }
  }

  const notification: DeskNotification = {
    title: 'Weekly is ready',
    body: 'Smith & <b>Sons</b>',
    actions: ['save'],
    urgent: false,
  }

  const nobody = { handing: () => undefined, act: () => undefined }

  it('have a click and buttons, each of which is heard', async () => {
    const { bus, shown, tell } = busWith(['body', 'actions', 'body-markup'])
    const notifier = createBusNotifier(bus, '/icon.png')
    const acts: string[] = []
    await notifier.show(notification, { handing: () => undefined, act: (action) => acts.push(action) })
    expect(shown[0]?.[5]).toEqual(['default', 'Open', 'save', 'Save'])
    tell('ActionInvoked', 1, 'default')
    tell('ActionInvoked', 1, 'save')
    // None of these was offered.
    for (const detail of ['constructor', 'open', 'show-in-folder']) tell('ActionInvoked', 1, detail)
    tell('ActionInvoked', 2, 'save')
    expect(acts).toEqual(['open', 'save'])
  })

  it('are heard of no more once they are closed', async () => {
    const { bus, tell } = busWith(['actions'])
    const notifier = createBusNotifier(bus, '/icon.png')
    const acts: string[] = []
    await notifier.show(notification, { handing: () => undefined, act: (action) => acts.push(action) })
    tell('NotificationClosed', 1, 2)
    tell('ActionInvoked', 1, 'default')
    expect(acts).toEqual([])
  })

  it('are written down directly before they are handed over, after all that is waited for', async () => {
    const order: string[] = []
    const { bus } = busWith([])
    const watched: SessionBus = {
      ...bus,
      call: (target, member, signature, body) => {
        order.push(member)
        return bus.call(target, member, signature, body)
      },
    }
    await createBusNotifier(watched, '').show(notification, {
      handing: () => order.push('handing'),
      act: () => undefined,
    })
    expect(order).toEqual(['GetCapabilities', 'handing', 'Notify'])
  })

  it('are not offered again where they were handed over and nobody answered in time', async () => {
    const { bus } = busWith([])
    const failing = (failure: Error): SessionBus => ({
      ...bus,
      call: (target, member, signature, body) =>
        member === 'Notify' ? Promise.reject(failure) : bus.call(target, member, signature, body),
    })
    const show = (failure: Error) => createBusNotifier(failing(failure), '').show(notification, nobody)
    await show(new NoReply('No reply within 5000ms'))
    await expect(show(new Error('Too many notifications'))).rejects.toThrow('Too many notifications')
  })

  it('keep text text where the daemon reads markup, and leave it alone where it does not', async () => {
    const markup = busWith(['body-markup'])
    await createBusNotifier(markup.bus, '').show(notification, nobody)
    expect(markup.shown[0]?.[4]).toBe('Smith &amp; &lt;b&gt;Sons&lt;/b&gt;')
    const plain = busWith(['body'])
    await createBusNotifier(plain.bus, '').show(notification, nobody)
    expect(plain.shown[0]?.[4]).toBe('Smith & <b>Sons</b>')
    expect(plain.shown[0]?.[5]).toEqual([])
  })
})
