/** A request that the sandbox answered, for tests that count what was asked. It never holds a token. */
export type LoggedRequest = {
  /** An endpoint's path such as `direct/browsers`, or `download`. */
  readonly path: string
  readonly status: number
  /** The sandbox's time, in milliseconds since 1970. */
  readonly at: number
  readonly parameters: Readonly<Record<string, unknown>>
}

export type RequestLog = {
  readonly add: (request: Omit<LoggedRequest, 'at'>) => void
  /** Oldest first. */
  readonly list: () => readonly LoggedRequest[]
  readonly clear: () => void
}

/** A sandbox may run for days behind the sample data: older requests are let go. */
const KEPT = 5_000

export function createRequestLog(now: () => number): RequestLog {
  let requests: LoggedRequest[] = []
  return {
    add: ({ path, status, parameters }) => {
      const shown = Object.entries(parameters).filter(([name]) => name !== 'token')
      requests.push({ path, status, at: now(), parameters: Object.fromEntries(shown) })
      if (requests.length > 2 * KEPT) requests = requests.slice(-KEPT)
    },
    list: () => requests.slice(-KEPT),
    clear: () => {
      requests = []
    },
  }
}
