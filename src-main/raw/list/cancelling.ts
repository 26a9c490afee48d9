import { failureOf } from '#shared/app/desk-failure.ts'
import { isRunning, lifeOf } from '#shared/raw/life.ts'
import type { RawDone } from '#shared/raw/listed.ts'
import type { AccountId, RawReportId } from '#shared/values/ids.ts'
import { doneOf, isInDoubt, outcomesOf } from './feedback.ts'
import type { RawReportsParts } from './raw-reports-parts.ts'
import { fetchRecord } from './report-record.ts'

type Cancelled = { readonly account: AccountId; readonly report: RawReportId }

const notRunning = 'The report is not in progress any more.'

/**
 * Cancels a report that runs (specification: raw/cancel). It is asked for once; where the answer is lost, the report
 * tells what became of it.
 * @param changed called before and after the service is asked: lists from before are old
 */
export async function cancelReport(
  parts: Pick<RawReportsParts, 'accounts' | 'store'>,
  { account, report }: Cancelled,
  changed: () => void,
): Promise<RawDone> {
  const stored = await parts.store.run('raw-reports/read', { account, report })
  const names = new Map([[report, stored?.row.name ?? '']])
  const done = (words: string | null) => doneOf(new Map([[report, words]]), names)
  if (stored && !isRunning(lifeOf(stored.row).state)) return done(notRunning)
  changed()
  // Written down first: an end that was asked for here is no news, even if the app ends before the answer comes.
  await parts.store.run('raw-reports/mark', { account, reports: [report], cancelled: true })
  try {
    const words = await askToCancel(parts, { account, report })
    // One that was asked for before may still come about, or has.
    if (words.refused && stored?.cancelledHere !== true) {
      await parts.store.run('raw-reports/mark', { account, reports: [report], cancelled: false })
    }
    return done(words.words)
  } finally {
    changed()
  }
}

/** Null words say that it was cancelled; what was refused for certain is not going to be cancelled later either. */
async function askToCancel(
  parts: Pick<RawReportsParts, 'accounts' | 'store'>,
  { account, report }: Cancelled,
): Promise<{ readonly words: string | null; readonly refused: boolean }> {
  try {
    const client = await parts.accounts.clientFor(account)
    const { answer } = await client.call('raw/cancel', { raw: report })
    const words = outcomesOf(answer, [report]).get(report) ?? null
    return { words, refused: words !== null }
  } catch (error) {
    const { said, message } = failureOf(error)
    if (!isInDoubt(error)) return { words: said ?? message, refused: true }
    return { words: await lookAfter(parts, { account, report }, said ?? message), refused: false }
  }
}

async function lookAfter(
  parts: Pick<RawReportsParts, 'accounts' | 'store'>,
  asked: Cancelled,
  otherwise: string,
): Promise<string | null> {
  try {
    const { state, words } = lifeOf(await fetchRecord(parts, { ...asked, priority: 'person' }))
    return state === 'cancelled' ? null : `The answer was lost; the report is: ${words}.`
  } catch {
    return otherwise
  }
}
