import type { PairedAnswer, ReportAnswer } from '#shared/reports/answer.ts'
import { queryKey } from '#shared/reports/query.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { isWholeIn } from '#shared/reports/overview-figures.ts'
import type { App } from './app.ts'
import type { Inquiry, QueryAdapter } from './inquiry.svelte.ts'
import { inquireWhileShown } from './inquiry.svelte.ts'

/** The figures of two periods as they are shown. */
export type PairedQuestion = { readonly now: ReportAnswer; readonly before: ReportAnswer }

/** Figures that came anew, or lack other days, are another question. */
const stateOf = ({ query, provenance }: ReportAnswer): string =>
  `${queryKey(query)} ${provenance.fetchedAt} ${provenance.missing.join(' ')}`

const adapter: QueryAdapter<PairedQuestion, PairedAnswer> = {
  keyOf: ({ now, before }) => `paired ${stateOf(now)} ${stateOf(before)}`,
  call: (bridge, account, { now, before }) =>
    bridge.call('reports/paired', { account, query: now.query, before: before.query.range }),
}

export type Paired = Inquiry<PairedQuestion, PairedAnswer>

/**
 * What can be compared of two periods, while the calling component is on screen; it is asked where days are missing or were
 * counted in part.
 * @param zone the IANA zone in which the account's days begin
 */
export const askPaired = (
  app: App,
  account: AccountId,
  zone: string,
  question: () => PairedQuestion | null,
): Paired =>
  inquireWhileShown(app, account, adapter, () => {
    const asked = question()
    return asked && !isWholeIn(zone, asked.now, asked.before) ? asked : null
  })
