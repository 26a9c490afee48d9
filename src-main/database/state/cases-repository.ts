import * as v from 'valibot'
import { caseEntry, caseFindings, caseId, caseRequest } from '#shared/cases/case.ts'
import type { Case, CaseEntry, CaseFindings, CaseId, CaseNote, CaseRequest } from '#shared/cases/case.ts'
import { scopeKey } from '#shared/cases/scope.ts'
import { DeskFailure } from '#shared/api/failure.ts'
import type { RowsFileId } from '#shared/archives/rows-file.ts'
import type { AccountId, Instant } from '#shared/values/ids.ts'
import { instant } from '#shared/values/schemas.ts'
import type { Reader, Writer } from '../sqlite/database.ts'
import { addRequest } from './raw-requests-repository.ts'
import type { StoredRequest } from './raw-requests-repository.ts'

type ACase = { readonly account: AccountId; readonly id: CaseId }

/** More than anybody finds their way in. */
const maxCases = 1000

const written = <S extends v.GenericSchema>(schema: S) => v.pipe(v.string(), v.parseJson(), schema)
/** What cannot be read any more can be made again. */
const findings = v.fallback(v.nullable(written(caseFindings)), null)
const moment = v.fallback(v.nullable(instant), null)
const head = v.object({
  id: caseId,
  begunAt: instant,
  entry: written(caseEntry),
  requests: v.fallback(written(v.array(caseRequest)), []),
  savedAt: moment,
  savedOf: moment,
  sentAt: moment,
})
const whole = v.pipe(
  v.object({ ...head.entries, made: findings, before: findings }),
  // What was found of another scope, or of one that is not known, is nothing to compare with.
  v.transform(({ before, ...stored }): Case => {
    const key = scopeKey(stored.entry.scope)
    return { ...stored, before: before?.scope && scopeKey(before.scope) === key ? before : null }
  }),
)

const columns =
  'id, begun_at AS begunAt, entry, requests, saved_at AS savedAt, saved_of AS savedOf, sent_at AS sentAt'

function caseOf(from: Reader, { account, id }: ACase): Case {
  const row = from.row(`SELECT ${columns}, made, before FROM cases WHERE account = ? AND id = ?`, account, id)
  const read = v.safeParse(whole, row)
  if (!read.success) throw gone()
  return read.output
}

/** Notes what a case asked for, and the archives that belong to it. Its scope is not written: it never changes. */
function noteRows(
  into: Writer,
  { account, id }: ACase,
  requests: readonly CaseRequest[],
  files: readonly RowsFileId[],
): void {
  into.write(
    "UPDATE cases SET requests = ?, entry = json_set(entry, '$.files', json(?)) WHERE account = ? AND id = ?",
    ...[JSON.stringify(requests), JSON.stringify([...new Set(files)]), account, id],
  )
}

export const caseOperations = {
  /** An account's cases, the newest first. A row that is no case is passed over. */
  'cases/list': (from: Reader, account: AccountId): readonly Omit<Case, 'made' | 'before'>[] =>
    from
      .rows(`SELECT ${columns} FROM cases WHERE account = ? ORDER BY begun_at DESC, id`, account)
      .flatMap((row) => {
        const read = v.safeParse(head, row)
        return read.success ? [read.output] : []
      }),
  /** @throws DeskFailure `invalid` where there is no such case */
  'cases/of': (from: Reader, params: ACase): Case => caseOf(from, params),
  'cases/add': (
    into: Writer,
    { account, id, begunAt, entry }: ACase & { readonly begunAt: Instant; readonly entry: CaseEntry },
  ): null => {
    into.together(() => {
      const there = into.row('SELECT count(*) AS n FROM cases WHERE account = ?', account)
      if (Number(there?.['n']) >= maxCases) throw tooMany()
      into.write(
        'INSERT INTO cases (id, account, begun_at, entry) SELECT ?, id, ?, ? FROM accounts WHERE id = ?',
        ...[id, begunAt, JSON.stringify(entry), account],
      )
    })
    return null
  },
  /** Changes what a person says of a case; its scope stays. */
  'cases/note': (
    into: Writer,
    { account, id, note: { name, notes } }: ACase & { readonly note: CaseNote },
  ): null => {
    into.write(
      "UPDATE cases SET entry = json_set(entry, '$.name', ?, '$.notes', ?) WHERE account = ? AND id = ?",
      ...[name, notes, account, id],
    )
    return null
  },
  /**
   * Puts requests for a case's rows into the queue and notes them with the case: both or neither, so that none is asked for twice.
   * @throws DeskFailure `invalid` where there is no such case
   */
  'cases/request-rows': (
    into: Writer,
    {
      requests,
      ...of
    }: ACase & { readonly requests: readonly (StoredRequest & { readonly name: string })[] },
  ): null => {
    into.together(() => {
      for (const request of requests) addRequest(into, request)
      const more = requests.flatMap(({ id, name, draft: { instance, start, end } }): CaseRequest[] =>
        instance === null
          ? []
          : [
              {
                request: id,
                instance: { id: instance, name },
                range: { start, end },
                report: null,
                file: null,
              },
            ],
      )
      const { entry, requests: before } = caseOf(into, of)
      noteRows(into, of, [...before, ...more], entry.files)
    })
    return null
  },
  /** Notes which report a request became, and which archive holds its rows: from then on they belong to the case. */
  'cases/rows-came': (
    into: Writer,
    { came, ...of }: ACase & { readonly came: readonly Pick<CaseRequest, 'request' | 'report' | 'file'>[] },
  ): null => {
    into.together(() => {
      const { entry, requests } = caseOf(into, of)
      const noted = requests.map((item) => ({
        ...item,
        ...came.find(({ request }) => request === item.request),
      }))
      noteRows(into, of, noted, [...entry.files, ...came.flatMap(({ file }) => file ?? [])])
    })
    return null
  },
  /** Keeps what a case came to; what it came to before stands beside it, where that is of the same scope. */
  'cases/made': (into: Writer, { account, id, made }: ACase & { readonly made: CaseFindings }): null => {
    into.write(
      'UPDATE cases SET before = made, made = ? WHERE account = ? AND id = ?',
      ...[JSON.stringify(made), account, id],
    )
    return null
  },
  /** Notes that the pack was saved, and of findings of which time. */
  'cases/saved': (
    into: Writer,
    { account, id, at, of }: ACase & { readonly at: Instant; readonly of: Instant },
  ): null => {
    into.write(
      'UPDATE cases SET saved_at = ?, saved_of = ? WHERE account = ? AND id = ?',
      at,
      of,
      account,
      id,
    )
    return null
  },
  /** Notes when a person sent the pack; null takes it back. */
  'cases/sent': (into: Writer, { account, id, at }: ACase & { readonly at: Instant | null }): null => {
    into.write('UPDATE cases SET sent_at = ? WHERE account = ? AND id = ?', at, account, id)
    return null
  },
  'cases/remove': (from: Writer, { account, id }: ACase): null => {
    from.write('DELETE FROM cases WHERE account = ? AND id = ?', account, id)
    return null
  },
} as const

const invalid = (message: string) => new DeskFailure({ kind: 'invalid', message })
const gone = () => invalid('This case has been removed.')
const tooMany = () =>
  invalid(`An account has at most ${maxCases.toLocaleString('en')} cases. Remove some first.`)
