import type { RawContext } from '../raw-context.ts'
import { failureOf } from '#shared/api/failure.ts'
import { isRunning, lifeOf } from '#shared/raw/list.ts'
import type { ProcessingLimits, RawListRow, RawTableAnswer, Unknown, RawReport } from '#shared/api/answers.ts'
import { failureMeanings } from '#shared/api/failure-meanings.ts'
import type { Failure } from '#shared/api/failure.ts'
import { limits } from '#shared/api/parameters.ts'
import type { RawReportId, AccountId } from '#shared/values/ids.ts'
import type { ServiceClient } from '#main/api/client.ts'

/** All raw reports of an account, as listed by the service. */
export type FetchedList = {
  /** Unique per report. */
  readonly rows: readonly RawListRow[]
  readonly limits: ProcessingLimits
  readonly usage: Unknown
  /** Whether all reports are among the rows. Otherwise a missing row means nothing. */
  readonly complete: boolean
  /** Whether the breakdown of processing usage was requested and given. */
  readonly mayUsage: boolean
  /** Number of unreadable reports. */
  readonly unreadable: number
}

type ListParams = {
  readonly client: ServiceClient
  /** Whether to request the breakdown of processing usage, which only admin users may see. */
  readonly usage: boolean
  readonly signal: AbortSignal
}

/** Maximum number of attempts if the list changes during the fetch. */
const tries = 3
/** Maximum number of pages; more indicate a faulty service. */
const maxPages = 100
const longestId = 1000

type Pass = { readonly pages: readonly RawTableAnswer[]; readonly mayUsage: boolean }

/**
 * Fetches the whole list from raw/table. A list that changes between pages is fetched again, and returned as incomplete
 * after the last attempt.
 * @throws ServiceFailure, or DeskFailure without a token
 */
export async function fetchList(params: ListParams): Promise<FetchedList> {
  let usage = params.usage
  for (let attempt = 1; ; attempt += 1) {
    const pass = await onePass({ ...params, usage })
    usage = pass.mayUsage
    const list = joined(pass)
    // Another attempt would not make a report readable.
    if (list.complete || list.unreadable > 0 || attempt === tries) return list
  }
}

async function onePass(params: ListParams): Promise<Pass> {
  const { first, mayUsage } = await firstPage(params)
  const pages = [first]
  const pageCount = Math.min(first.query.pages, maxPages)
  for (let page = 2; page <= pageCount; page += 1) {
    const next = await ask(params, { page })
    // The list became shorter, so this pass is useless.
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

/**
 * Whether a failure means that the token may not see the breakdown. Services differ: the sandbox responds 403, others may
 * report a bad token.
 */
const isRefusal = ({ kind }: Failure): boolean =>
  failureMeanings[kind].remedy === 'none' || kind === 'refused-token'

async function firstPage(
  params: ListParams,
): Promise<{ readonly first: RawTableAnswer; readonly mayUsage: boolean }> {
  if (!params.usage) return { first: await ask(params, {}), mayUsage: false }
  try {
    const first = await ask(params, { processing_usage: true })
    return { first, mayUsage: Object.keys(first.usage).length > 0 }
  } catch (error) {
    if (!isRefusal(failureOf(error))) throw error
    return { first: await ask(params, {}), mayUsage: false }
  }
}

/** Whether an id can be stored and requested. Valid ids always can. */
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
    // An unreadable report could be any.
    complete: agree && first.query.results === merged.size && rows.length === merged.size && unreadable === 0,
    mayUsage,
    unreadable,
  }
}

/** Prefers the row of an ended report, which was read later. */
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
 * Fetches and stores a report's full record (specification: raw/report).
 * @throws ServiceFailure, `not-found` if the service does not know the report
 */
export async function fetchRecord(
  { store, accounts }: RawContext,
  { account, report, signal, priority }: ReportParams,
): Promise<RawReport> {
  const client = await accounts.clientFor(account)
  const { answer, receivedAt } = await client.call('raw/report', { raw: report }, { signal, priority })
  // The record belongs to the requested report, whatever id the response contains.
  const record = { ...answer, id: report }
  await store.run('raw-reports/keep-record', { account, record, recordAt: receivedAt })
  return record
}

/** Converts a record to a row of the list. */
export function rowOf(record: RawReport): RawListRow {
  const { id, name, instance_name, type, requested, created } = record
  const { failed, timed_out, cancelled, status, expires } = record
  return {
    ...{ id, name, type, requested, created, failed, timed_out, cancelled, status, expires },
    instance: instance_name,
    unknown: {},
  }
}
