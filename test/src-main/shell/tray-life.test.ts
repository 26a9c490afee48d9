import { describe, expect, it } from 'vitest'
import { createTrayLife } from '#main/shell/tray-life.ts'
import type { TrayLifeParts } from '#main/shell/tray-life.ts'

/** A life whose panel is known as soon as `know` is called, and what it did to the system. */
type Given = { readonly desktop?: Partial<TrayLifeParts['desktop']>; readonly settled?: Promise<void> }

function lifeWith({ desktop = {}, settled = Promise.resolve() }: Given = {}) {
  const done: string[] = []
  let know: () => void = () => undefined
  let appear: () => void = () => undefined
  let click: () => void = () => undefined
  const due: (() => void)[] = []
  const life = createTrayLife({
    create: () => {
      done.push('made')
      const tray = {
        setImage: () => undefined,
        setToolTip: (words: string) => done.push(words),
        setContextMenu: () => undefined,
        on: () => tray,
        destroy: () => done.push('gone'),
      }
      return tray as unknown as ReturnType<TrayLifeParts['create']>
    },
    image: () => '',
    menu: () => null,
    open: () => done.push('opened'),
    quit: () => undefined,
    lock: () => undefined,
    pause: () => undefined,
    desktop: {
      followPanel: async (appeared) => {
        appear = appeared
        await new Promise<void>((resolve) => (know = resolve))
      },
      hasPanel: () => true,
      notifier: async () => ({
        show: async ({ title }, { handing, act }) => {
          handing()
          done.push(title)
          click = () => act('open')
        },
        close: () => undefined,
      }),
      ...desktop,
    },
    facts: async () => ({
      raw: { running: [], readyUnseen: 0, attention: 0, lastFinished: null },
      downloads: [],
      stuck: [],
      sync: 'Connected',
      pinned: null,
      lock: 'off' as const,
    }),
    notify: () => done.push('told'),
    settled,
    showNotice: ({ title }) => done.push(title),
    now: () => 0,
    after: (_, run) => {
      due.push(run)
      return () => undefined
    },
    log: (_, words) => done.push(words),
  })
  return { life, done, due, know: () => know(), appear: () => appear(), click: () => click() }
}

/** Until all that was already promised has been done. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('the life in the tray', () => {
  it('makes the icon once it is known whether there is a panel', async () => {
    const { life, done, know } = lifeWith()
    life.show(true)
    await settled()
    expect(done).toEqual([])
    know()
    await settled()
    expect(done).toEqual(['made', 'Traffic Desk'])
  })

  it('looks for no panel before what is looked at first is there, and goes on without a window all the same', async () => {
    let settle: () => void = () => undefined
    const first = new Promise<void>((resolve) => (settle = resolve))
    const looked: string[] = []
    const followPanel = async () => void looked.push('followed')
    const { life, done } = lifeWith({ settled: first, desktop: { followPanel } })
    life.show(true)
    await settled()
    expect(looked).toEqual([])
    expect(life.goesOn()).toBe(true)
    settle()
    await settled()
    expect(looked).toEqual(['followed'])
    expect(done).toContain('made')
  })

  it('makes none that is not wanted any more by then', async () => {
    const { life, done, know } = lifeWith()
    life.show(true)
    await settled()
    life.show(false)
    know()
    await settled()
    expect(done).toEqual([])
    expect(life.goesOn()).toBe(false)
  })

  it('makes it anew for another panel', async () => {
    const { life, done, know, appear } = lifeWith()
    life.show(true)
    await settled()
    know()
    await settled()
    appear()
    expect(done).toEqual(['made', 'Traffic Desk', 'gone', 'made', 'Traffic Desk'])
  })

  it('is wanted whatever is set where the app began without a window', () => {
    const { life } = lifeWith()
    life.stay()
    life.show(false)
    expect(life.goesOn()).toBe(true)
  })

  it('makes it where panels cannot be followed, and notes that', async () => {
    const { life, done } = lifeWith({ desktop: { followPanel: () => Promise.reject(new Error('no bus')) } })
    life.show(true)
    await settled()
    expect(done).toEqual(['Panels cannot be followed', 'made', 'Traffic Desk'])
  })

  it('shows what the desk says', async () => {
    const { life, done, due, know } = lifeWith()
    life.show(true)
    await settled()
    know()
    await settled()
    for (const run of due) run()
    await settled()
    expect(done.slice(-2)).toEqual(['Traffic Desk: connected', 'told'])
  })

  it('tells docks and taskbars what is going on without an icon too', async () => {
    const { life, done, due } = lifeWith()
    life.changed()
    for (const run of due) run()
    await settled()
    expect(done).toEqual(['told'])
  })
})

describe('without a panel', () => {
  const noPanel = { hasPanel: () => false, followPanel: () => Promise.resolve() }

  it('it is said in the window when the icon is wanted from now on, not at each start', async () => {
    const { life, done } = lifeWith({ desktop: noPanel })
    life.show(true)
    await settled()
    expect(done).toEqual(['made', 'Traffic Desk'])
    life.show(false)
    life.show(true)
    await settled()
    expect(done.slice(2)).toEqual([
      'gone',
      'made',
      'Traffic Desk',
      'No tray for the icon of Traffic Desk was found',
    ])
  })

  it('it is said once, when the window was closed, by a notification that opens it again', async () => {
    const { life, done, click } = lifeWith({ desktop: noPanel })
    life.show(true)
    life.goesOn()
    await settled()
    life.goesOn()
    await settled()
    expect(done).toEqual(['made', 'Traffic Desk', 'Traffic Desk goes on without its window'])
    click()
    expect(done.at(-1)).toBe('opened')
  })

  it('it is said in the next window where there are no notifications either', async () => {
    const notifier = () => Promise.reject(new Error('none'))
    const { life, done } = lifeWith({ desktop: { ...noPanel, notifier } })
    life.show(true)
    life.goesOn()
    await settled()
    expect(done.at(-1)).toBe('No tray for the icon of Traffic Desk was found')
  })

  it('nothing is said where there is one', async () => {
    const { life, done, know } = lifeWith()
    life.show(false)
    life.show(true)
    await settled()
    know()
    life.goesOn()
    await settled()
    expect(done).toEqual(['made', 'Traffic Desk'])
  })
})
