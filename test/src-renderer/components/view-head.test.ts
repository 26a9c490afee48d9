import { afterEach, describe, expect, it, vi } from 'vitest'
import { fits } from '#renderer/components/view-head.ts'

afterEach(() => vi.unstubAllGlobals())

/** A line of so many pixels that would need others, and what is told of it. */
function lineOf(clientWidth: number, needs: number) {
  const widths = { clientWidth, needs }
  let resize: () => void = () => undefined
  class Observer {
    constructor(run: () => void) {
      resize = run
    }
    observe = () => undefined
    disconnect = () => undefined
  }
  vi.stubGlobal('ResizeObserver', Observer)
  const line = document.createElement('div')
  Object.defineProperties(line, {
    clientWidth: { get: () => widths.clientWidth },
    scrollWidth: { get: () => Math.max(widths.clientWidth, widths.needs) },
  })
  const told: boolean[] = []
  const stop = fits((whole) => told.push(whole))(line)
  return {
    line,
    told,
    stop,
    become: (changes: Partial<typeof widths>) => {
      Object.assign(widths, changes)
      resize()
    },
  }
}

describe('whether a line fits', () => {
  it('is told once it does not, and again once it is as wide as it would have had to be', () => {
    const { told, become } = lineOf(800, 700)
    expect(told).toEqual([true])
    become({ clientWidth: 600 })
    // What was too wide has gone behind a button: that alone does not bring it back.
    become({ needs: 300 })
    become({ clientWidth: 699 })
    expect(told).toEqual([true, false])
    become({ clientWidth: 700 })
    expect(told).toEqual([true, false, true])
  })

  it('is looked at again when the words in it change', async () => {
    const { line, told, become, stop } = lineOf(800, 700)
    Object.assign(line, { textContent: 'A longer title' })
    become({ needs: 900 })
    await expect.poll(() => told).toEqual([true, false])
    stop()
  })
})
