import { performance } from 'node:perf_hooks'
import { afterAll, afterEach, vi } from 'vitest'
import { drawn } from './drawn.ts'

// jsdom tells the time, but keeps no marks.
Object.defineProperty(globalThis, 'performance', { value: performance, configurable: true, writable: true })

// What a browser has and jsdom has not.
window.ResizeObserver ??= class {
  observe = () => undefined
  unobserve = () => undefined
  disconnect = () => undefined
}
Element.prototype.scrollIntoView ??= () => undefined
Element.prototype.hasPointerCapture ??= () => false
window.matchMedia ??= (query) =>
  ({
    media: query,
    matches: false,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  }) as unknown as MediaQueryList

// The drawing library needs a real canvas. Tests see what it was told to draw (drawn.ts).
vi.mock('#renderer/components/chart/draw.ts', async () => ({ draw: (await import('./drawn.ts')).drawn }))

// Each test is somebody else's: nothing that was typed or drawn before is there, and time goes on.
afterEach(() => {
  localStorage.clear()
  drawn.mockClear()
  vi.useRealTimers()
})

// What a view loads in advance may be on its way as the last test of a file ends: after that nothing can be loaded.
afterAll(() => vi.dynamicImportSettled())
