import type { CallArgument, CallName, CallOutcome } from '#shared/bridge/calls.ts'
import type { RawListAnswer } from '#shared/raw/list.ts'
import { noLimits } from '#shared/api/answers.ts'

type RawCall = Extract<CallName, `raw/${string}` | `downloads/${string}`>

type RawAnswers = {
  [N in RawCall]: (argument: CallArgument<N>) => CallOutcome<N> | Promise<CallOutcome<N>>
}

const good = <T>(value: T) => ({ ok: true as const, value })
const refused = () => ({
  ok: false as const,
  failure: { kind: 'internal' as const, message: 'Words about internal.' },
})

/** A list that was never asked for. */
export const emptyList: RawListAnswer = {
  reports: [],
  results: 0,
  pages: 0,
  limits: noLimits,
  usage: {},
  fetchedAt: null,
  refreshing: false,
  failure: null,
  lack: null,
}

/** An account without any raw report, as a window sees it. */
export const rawAnswers: RawAnswers = {
  'raw/list': () => good(emptyList),
  'raw/report': refused,
  'raw/cancel': () => good({ done: [], failed: [] }),
  'raw/remove': () => good(null),
  'raw/undo-remove': ({ reports }) => good(reports),
  'raw/request': refused,
  'raw/request-all': refused,
  'raw/queue': () => good({ requests: [], limits: null }),
  'raw/order-queue': () => good(null),
  'raw/drop-request': () => good(null),
  'raw/send-again': () => good(null),
  'raw/last-columns': refused,
  'raw/templates': () => good([]),
  'raw/save-template': refused,
  'raw/remove-template': () => good(null),
  'raw/undo-remove-template': () => good(null),
  'raw/schedules': () => good([]),
  'raw/save-schedule': refused,
  'raw/remove-schedule': () => good(null),
  'downloads/list': () => good([]),
  'downloads/start': refused,
  'downloads/pause': () => good(null),
  'downloads/resume': () => good(null),
  'downloads/cancel': () => good({ stays: null }),
  'downloads/order': () => good(null),
  'downloads/show': () => good(null),
  'downloads/show-report': () => good(null),
  'downloads/open': () => good(null),
}
