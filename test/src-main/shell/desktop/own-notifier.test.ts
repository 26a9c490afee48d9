import type { NotificationConstructorOptions } from 'electron'
import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import { createOwnNotifier } from '../../../../src-main/shell/desktop/own-notifier.ts'

class FakeNotification extends EventEmitter {
  readonly options: NotificationConstructorOptions
  readonly #shows: boolean

  constructor(options: NotificationConstructorOptions, shows: boolean) {
    super()
    this.options = options
    this.#shows = shows
  }

  show() {
    if (this.#shows) this.emit('show')
    else this.emit('failed', {}, 'No place for it')
  }
}

function notifierThat(shows: boolean, isSupported = true) {
  const made: FakeNotification[] = []
  const notifier = createOwnNotifier({
    isSupported: () => isSupported,
    create: (options) => {
      const one = new FakeNotification(options, shows)
      made.push(one)
      return one as unknown as Electron.Notification
    },
  })
  return { notifier, made }
}

const notification = { title: 'Ready', body: '', actions: ['save', 'show-in-folder'], urgent: true } as const

const nobody = { handing: () => undefined, act: () => undefined }

describe("Electron's notifications", () => {
  it('tell of a click, and of each button by its place', async () => {
    const { notifier, made } = notifierThat(true)
    const acts: string[] = []
    await notifier.show(notification, { handing: () => undefined, act: (action) => acts.push(action) })
    made[0]?.emit('click')
    made[0]?.emit('action', {}, 1)
    made[0]?.emit('action', {}, 7)
    expect(acts).toEqual(['open', 'show-in-folder'])
    expect(made[0]?.options.actions?.map(({ text }) => text)).toEqual(['Save', 'Show in folder'])
  })

  it('say where they cannot be shown', async () => {
    await expect(notifierThat(false).notifier.show(notification, nobody)).rejects.toThrow('No place for it')
    await expect(notifierThat(true, false).notifier.show(notification, nobody)).rejects.toThrow(
      'shows no notifications',
    )
  })
})
