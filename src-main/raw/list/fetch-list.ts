import type { AccountStore } from '#main/accounts/account-store.ts'
import type { Store } from '#main/database/state/state-store.ts'
import { failureOf } from '#shared/api/failure.ts'
import { isRunning, lifeOf } from '#shared/raw/list.ts'
import type { ProcessingLimits, RawListRow, RawTableAnswer, Unknown, RawReport } from '#shared/api/answers.ts'
import type { FailureKind } from '#shared/api/failure.ts'
import { limits } from '#shared/api/parameters.ts'
import type { RawReportId, AccountId } from '#shared/values/ids.ts'
import type { ServiceClient } from '#main/api/client.ts'

/** Accounts, as far as their raw reports hang on them. */
export type RawAccounts = Pick<AccountStore, 'account' | 'list' | 'clientFor'>

/** All of an account's raw reports, as the service told them. */
export type FetchedList = {
  /** Each report once. */
  readonly rows: readonly RawListRow[]
  readonly limits: ProcessingLimits
  readonly usage: Unknown
  /** Whether every report is among the rows: only then does it mean anything that one is not. */
  readonly complete: boolean
  /** Whether the breakdown of processing usage was asked for and given. */
  readonly mayUsage: boolean
  /** How many reports came and cannot be read. */
  readonly unreadable: number
}

type ListParams = {
  readonly client: ServiceClient
  /** Whether to ask for the breakdown of processing usage, which is for admin users only. */
  readonly usage: boolean
  readonly signal: AbortSignal
}

/** A list that changes while it is read is read again, so many times in all. */
const tries = 3
/** No service has as many pages; one that says so is not followed. */
const maxPages = 100
const longestId = 1000

type Pass = { readonly pages: readonly RawTableAnswer[]; readonly mayUsage: boolean }

/**
 * Fetches the whole list over raw/table. Where it changes between its pages it is fetched again; where it never comes
 * out whole, what came is given as incomplete.
 * @throws ServiceFailure, or DeskFailure for a token that is not there
 */
export async function fetchList(params: ListParams): Promise<FetchedList> {
  let usage = params.usage
  for (let attempt = 1; ; attempt += 1) {
    const pass = await onePass({ ...params, usage })
    usage = pass.mayUsage
    const list = joined(pass)
    // A report that cannot be read is no other the next time.
    if (list.complete || list.unreadable > 0 || attempt === tries) return list
  }
}

async function onePass(params: ListParams): Promise<Pass> {
  const { first, mayUsage } = await firstPage(params)
  const pages = [first]
  const pageCount = Math.min(first.query.pages, maxPages)
  for (let page = 2; page <= pageCount; page += 1) {
    const next = await ask(params, { page })
    // What is left of a list that shrank is not worth reading.
    if (next.rows.length === 0) break
    pages.push(next)
  }
  return { pages, mayUsage }
}

async function ask(
  { client, signal }: ListParams,
  more: { readonly page?: number; readonly processing_usage?: true },
): Promise<RawTableAnswer> {
  const given = { limit: limits.rowsPerPage, ...more }
  return (await client.call('raw/table', given, { signal, priority: 'background' })).answer
}

/** How services say that a token may not see the breakdown; the sandbox answers 403. */
const refusals: ReadonlySet<FailureKind> = new Set([
  'no-right',
  'bad-request',
  'refused-token',
  'out-of-window',
])

async function firstPage(
  params: ListParams,
): Promise<{ readonly first: RawTableAnswer; readonly mayUsage: boolean }> {
  if (!params.usage) return { first: await ask(params, {}), mayUsage: false }
  try {
    const first = await ask(params, { processing_usage: true })
    return { first, mayUsage: Object.keys(first.usage).length > 0 }
  } catch (error) {
    if (!refusals.has(failureOf(error).kind)) throw error
    return { first: await ask(params, {}), mayUsage: false }
  }
}

/** An id that can be kept, and asked for again; a service has no others. */
const isUsable = (id: string) => id.length <= longestId && !/[\p{Surrogate}\0]/u.test(id)

function joined({ pages, mayUsage }: Pass): FetchedList {
  const [first] = pages
  if (!first) throw new TypeError('A list has a first page')
  const rows = pages.flatMap((page) => page.rows)
  const merged = new Map<RawReportId, RawListRow>()
  for (const row of rows) {
    const other = merged.get(row.id)
    if (!other || isFurther(row, other)) merged.set(row.id, row)
  }
  const unreadable = pages.reduce((sum, page) => sum + (page.unreadable ?? 0), 0)
  const agree = pages.every(({ query }) => query.results === first.query.results)
  return {
    rows: [...merged.values()].filter(({ id }) => isUsable(id)),
    limits: first.limits,
    usage: first.usage,
    // A report that cannot be read may be any.
    complete: agree && first.query.results === merged.size && rows.length === merged.size && unreadable === 0,
    mayUsage,
    unreadable,
  }
}

/** Of two rows of one report, the one that tells of its end was read later. */
function isFurther(row: RawListRow, other: RawListRow): boolean {
  return isRunning(lifeOf(other).state) || !isRunning(lifeOf(row).state)
}

type ReportParams = {
  readonly account: AccountId
  readonly report: RawReportId
  readonly signal?: AbortSignal | undefined
  readonly priority: 'person' | 'background'
}

/**
 * Asks for a report's full record (specification: raw/report), and keeps it.
 * @throws ServiceFailure, `not-found` where the service does not know the report
 */
export async function fetchRecord(
  store: Store,
  accounts: RawAccounts,
  { account, report, signal, priority }: ReportParams,
): Promise<RawReport> {
  const client = await accounts.clientFor(account)
  const { answer, receivedAt } = await client.call('raw/report', { raw: report }, { signal, priority })
  // Whatever id the answer has: it is the record of the report that was asked for.
  const record = { ...answer, id: report }
  await store.run('raw-reports/keep-record', { account, record, recordAt: receivedAt })
  return record
}

/** A record as a row of the list. */
export function rowOf(record: RawReport): RawListRow {
  const { id, name, instance_name, type, requested, created } = record
  const { failed, timed_out, cancelled, status, expires } = record
  return {
    ...{ id, name, type, requested, created, failed, timed_out, cancelled, status, expires },
    instance: instance_name,
    unknown: {},
  }
}
