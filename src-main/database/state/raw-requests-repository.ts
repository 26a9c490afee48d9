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

/** A request as it is kept, those that became reports too. */
export type StoredRequest = Omit<RawRequest, 'state'> & {
  readonly state: RawRequestState
  readonly account: AccountId
  /** The day of the schedule's turn that it was made for. */
  readonly turn: Day | null
  /** When it last left, or was about to: from then on the service may have made its report. */
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
    turn: v.nullable(day),
    madeAt: instant,
    state: json(requestState),
    sentAt: v.nullable(instant),
  }),
)

const becameReports = table('raw_requests', v.object({ report: rawReportId }))
const became = table('raw_requests', v.object({ id: rawRequestId, report: v.nullable(rawReportId) }))

/** What waits to become a report, in the person's order. A row that is no request is passed over. */
const openRequests = (from: Reader, account: AccountId): readonly StoredRequest[] =>
  requests.list(from, 'WHERE report IS NULL AND account = ? ORDER BY place, rowid', account)

/** Puts a request at the end. @returns false where its turn was asked for already */
export function insertRequest(into: Writer, request: StoredRequest): boolean {
  const { id, account, draft, schedule, turn, madeAt, state, sentAt } = request
  const last = into.row('SELECT max(place) AS place FROM raw_requests WHERE account = ?', account)?.['place']
  const template = stillThere(into, request.template)
  const place = Number(last ?? -1) + 1
  const values = { id, account, place, draft, template, schedule, turn, madeAt, state, sentAt }
  return insert(into, 'raw_requests', values)
}

/** A template that has gone meanwhile names nothing any more. */
const stillThere = (from: Reader, template: StoredRequest['template']) =>
  template !== null && has(from, 'raw_templates', { id: template }) ? template : null

/** @throws DeskFailure where the account has gone, or has too many already */
export function addRequest(into: Writer, request: StoredRequest): void {
  into.together(() => {
    if (!has(into, 'accounts', { id: request.account })) throw invalid('This account has been removed.')
    // Counted, not read: hundreds are added together.
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
  /** It is only changed where it stands so. */
  readonly from: readonly RawRequestState['kind'][]
}

/** Whether a request stands so; and, where a draft is given, whether it is still the one that it asks for. */
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

/** So many sets of columns of a type are remembered, of so many requests at most. */
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

/** The last list that was kept, and since when each of its reports has been known here. */
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

/** What stands in the queues of all accounts and does not go on automatically, in the order in which it was asked for. */
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
  /** Adds all of them, or none. @throws DeskFailure as for one */
  'raw-requests/add-all': (into: Writer, all: readonly StoredRequest[]): void =>
    into.together(() => all.forEach((request) => addRequest(into, request))),
  /**
   * Changes what is asked for. It keeps its place, and has not left as what it is now.
   * @returns whether it was there, and neither being sent nor looked for
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
   * Writes down that a waiting request is about to leave.
   * @returns false where it does not wait (any more), or is another one by now: then it must not leave
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
  /** @returns whether it stood so, and was changed */
  'raw-requests/state': (into: Writer, { id, state, from }: StateChange): boolean =>
    into.together(() => stands(into, id, from) && update(into, 'raw_requests', { id }, { state }) > 0),
  /** It has become this report. It is kept: reports know their template by it, and turns that they were asked for. */
  'raw-requests/done': (
    into: Writer,
    { id, report }: { readonly id: RawRequestId; readonly report: RawReportId },
  ): boolean =>
    into.write('UPDATE raw_requests SET report = ? WHERE id = ? AND report IS NULL', report, id) > 0,
  /** @returns whether it was there and has not just been sent */
  'raw-requests/drop': (
    from: Writer,
    { account, id }: { readonly account: AccountId; readonly id: RawRequestId },
  ): boolean =>
    from.together(
      () =>
        stands(from, id, ['waiting', 'looking', 'unclear', 'refused']) &&
        remove(from, 'raw_requests', { id, account }) > 0,
    ),
  /** Brings them into a new order. Ids that are unknown are passed over; those that are not named come last. */
  'raw-requests/order': (
    into: Writer,
    { account, ids }: { readonly account: AccountId; readonly ids: readonly RawRequestId[] },
  ): void => into.together(() => writeOrder(into, account, ids)),
  /** The reports that requests of this desk became. */
  'raw-requests/reports': (from: Reader, account: AccountId): readonly RawReportId[] =>
    becameReports.list(from, 'WHERE account = ? AND report IS NOT NULL', account).map(({ report }) => report),
  /** What requests of an account became; those that are forgotten, or were dropped, are not among them. */
  'raw-requests/became': (
    from: Reader,
    account: AccountId,
  ): ReadonlyMap<RawRequestId, { readonly report: RawReportId | null }> =>
    new Map(became.list(from, 'WHERE account = ?', account).map(({ id, report }) => [id, { report }])),
  'raw-requests/seen-list': seenList,
  'raw-requests/last-columns': lastColumns,
  /** Forgets those that became reports before then: the reports have long expired. */
  'raw-requests/forget': (from: Writer, before: Instant): void =>
    void from.write('DELETE FROM raw_requests WHERE report IS NOT NULL AND made_at < ?', before),
} as const
