import { afterEach, describe, expect, it, vi } from 'vitest'
import { fits } from '#renderer/components/view-head.ts'

afterEach(() => vi.unstubAllGlobals())

/** A line of `clientWidth` pixels whose content needs `needs`, or little while it is collapsed. */
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
    scrollWidth: {
      get: () => (line.classList.contains('collapsed') ? 0 : Math.max(widths.clientWidth, widths.needs)),
    },
  })
  const told: boolean[] = []
  const stop = fits((whole) => {
    line.classList.toggle('collapsed', !whole)
    told.push(whole)
  })(line)
  return {
    line,
    told,
    widths,
    stop,
    become: (changes: Partial<typeof widths>) => {
      Object.assign(widths, changes)
      resize()
    },
  }
}

describe('whether a line fits', () => {
  it('is told once it does not, and again once it is as wide as its content needs', () => {
    const { line, told, become } = lineOf(800, 700)
    become({ clientWidth: 600 })
    // What was too wide has gone behind a button: that alone does not bring it back.
    become({ clientWidth: 699 })
    expect(told).toEqual([false])
    expect(line.className).toBe('collapsed')
    become({ clientWidth: 700 })
    expect(told).toEqual([false, true])
  })

  it('is looked at again when the words in it change, also once they are gone', async () => {
    const { line, told, widths, stop } = lineOf(800, 700)
    widths.needs = 900
    line.textContent = 'Still waiting for the service.'
    await expect.poll(() => told).toEqual([false])
    widths.needs = 700
    line.textContent = ''
    await expect.poll(() => told).toEqual([false, true])
    stop()
  })
})
