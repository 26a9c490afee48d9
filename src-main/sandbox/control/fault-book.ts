import type { Fault } from '../contracts/behaviour.ts'

/** The faults that wait to happen. */
export type FaultBook = {
  readonly add: (fault: Fault) => void
  readonly clear: () => void
  /** What still waits, with the times that are left. */
  readonly waiting: () => readonly Fault[]
  /**
   * The fault for one request, oldest first; taking it uses up one of its times.
   * @param path an endpoint's path such as `direct/browsers`, or `download`
   */
  readonly take: (path: string) => Fault | undefined
}

export function createFaultBook(): FaultBook {
  let faults: Fault[] = []
  return {
    add: (fault) => {
      faults.push(fault)
    },
    clear: () => {
      faults = []
    },
    waiting: () => [...faults],
    take: (path) => {
      const found = faults.find((fault) => fault.path === null || fault.path === path)
      if (!found) return undefined
      const left = found.times === null ? null : found.times - 1
      faults = faults.flatMap((fault) => {
        if (fault !== found) return [fault]
        return left === 0 ? [] : [{ ...found, times: left }]
      })
      return found
    },
  }
}
