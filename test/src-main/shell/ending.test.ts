import { describe, expect, it, vi } from 'vitest'
import { endTogether, endWithLastWindow } from '#main/shell/ending.ts'

/** An app that can be told to quit; `ended` is when it has. */
function quitting(closers: readonly (() => Promise<void>)[]) {
  let quit: (event: { preventDefault: () => void }) => void = () => {}
  const logged: string[] = []
  let held = false
  const ended = new Promise<void>((resolve) => {
    const app = {
      once: (_: string, listener: typeof quit) => void (quit = listener),
      exit: () => {
        resolve()
      },
    }
    endTogether(app as unknown as Parameters<typeof endTogether>[0], closers, (words) => logged.push(words))
  })
  quit({ preventDefault: () => (held = true) })
  return { ended, logged, held: () => held }
}

describe('ending', () => {
  it('holds the app until everything is closed, in order', async () => {
    const closed: string[] = []
    const { ended, held } = quitting([
      async () => {
        await Promise.resolve()
        closed.push('first')
      },
      () => Promise.resolve(void closed.push('second')),
    ])
    await ended
    expect(held()).toBe(true)
    expect(closed).toEqual(['first', 'second'])
  })

  it('goes on where one cannot be closed', async () => {
    const closed: string[] = []
    const { ended, logged } = quitting([
      () => Promise.reject(new Error('stuck')),
      () => Promise.resolve(void closed.push('second')),
    ])
    await ended
    expect(closed).toEqual(['second'])
    expect(logged).toEqual(['Closing failed'])
  })

  it('does not wait for ever', async () => {
    vi.useFakeTimers()
    const { ended } = quitting([() => new Promise(() => {})])
    await vi.advanceTimersByTimeAsync(8000)
    await expect(ended).resolves.toBeUndefined()
    vi.useRealTimers()
  })
})

describe('the last window', () => {
  /** Closes it; `settle` is when what was being changed is kept. */
  function closing({ isOpen = false, goesOn = false } = {}) {
    let close = () => {}
    let settle = () => {}
    const asked = { isOpen, goesOn }
    const quit = vi.fn()
    const app = { on: (_: string, listener: () => void) => void (close = listener), quit }
    endWithLastWindow(app as unknown as Parameters<typeof endWithLastWindow>[0], {
      settled: () => new Promise<void>((resolve) => (settle = resolve)),
      isOpen: () => asked.isOpen,
      goesOn: () => asked.goesOn,
    })
    close()
    return { asked, quit, settle: () => settle() }
  }
  const soon = () => new Promise((resolve) => setImmediate(resolve))

  it('ends the app by what is set once that is kept', async () => {
    const { asked, quit, settle } = closing({ goesOn: true })
    await soon()
    asked.goesOn = false
    settle()
    await soon()
    expect(quit).toHaveBeenCalledOnce()
  })

  it.each([
    ['goes on without a window', { goesOn: true }],
    ['has a window again', { isOpen: true }],
  ])('leaves an app that %s', async (_, given) => {
    const { quit, settle } = closing(given)
    await soon()
    settle()
    await soon()
    expect(quit).not.toHaveBeenCalled()
  })

  it('ends the app though what is set cannot be kept', async () => {
    vi.useFakeTimers()
    const { quit } = closing()
    await vi.advanceTimersByTimeAsync(8000)
    expect(quit).toHaveBeenCalledOnce()
    vi.useRealTimers()
  })
})
