import { isDeepStrictEqual } from 'node:util'
import * as v from 'valibot'
import { rawDraft, rawReportId, rawRequestId, rawScheduleId, rawTemplateId } from '#shared/bridge/schemas.ts'
import { branded, day, failure, instant, json } from '#shared/values/schemas.ts'
import { invalid } from '#shared/api/failure.ts'
import type {
  StuckRequest,
  RawColumnSet,
  RawLastColumns,
  RawRequest,
  RawRequestId,
  RawRequestState,
} from '#shared/raw/requests.ts'
import type { RawDraft } from '#shared/raw/draft.ts'
import type { ProcessingLimits, RawListRow } from '#shared/api/answers.ts'
import type { RawType } from '#shared/api/raw-columns.ts'
import { maxRequests } from '#shared/raw/requests.ts'
import { rawTypes } from '#shared/api/raw-columns.ts'
import type { Day } from '#shared/values/day.ts'
import type { AccountId, Instant, RawReportId } from '#shared/values/ids.ts'
import type { Reader, Writer } from '../sqlite/database.ts'
import { has, insert, remove, table, update } from '../sqlite/database.ts'
import { storedLimits, storedRow } from './raw-list.ts'

/** A stored request, including those that became reports. */
export type StoredRequest = Omit<RawRequest, 'state'> & {
  readonly state: RawRequestState
  readonly account: AccountId
  /** Day of the schedule's occurrence, or null without a schedule. */
  readonly occurrence: Day | null
  /** Time of the last attempt to send, stored before sending. From then on the service may have created the report. */
  readonly sentAt: Instant | null
}

const requestState: v.GenericSchema<unknown, RawRequestState> = v.variant('kind', [
  v.object({
    kind: v.literal('waiting'),
    for: v.picklist(['turn', 'concurrent', 'minutes', 'connection', 'token']),
  }),
  v.object({ kind: v.literal('sending') }),
  v.object({ kind: v.picklist(['looking', 'unclear']), since: instant }),
  v.object({ kind: v.literal('refused'), failure, fields: v.record(v.string(), v.string()) }),
])

const requests = table<StoredRequest>(
  'raw_requests',
  v.object({
    id: rawRequestId,
    account: branded<AccountId>(v.pipe(v.string(), v.uuid())),
    draft: json(rawDraft),
    template: v.nullable(rawTemplateId),
    schedule: v.nullable(rawScheduleId),
    occurrence: v.nullable(day),
    madeAt: instant,
    state: json(requestState),
    sentAt: v.nullable(instant),
  }),
  { occurrence: 'turn' },
)

const becameReports = table('raw_requests', v.object({ report: rawReportId }))
const became = table('raw_requests', v.object({ id: rawRequestId, report: v.nullable(rawReportId) }))

/** Lists requests that are not reports yet, in the user's order. Skips invalid rows. */
const openRequests = (from: Reader, account: AccountId): readonly StoredRequest[] =>
  requests.list(from, 'WHERE report IS NULL AND account = ? ORDER BY place, rowid', account)

/** Adds a request at the end. @returns false if its occurrence was already requested */
export function insertRequest(into: Writer, request: StoredRequest): boolean {
  const { id, account, draft, schedule, occurrence: turn, madeAt, state, sentAt } = request
  const last = into.row('SELECT max(place) AS place FROM raw_requests WHERE account = ?', account)?.['place']
  const template = stillThere(into, request.template)
  const place = Number(last ?? -1) + 1
  const values = { id, account, place, draft, template, schedule, turn, madeAt, state, sentAt }
  return insert(into, 'raw_requests', values)
}

/** Returns the template, or null if it was deleted. */
const stillThere = (from: Reader, template: StoredRequest['template']) =>
  template !== null && has(from, 'raw_templates', { id: template }) ? template : null

/** @throws DeskFailure if the account was removed or has too many requests */
export function addRequest(into: Writer, request: StoredRequest): void {
  into.together(() => {
    if (!has(into, 'accounts', { id: request.account })) throw invalid('This account has been removed.')
    // Counts without reading, because hundreds are added at once.
    const waiting = 'SELECT count(*) AS count FROM raw_requests WHERE account = ? AND report IS NULL'
    if (Number(into.row(waiting, request.account)?.['count']) >= maxRequests) {
      throw invalid(`At most ${maxRequests.toLocaleString('en')} requests can wait. Remove some first.`)
    }
    insertRequest(into, request)
  })
}

type StateChange = {
  readonly id: RawRequestId
  readonly state: RawRequestState
  /** The request changes only from one of these states. */
  readonly from: readonly RawRequestState['kind'][]
}

/** Whether a request is in one of these states and, if given, has this draft. */
const stands = (from: Reader, id: RawRequestId, states: StateChange['from'], draft?: RawDraft) => {
  const request = requests.first(from, 'WHERE report IS NULL AND id = ?', id)
  if (!request || !states.includes(request.state.kind)) return false
  return draft === undefined || isDeepStrictEqual(request.draft, draft)
}

function writeOrder(into: Writer, account: AccountId, ids: readonly RawRequestId[]): void {
  const there = new Set(openRequests(into, account).map(({ id }) => id))
  const named = [...new Set(ids)].filter((id) => there.delete(id))
  for (const [place, id] of [...named, ...there].entries()) {
    update(into, 'raw_requests', { id }, { place })
  }
}

/** Maximum column sets per type, and maximum requests searched for them. */
const [maxSets, maxRead] = [5, 50]

function lastColumns(from: Reader, account: AccountId): RawLastColumns {
  const last = (type: RawType) => {
    const made = requests.list(
      from,
      `WHERE account = ? AND json_extract(draft, '$.type') = ? ORDER BY made_at DESC, rowid DESC LIMIT ?`,
      ...[account, type, maxRead],
    )
    const sets = new Map<string, RawColumnSet>()
    for (const { draft } of made) {
      const { standard, additional, name } = draft
      const key = JSON.stringify([standard.toSorted(), additional.toSorted()])
      if (!sets.has(key)) sets.set(key, { standard, additional, name })
    }
    return sets.size > 0 ? [[type, [...sets.values()].slice(0, maxSets)] as const] : []
  }
  return Object.fromEntries(rawTypes.flatMap(last))
}

/** The last stored list, and when each report was first seen. */
type SeenList = {
  readonly limits: ProcessingLimits
  readonly reports: readonly { readonly row: RawListRow; readonly firstSeen: Instant }[]
}

const lists = table('raw_lists', v.object({ limits: storedLimits }))
const listedReports = table('raw_reports', v.object({ row: storedRow, firstSeen: instant }))

function seenList(from: Reader, account: AccountId): SeenList | null {
  const list = lists.first(from, 'WHERE account = ?', account)
  return list
    ? { ...list, reports: listedReports.list(from, 'WHERE account = ? AND lists_without = 0', account) }
    : null
}

/** Lists requests of all accounts that need the user, in order of creation. */
function stuckRequests(from: Reader): readonly StuckRequest[] {
  const rest = `WHERE report IS NULL
    AND CASE WHEN json_valid(state) THEN state ->> '$.kind' END IN ('refused', 'unclear') ORDER BY made_at, rowid`
  return requests
    .list(from, rest)
    .flatMap(({ account, id, draft, state }) =>
      state.kind === 'refused' || state.kind === 'unclear'
        ? { account, request: id, name: draft.name, state }
        : [],
    )
}

export const rawRequestOperations = {
  'raw-requests/stuck': stuckRequests,
  'raw-requests/open': openRequests,
  'raw-requests/add': addRequest,
  /** Adds all requests, or none. @throws DeskFailure like `raw-requests/add` */
  'raw-requests/add-all': (into: Writer, all: readonly StoredRequest[]): void =>
    into.together(() => all.forEach((request) => addRequest(into, request))),
  /**
   * Changes a request's draft. The request keeps its place, and counts as unsent.
   * @returns false if the request is missing, being sent or being searched for
   */
  'raw-requests/change': (
    into: Writer,
    { account, id, draft, template }: Pick<StoredRequest, 'account' | 'id' | 'draft' | 'template'>,
  ): boolean =>
    into.together(() => {
      if (!stands(into, id, ['waiting', 'unclear', 'refused'])) return false
      const state: RawRequestState = { kind: 'waiting', for: 'turn' }
      const changes = { draft, template: stillThere(into, template), state, sentAt: null }
      return update(into, 'raw_requests', { id, account }, changes) > 0
    }),
  /**
   * Marks a waiting request as being sent.
   * @returns false if the request no longer waits or has changed; then it must not be sent
   */
  'raw-requests/sending': (
    into: Writer,
    { id, draft, sentAt }: Pick<StoredRequest, 'id' | 'draft'> & { readonly sentAt: Instant },
  ): boolean =>
    into.together(() => {
      if (!stands(into, id, ['waiting'], draft)) return false
      const state: RawRequestState = { kind: 'sending' }
      return update(into, 'raw_requests', { id }, { state, sentAt }) > 0
    }),
  /** @returns whether the request was in one of the states and was changed */
  'raw-requests/state': (into: Writer, { id, state, from }: StateChange): boolean =>
    into.together(() => stands(into, id, from) && update(into, 'raw_requests', { id }, { state }) > 0),
  /** Notes the report of a request. The request remains, because it links the report's template and the schedule's occurrences. */
  'raw-requests/done': (
    into: Writer,
    { id, report }: { readonly id: RawRequestId; readonly report: RawReportId },
  ): boolean =>
    into.write('UPDATE raw_requests SET report = ? WHERE id = ? AND report IS NULL', report, id) > 0,
  /** @returns whether the request existed and was not being sent */
  'raw-requests/drop': (
    from: Writer,
    { account, id }: { readonly account: AccountId; readonly id: RawRequestId },
  ): boolean =>
    from.together(
      () =>
        stands(from, id, ['waiting', 'looking', 'unclear', 'refused']) &&
        remove(from, 'raw_requests', { id, account }) > 0,
    ),
  /** Stores a new order. Unknown ids are ignored; requests that are not listed come last. */
  'raw-requests/order': (
    into: Writer,
    { account, ids }: { readonly account: AccountId; readonly ids: readonly RawRequestId[] },
  ): void => into.together(() => writeOrder(into, account, ids)),
  /** Lists reports that were requested in this app. */
  'raw-requests/reports': (from: Reader, account: AccountId): readonly RawReportId[] =>
    becameReports.list(from, 'WHERE account = ? AND report IS NOT NULL', account).map(({ report }) => report),
  /** Returns the reports of an account's requests. Deleted requests are not included. */
  'raw-requests/became': (
    from: Reader,
    account: AccountId,
  ): ReadonlyMap<RawRequestId, { readonly report: RawReportId | null }> =>
    new Map(became.list(from, 'WHERE account = ?', account).map(({ id, report }) => [id, { report }])),
  'raw-requests/seen-list': seenList,
  'raw-requests/last-columns': lastColumns,
  /** Deletes requests that became reports and are older than `before`; their reports have expired. */
  'raw-requests/forget': (from: Writer, before: Instant): void =>
    void from.write('DELETE FROM raw_requests WHERE report IS NOT NULL AND made_at < ?', before),
} as const
