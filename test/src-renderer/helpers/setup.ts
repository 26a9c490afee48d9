import { performance } from 'node:perf_hooks'
import { afterAll, afterEach, vi } from 'vitest'

// jsdom tells the time, but keeps no marks.
Object.defineProperty(globalThis, 'performance', { value: performance, configurable: true, writable: true })

// Each test is somebody else's: nothing that was typed before is there.
afterEach(() => localStorage.clear())

// What a view loads in advance may be on its way as the last test of a file ends: after that nothing can be loaded.
afterAll(() => vi.dynamicImportSettled())
