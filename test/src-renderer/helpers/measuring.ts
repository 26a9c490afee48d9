import { performance } from 'node:perf_hooks'

// jsdom tells the time, but keeps no marks.
Object.defineProperty(globalThis, 'performance', { value: performance, configurable: true, writable: true })
