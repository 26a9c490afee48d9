import type { MoversAnswer } from '#shared/reports/answer.ts'
import { moversKey } from '#shared/reports/query.ts'
import type { MovedBy } from '#shared/reports/query.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { App } from './app.ts'
import type { Inquiry, QueryAdapter } from './inquiry.svelte.ts'
import { inquireWhileShown } from './inquiry.svelte.ts'

/** Which rows moved most from `before` to the query's days, by the count under `header` or by its rate. */
export type MoversQuestion = MovedBy & {
  readonly query: TableQuery
  readonly before: DayRange
  readonly header: string
}

/** So many rows in each direction. */
export const MAX_MOVERS = 5

const adapter: QueryAdapter<MoversQuestion, MoversAnswer> = {
  keyOf: ({ query, before, header, ...how }) => moversKey(query, before, header, how),
  call: (bridge, account, question, force) =>
    bridge.call('reports/movers', { account, ...question, max: MAX_MOVERS, force }),
}

export type Movers = Inquiry<MoversQuestion, MoversAnswer>

/** The rows that moved most, while the calling component is on screen; null asks for none. */
export const askMovers = (app: App, account: AccountId, question: () => MoversQuestion | null): Movers =>
  inquireWhileShown(app, account, adapter, question)
