import { vi } from 'vitest'

/** Waits until something holds: for so long that only a mistake takes longer, also on a busy machine. */
export const eventually = <T>(holds: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(holds, { timeout: 20_000 })
