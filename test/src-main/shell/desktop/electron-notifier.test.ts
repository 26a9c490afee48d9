import type { NotificationConstructorOptions } from 'electron'
import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import { createElectronNotifier } from '#main/shell/desktop/electron-notifier.ts'

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
  const alarms = new Map<() => void, number>()
  const notifier = createElectronNotifier({
    isSupported: () => isSupported,
    create: (options) => {
      const one = new FakeNotification(options, does)
      made.push(one)
      return one as unknown as Electron.Notification
    },
    after: (milliseconds, run) => {
      alarms.set(run, milliseconds)
      return () => alarms.delete(run)
    },
  })
  return { notifier, made, alarms }
}

const notification = { title: 'Ready', body: '', actions: ['save', 'show-in-folder'], urgent: true } as const

const nobody = { handing: () => undefined, act: () => undefined }

describe("Electron's notifications", () => {
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
    const { notifier, alarms } = notifierThat('nothing')
    let ended = false
    const showing = notifier.show(notification, nobody).then(() => (ended = true))
    await new Promise((resolve) => setImmediate(resolve))
    expect(ended).toBe(false)
    expect([...alarms.values()]).toEqual([5000])
    for (const ring of alarms.keys()) ring()
    await showing
    expect(ended).toBe(true)
  })

  it('leave nothing that waits where the system says what became of them', async () => {
    const shown = notifierThat('shows')
    await shown.notifier.show(notification, nobody)
    const refused = notifierThat('refuses')
    await refused.notifier.show(notification, nobody).catch(() => undefined)
    expect([...shown.alarms, ...refused.alarms]).toEqual([])
  })
})
