import * as v from 'valibot'
import { caseEntry, caseFindings, caseId } from '../../src-shared/cases/case.ts'
import type { Case, CaseEntry, CaseFindings, CaseId } from '../../src-shared/cases/case.ts'
import { DeskFailure } from '../../src-shared/desk/desk-failure.ts'
import type { AccountId, Instant } from '../../src-shared/values/ids.ts'
import { instant } from '../../src-shared/values/schemas.ts'
import type { Reader, Writer } from '../lib/sqlite/database.ts'

type ACase = { readonly account: AccountId; readonly id: CaseId }

/** More than anybody finds their way in. */
const mostCases = 1000

const written = <S extends v.GenericSchema>(schema: S) => v.pipe(v.string(), v.parseJson(), schema)
/** What cannot be read any more can be made again. */
const findings = v.fallback(v.nullable(written(caseFindings)), null)
const head = v.object({ id: caseId, begunAt: instant, entry: written(caseEntry) })
const whole = v.object({ ...head.entries, made: findings, before: findings })

const columns = 'id, begun_at AS begunAt, entry'

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
  'cases/of': (from: Reader, { account, id }: ACase): Case => {
    const row = from.row(
      `SELECT ${columns}, made, before FROM cases WHERE account = ? AND id = ?`,
      account,
      id,
    )
    const read = v.safeParse(whole, row)
    if (!read.success) throw gone()
    return read.output
  },
  'cases/add': (
    into: Writer,
    { account, id, begunAt, entry }: ACase & { readonly begunAt: Instant; readonly entry: CaseEntry },
  ): null => {
    into.together(() => {
      const there = into.row('SELECT count(*) AS n FROM cases WHERE account = ?', account)
      if (Number(there?.['n']) >= mostCases) throw tooMany()
      into.write(
        'INSERT INTO cases (id, account, begun_at, entry) SELECT ?, id, ?, ? FROM accounts WHERE id = ?',
        ...[id, begunAt, JSON.stringify(entry), account],
      )
    })
    return null
  },
  'cases/change': (into: Writer, { account, id, entry }: ACase & { readonly entry: CaseEntry }): null => {
    into.write('UPDATE cases SET entry = ? WHERE account = ? AND id = ?', JSON.stringify(entry), account, id)
    return null
  },
  /** Keeps what a case came to; what it came to before stands beside it. */
  'cases/made': (into: Writer, { account, id, made }: ACase & { readonly made: CaseFindings }): null => {
    into.write(
      'UPDATE cases SET before = made, made = ? WHERE account = ? AND id = ?',
      ...[JSON.stringify(made), account, id],
    )
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
  invalid(`An account has at most ${mostCases.toLocaleString('en')} cases. Remove some first.`)
