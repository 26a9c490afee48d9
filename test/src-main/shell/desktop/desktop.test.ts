import { describe, expect, it } from 'vitest'
import { Desktop } from '#main/shell/desktop/desktop.ts'
import type { Notifier } from '#main/shell/desktop/notifier.ts'
import type { SessionBus } from '#main/shell/desktop/session-bus.ts'

const electronNotifier: Notifier = { show: async () => undefined, close: () => undefined }

function desktopWith(there: boolean) {
  let joins = 0
  const followed: string[] = []
  const signals: unknown[][] = []
  let lose: () => void = () => undefined
  let tell: (owner: string) => void = () => undefined
  let begun: () => void = () => undefined
  const following = new Promise<void>((resolve) => (begun = resolve))
  const bus: SessionBus = {
    call: async () => Promise.resolve([]),
    signal: (...given) => signals.push(given),
    listen: () => () => undefined,
    follow: (name, heard) => {
      followed.push(name)
      tell = heard
      begun()
      return () => (tell = () => undefined)
    },
    close: async () => undefined,
  }
  const desktop = new Desktop(
    async (lost) => {
      joins += 1
      lose = lost
      return Promise.resolve(there ? bus : null)
    },
    '',
    electronNotifier,
  )
  return {
    ...{ desktop, followed, signals },
    joins: () => joins,
    lose: () => lose(),
    owner: (owner: string) => tell(owner),
    following: () => following,
  }
}

describe('the desktop', () => {
  it('is joined with the first need, once, and again after it was lost', async () => {
    const { desktop, joins, lose } = desktopWith(true)
    expect(joins()).toBe(0)
    expect(await desktop.notifier()).not.toBe(electronNotifier)
    await desktop.notifier()
    expect(joins()).toBe(1)
    lose()
    await desktop.notifier()
    expect(joins()).toBe(2)
  })

  it('has notifications where there is no bus', async () => {
    expect(await desktopWith(false).desktop.notifier()).toBe(electronNotifier)
  })

  it('tells of a panel that appears later, and of another one, not of the one that is there', async () => {
    const { desktop, owner, following, followed } = desktopWith(true)
    let heard = 0
    const known = desktop.followPanel(() => (heard += 1))
    await following()
    expect(followed).toEqual(['org.kde.StatusNotifierWatcher'])
    owner(':1.5')
    await known
    expect([heard, desktop.hasPanel]).toEqual([0, true])
    owner('')
    expect([heard, desktop.hasPanel]).toEqual([0, false])
    owner(':1.9')
    expect([heard, desktop.hasPanel]).toEqual([1, true])
    owner(':1.10')
    expect(heard).toBe(2)
    await desktop.close()
    owner(':1.11')
    expect(heard).toBe(2)
  })

  it('tells of the first panel where there was none', async () => {
    const { desktop, owner, following } = desktopWith(true)
    let heard = 0
    const known = desktop.followPanel(() => (heard += 1))
    await following()
    owner('')
    await known
    owner(':1.9')
    expect(heard).toBe(1)
  })

  it('knows whether there is a panel before an icon is made', async () => {
    const { desktop, owner, following } = desktopWith(true)
    let known = false
    const knowing = desktop.followPanel(() => undefined).then(() => (known = true))
    await following()
    expect(known).toBe(false)
    owner(':1.5')
    await knowing
    expect(known).toBe(true)
  })

  it('knows at once that there is none without a bus', async () => {
    const { desktop } = desktopWith(false)
    await expect(desktop.followPanel(() => undefined)).resolves.toBeUndefined()
  })

  it('tells of a program that begins to show notifications, not of one that is there', async () => {
    const { desktop, owner, following, followed } = desktopWith(true)
    let heard = 0
    const follow = () => desktop.followNotifications(() => (heard += 1))
    await Promise.all([follow(), follow()])
    await following()
    expect(followed).toEqual(['org.freedesktop.Notifications'])
    owner(':1.4')
    expect(heard).toBe(0)
    owner('')
    owner(':1.7')
    expect(heard).toBe(1)
  })

  it('shows a number and progress on the icon in docks, each change once, and joins no bus for nothing', async () => {
    const { desktop, joins, signals } = desktopWith(true)
    await desktop.showOnLauncher({ count: 0, progress: -1 })
    expect(joins()).toBe(0)
    await desktop.showOnLauncher({ count: 2, progress: 0.5 })
    await desktop.showOnLauncher({ count: 2, progress: 0.5 })
    await desktop.showOnLauncher({ count: 0, progress: 2 })
    const shown = (count: number, progress: number) => [
      'application://traffic-desk.desktop',
      [
        ['count', ['x', count]],
        ['count-visible', ['b', count > 0]],
        ['progress', ['d', progress]],
        ['progress-visible', ['b', progress > 0]],
      ],
    ]
    expect(signals.map(([, member, , body]) => [member, body])).toEqual([
      ['Update', shown(2, 0.5)],
      ['Update', shown(0, 0)],
    ])
  })
})
