import * as v from 'valibot'
import { caseEntry, caseFindings, caseId, caseRequest } from '#shared/cases/case.ts'
import type { Case, CaseEntry, CaseFindings, CaseId, CaseNote, CaseRequest } from '#shared/cases/case.ts'
import { scopeKey } from '#shared/cases/scope.ts'
import { invalid } from '#shared/api/failure.ts'
import type { RowsFileId } from '#shared/archives/rows-file.ts'
import type { AccountId, Instant } from '#shared/values/ids.ts'
import { instant, json } from '#shared/values/schemas.ts'
import type { Reader, Writer } from '../sqlite/database.ts'
import { has, insert, remove, table, update } from '../sqlite/database.ts'
import { recountToStore } from './archives-repository.ts'
import { addRequest } from './raw-requests-repository.ts'
import type { StoredRequest } from './raw-requests-repository.ts'

type ACase = { readonly account: AccountId; readonly id: CaseId }

/** More than anybody finds their way in. */
const maxCases = 1000

/** What cannot be read any more can be made again. */
const findings = v.fallback(v.nullable(json(caseFindings)), null)
/** Findings in the form in which they are stored. */
function findingsText({ archives, ...made }: CaseFindings): string {
  const stored = archives.map((archive) => ({
    ...archive,
    recount: archive.recount && recountToStore(archive.recount),
  }))
  return JSON.stringify({ ...made, archives: stored })
}

const moment = v.fallback(v.nullable(instant), null)
const head = v.object({
  id: caseId,
  begunAt: instant,
  entry: json(caseEntry),
  requests: v.fallback(json(v.array(caseRequest)), []),
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

const heads = table('cases', head)
const cases = table('cases', whole)

/** @throws DeskFailure `invalid` where there is no such case */
function caseOf(from: Reader, { account, id }: ACase): Case {
  const found = cases.first(from, 'WHERE account = ? AND id = ?', account, id)
  if (!found) throw gone()
  return found
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
    heads.list(from, 'WHERE account = ? ORDER BY begun_at DESC, id', account),
  'cases/of': caseOf,
  'cases/add': (
    into: Writer,
    { account, id, begunAt, entry }: ACase & { readonly begunAt: Instant; readonly entry: CaseEntry },
  ): void =>
    into.together(() => {
      const there = into.row('SELECT count(*) AS n FROM cases WHERE account = ?', account)
      if (Number(there?.['n']) >= maxCases) throw tooMany()
      if (has(into, 'accounts', { id: account })) insert(into, 'cases', { id, account, begunAt, entry })
    }),
  /** Changes what a person says of a case; its scope stays. */
  'cases/note': (
    into: Writer,
    { account, id, note: { name, notes } }: ACase & { readonly note: CaseNote },
  ): void =>
    void into.write(
      "UPDATE cases SET entry = json_set(entry, '$.name', ?, '$.notes', ?) WHERE account = ? AND id = ?",
      ...[name, notes, account, id],
    ),
  /**
   * Puts requests for a case's rows into the queue and notes them with the case: both or neither, so that none is asked for twice.
   * @throws DeskFailure `invalid` where there is no such case
   */
  'cases/request-rows': (
    into: Writer,
    {
      requests,
      ...which
    }: ACase & { readonly requests: readonly (StoredRequest & { readonly name: string })[] },
  ): void =>
    into.together(() => {
      for (const request of requests) addRequest(into, request)
      const more = requests.flatMap(({ id: request, name, draft }): CaseRequest[] => {
        const { instance: id, start, end } = draft
        const nothingYet = { report: null, file: null }
        return id === null ? [] : [{ request, instance: { id, name }, range: { start, end }, ...nothingYet }]
      })
      const { entry, requests: before } = caseOf(into, which)
      noteRows(into, which, [...before, ...more], entry.files)
    }),
  /** Notes which report a request became, and which archive holds its rows: from then on they belong to the case. */
  'cases/rows-came': (
    into: Writer,
    {
      came,
      ...which
    }: ACase & { readonly came: readonly Pick<CaseRequest, 'request' | 'report' | 'file'>[] },
  ): void =>
    into.together(() => {
      const { entry, requests } = caseOf(into, which)
      const noted = requests.map((item) => ({
        ...item,
        ...came.find(({ request }) => request === item.request),
      }))
      noteRows(into, which, noted, [...entry.files, ...came.flatMap(({ file }) => file ?? [])])
    }),
  /** Keeps what a case came to; what it came to before stands beside it, where that is of the same scope. */
  'cases/made': (into: Writer, { account, id, made }: ACase & { readonly made: CaseFindings }): void =>
    void into.write(
      'UPDATE cases SET before = made, made = ? WHERE account = ? AND id = ?',
      ...[findingsText(made), account, id],
    ),
  /** Notes that the pack was saved, and of findings of which time. */
  'cases/saved': (
    into: Writer,
    { account, id, savedAt, savedOf }: ACase & Readonly<Record<'savedAt' | 'savedOf', Instant>>,
  ): void => void update(into, 'cases', { account, id }, { savedAt, savedOf }),
  /** Notes when a person sent the pack; null takes it back. */
  'cases/sent': (into: Writer, { account, id, sentAt }: ACase & { readonly sentAt: Instant | null }): void =>
    void update(into, 'cases', { account, id }, { sentAt }),
  'cases/remove': (from: Writer, { account, id }: ACase): void => void remove(from, 'cases', { account, id }),
} as const

const gone = () => invalid('This case was deleted.')
const tooMany = () =>
  invalid(`An account can have ${maxCases.toLocaleString('en')} cases. Delete some first.`)
