import { describe, expect, it } from 'vitest'
import { createTrayLife } from '../../../src-main/shell/tray-life.ts'
import type { TrayLifeParts } from '../../../src-main/shell/tray-life.ts'

/** A life whose panel is known as soon as `know` is called, and what it did to the system. */
function lifeWith(given: Partial<Pick<TrayLifeParts, 'always' | 'desktop'>> = {}) {
  const done: string[] = []
  let know: () => void = () => undefined
  let appear: () => void = () => undefined
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
    open: () => undefined,
    quit: () => undefined,
    pause: () => undefined,
    desktop: {
      followPanel: async (appeared) => {
        appear = appeared
        await new Promise<void>((resolve) => (know = resolve))
      },
    },
    always: false,
    facts: async () => ({
      raw: { running: [], readyUnseen: 0, attention: 0, lastFinished: null },
      downloads: [],
      sync: 'Connected',
    }),
    told: () => undefined,
    now: () => 0,
    after: (_, run) => {
      due.push(run)
      return () => undefined
    },
    log: (_, words) => done.push(words),
    ...given,
  })
  return { life, done, due, know: () => know(), appear: () => appear() }
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

  it('makes none that is not wanted any more by then', async () => {
    const { life, done, know } = lifeWith()
    life.show(true)
    life.show(false)
    know()
    await settled()
    expect(done).toEqual([])
    expect(life.wanted()).toBe(false)
  })

  it('makes it anew for another panel', async () => {
    const { life, done, know, appear } = lifeWith()
    life.show(true)
    know()
    await settled()
    appear()
    expect(done).toEqual(['made', 'Traffic Desk', 'gone', 'made', 'Traffic Desk'])
  })

  it('is wanted whatever is set where the app began without a window', () => {
    const { life } = lifeWith({ always: true })
    life.show(false)
    expect(life.wanted()).toBe(true)
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
    know()
    await settled()
    for (const run of due) run()
    await settled()
    expect(done.at(-1)).toBe('Traffic Desk: connected')
  })
})
