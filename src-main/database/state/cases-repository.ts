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

/** Maximum number of cases per account. */
const maxCases = 1000

/** Unreadable findings become null; the user can create them again. */
const findings = v.fallback(v.nullable(json(caseFindings)), null)
/** Converts findings to their stored form. */
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
  // Findings of another or unknown scope cannot be compared.
  v.transform(({ before, ...stored }): Case => {
    const key = scopeKey(stored.entry.scope)
    return { ...stored, before: before?.scope && scopeKey(before.scope) === key ? before : null }
  }),
)

const heads = table('cases', head)
const cases = table('cases', whole)

/** @throws DeskFailure `invalid` if the case does not exist */
function caseOf(from: Reader, { account, id }: ACase): Case {
  const found = cases.first(from, 'WHERE account = ? AND id = ?', account, id)
  if (!found) throw caseGone()
  return found
}

/** Stores the requests and archives of a case. Its scope never changes, so it is not written. */
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
  /** Lists an account's cases, newest first. Skips invalid rows. */
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
  /** Changes the name and notes of a case. */
  'cases/note': (
    into: Writer,
    { account, id, note: { name, notes } }: ACase & { readonly note: CaseNote },
  ): void =>
    void into.write(
      "UPDATE cases SET entry = json_set(entry, '$.name', ?, '$.notes', ?) WHERE account = ? AND id = ?",
      ...[name, notes, account, id],
    ),
  /**
   * Queues requests for a case's rows and links them to the case. One transaction, so that no rows are requested twice.
   * @throws DeskFailure `invalid` if the case does not exist
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
  /** Stores the report of each request and the archive of its rows. The archives then belong to the case. */
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
  /** Stores findings of a case. The previous ones remain for comparison. */
  'cases/made': (into: Writer, { account, id, made }: ACase & { readonly made: CaseFindings }): void =>
    void into.write(
      'UPDATE cases SET before = made, made = ? WHERE account = ? AND id = ?',
      ...[findingsText(made), account, id],
    ),
  /** Stores when the pack was saved, and the time of its findings. */
  'cases/saved': (
    into: Writer,
    { account, id, savedAt, savedOf }: ACase & Readonly<Record<'savedAt' | 'savedOf', Instant>>,
  ): void => void update(into, 'cases', { account, id }, { savedAt, savedOf }),
  /** Stores when the user sent the pack; null for not sent. */
  'cases/sent': (into: Writer, { account, id, sentAt }: ACase & { readonly sentAt: Instant | null }): void =>
    void update(into, 'cases', { account, id }, { sentAt }),
  'cases/remove': (from: Writer, { account, id }: ACase): void => void remove(from, 'cases', { account, id }),
} as const

const caseGone = () => invalid('This case was deleted.')
const tooMany = () =>
  invalid(`An account can have ${maxCases.toLocaleString('en')} cases. Delete some first.`)
