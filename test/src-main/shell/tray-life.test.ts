import { describe, expect, it } from 'vitest'
import { AppEvents } from '#main/lib/app-events.ts'
import type { Notifier } from '#main/shell/desktop/notifier.ts'
import { DeskTray, TrayLife } from '#main/shell/tray-life.ts'
import type { Desktop } from '#main/shell/desktop/desktop.ts'
import type { LockScreen } from '#main/shell/lock-screen.ts'
import type { Badge } from '#main/shell/tray-life.ts'
import type { RunningApp } from '#main/shell/window.ts'
import { fake } from '#test/helpers/fake.ts'

type Given = {
  readonly desktop?: Partial<Desktop>
  readonly begun?: boolean
}

/** A life whose panel is known as soon as `know` is called, and what it did to the system. */
function lifeWith({ desktop = {}, begun = true }: Given = {}) {
  const done: string[] = []
  let know: () => void = () => undefined
  let appear: () => void = () => undefined
  let click: () => void = () => undefined
  const due: (() => void)[] = []
  class FakeTray {
    constructor() {
      done.push('made')
    }

    setImage = () => undefined
    setToolTip = (words: string) => void done.push(words)
    setContextMenu = () => undefined
    on = () => this
    destroy = () => void done.push('gone')
  }
  const electron = {
    Tray: FakeTray,
    Menu: { buildFromTemplate: () => null },
    app: { quit: () => undefined },
  } as unknown as ConstructorParameters<typeof DeskTray>[0]
  const screen = fake<LockScreen>('screen', { reveal: () => void done.push('opened') })
  const app = fake<RunningApp>('app', {
    ...{ open: () => undefined, pause: () => undefined, lock: { locked: false, lock: () => undefined } },
    trayFacts: async () => ({
      raw: { running: [], readyUnseen: 0, attention: 0, lastFinished: null },
      ...{ downloads: [], stuck: [], findings: null, sync: 'Connected', pinned: null, paused: false },
      lock: 'off' as const,
    }),
  })
  const events = new AppEvents()
  events.on('notice/shown', ({ notice }) => void done.push(notice.title))
  const notifier: Notifier = {
    show: async ({ title }, { handing, act }) => {
      handing()
      done.push(title)
      click = () => act('open')
    },
    close: () => undefined,
  }
  const life = new TrayLife({
    tray: new DeskTray(electron, () => '', app, screen),
    badge: fake<Badge>('badge', { show: () => void done.push('told') }),
    app,
    desktop: fake<Desktop>('desktop', {
      followPanel: async (appeared) => {
        appear = appeared
        await new Promise<void>((resolve) => (know = resolve))
      },
      hasPanel: true,
      notifier: async () => notifier,
      ...desktop,
    }),
    screen,
    events,
    log: (_, words) => void done.push(words),
    after: (_, run) => {
      due.push(run)
      return () => undefined
    },
  })
  const begin = () => events.emit({ kind: 'app/begun' })
  if (begun) begin()
  return {
    ...{ life, done, due, begin },
    show: (wanted: boolean) => events.emit({ kind: 'tray/wanted', wanted }),
    changed: () => events.emit({ kind: 'tray/changed' }),
    know: () => know(),
    appear: () => appear(),
    click: () => click(),
  }
}

/** Until all that was already promised has been done. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('the life in the tray', () => {
  it('makes the icon once it is known whether there is a panel', async () => {
    const { show, done, know } = lifeWith()
    show(true)
    await settled()
    expect(done).toEqual([])
    know()
    await settled()
    expect(done).toEqual(['made', 'Traffic Desk'])
  })

  it('looks for no panel before what is looked at first is there, and goes on without a window all the same', async () => {
    const looked: string[] = []
    const followPanel = async () => void looked.push('followed')
    const { life, show, begin, done } = lifeWith({ begun: false, desktop: { followPanel } })
    show(true)
    await settled()
    expect(looked).toEqual([])
    expect(life.goesOn()).toBe(true)
    begin()
    await settled()
    expect(looked).toEqual(['followed'])
    expect(done).toContain('made')
  })

  it('makes none that is not wanted any more by then', async () => {
    const { life, show, done, know } = lifeWith()
    show(true)
    await settled()
    show(false)
    know()
    await settled()
    expect(done).toEqual([])
    expect(life.goesOn()).toBe(false)
  })

  it('makes it anew for another panel', async () => {
    const { show, done, know, appear } = lifeWith()
    show(true)
    await settled()
    know()
    await settled()
    appear()
    expect(done).toEqual(['made', 'Traffic Desk', 'gone', 'made', 'Traffic Desk'])
  })

  it('is wanted whatever is set where the app began without a window', () => {
    const { life, show } = lifeWith()
    life.stay()
    show(false)
    expect(life.goesOn()).toBe(true)
  })

  it('makes it where panels cannot be followed, and notes that', async () => {
    const { show, done } = lifeWith({ desktop: { followPanel: () => Promise.reject(new Error('no bus')) } })
    show(true)
    await settled()
    expect(done).toEqual(['Panels cannot be followed', 'made', 'Traffic Desk'])
  })

  it('shows what the desk says', async () => {
    const { show, done, due, know } = lifeWith()
    show(true)
    await settled()
    know()
    await settled()
    for (const run of due) run()
    await settled()
    expect(done.slice(-2)).toEqual(['Traffic Desk: connected', 'told'])
  })

  it('tells docks and taskbars what is going on without an icon too', async () => {
    const { changed, done, due } = lifeWith()
    changed()
    for (const run of due) run()
    await settled()
    expect(done).toEqual(['told'])
  })
})

describe('without a panel', () => {
  const noPanel = { hasPanel: false, followPanel: () => Promise.resolve() }

  it('it is said in the window when the icon is wanted from now on, not at each start', async () => {
    const { show, done } = lifeWith({ desktop: noPanel })
    show(true)
    await settled()
    expect(done).toEqual(['made', 'Traffic Desk'])
    show(false)
    show(true)
    await settled()
    expect(done.slice(2)).toEqual(['gone', 'made', 'Traffic Desk', 'No tray found for the Traffic Desk icon'])
  })

  it('it is said once, when the window was closed, by a notification that opens it again', async () => {
    const { life, show, done, click } = lifeWith({ desktop: noPanel })
    show(true)
    life.goesOn()
    await settled()
    life.goesOn()
    await settled()
    expect(done).toEqual(['made', 'Traffic Desk', 'Traffic Desk keeps running'])
    click()
    expect(done.at(-1)).toBe('opened')
  })

  it('it is said in the next window where there are no notifications either', async () => {
    const notifier = () => Promise.reject(new Error('none'))
    const { life, show, done } = lifeWith({ desktop: { ...noPanel, notifier } })
    show(true)
    life.goesOn()
    await settled()
    expect(done.at(-1)).toBe('No tray found for the Traffic Desk icon')
  })

  it('nothing is said where there is one', async () => {
    const { life, show, done, know } = lifeWith()
    show(false)
    show(true)
    await settled()
    know()
    life.goesOn()
    await settled()
    expect(done).toEqual(['made', 'Traffic Desk'])
  })
})
