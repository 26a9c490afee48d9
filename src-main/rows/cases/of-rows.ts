import type {
  CaseArchive,
  CaseCluster,
  CaseEntry,
  CaseFindings,
  CasePart,
} from '../../../src-shared/cases/case.ts'
import { DeskFailure, failureOf } from '../../../src-shared/desk/desk-failure.ts'
import type { Recount } from '../../../src-shared/rows/answers.ts'
import { badResults } from '../../../src-shared/rows/question.ts'
import type { RowsCondition } from '../../../src-shared/rows/question.ts'
import { addDays } from '../../../src-shared/values/day.ts'
import type { Day } from '../../../src-shared/values/day.ts'
import type { AccountId, Instant } from '../../../src-shared/values/ids.ts'
import type { Asked, DayCount, Looked, ReadRows } from '../engine/calls.ts'
import type { RowsEngine } from '../engine/engine.ts'
import { columnsOf } from '../engine/relation.ts'
import { momentOf } from '../engine/zone.ts'

export type CaseRowsParts = {
  readonly engine: Pick<RowsEngine, 'call'>
  readonly soundly: <A>(account: AccountId, looking: Promise<Looked<A>>) => Promise<A>
  readonly zoneOf: (account: AccountId) => string
  readonly recount: (account: AccountId, read: ReadRows) => Promise<Recount>
  /** What stands out among rows; the section of a case that says so is left out where nobody looks for it. */
  readonly clusters?: (account: AccountId, asked: Asked) => Promise<readonly CaseCluster[]>
}

type OfRows = Pick<
  CaseFindings,
  'rows' | 'results' | 'rowDays' | 'ruleSets' | 'trafficTypes' | 'sources' | 'clusters' | 'archives' | 'lacks'
>

/** So many values of a column stand in a case. */
const mostValues = 50
const mostSources = 12

const startOf = (day: Day, zone: string): Instant => momentOf(Date.parse(`${day}T00:00:00Z`), zone) as Instant

/**
 * The rows that a case is about: of its subject, within its days.
 * @throws DeskFailure `invalid` where the archives have no column that tells the subject
 */
export function rowsOfCase(entry: CaseEntry, read: readonly ReadRows[], zone: string): Asked {
  const files = read.map(({ entry: file }) => file)
  const columnOf = (standard: string) => columnsOf(files).find((each) => each.standard === standard)?.name
  const is = (standard: string, value: string | null): RowsCondition[] => {
    if (value === null) return []
    const column = columnOf(standard)
    if (column === undefined)
      throw new DeskFailure({
        kind: 'invalid',
        message: `The archives have no column that names the ${standard}.`,
      })
    return [{ column, out: false, test: value === '' ? { is: 'empty' } : { is: 'is', value } }]
  }
  const conditions = [...is('source', entry.source), ...is('campaign', entry.campaign)]
  return {
    files,
    conditions: [...conditions, ...within(entry, columnOf('timestamp'), zone)],
    sort: [],
    key: null,
  }
}

function within({ range }: CaseEntry, time: string | undefined, zone: string): RowsCondition[] {
  if (time === undefined) return []
  const test = {
    is: 'between',
    from: startOf(range.start, zone),
    to: startOf(addDays(range.end, 1), zone),
  } as const
  return [{ column: time, out: false, test }]
}

/** What the rows of a case come to. Nothing is thrown: what could not be had is said. */
export async function countRowsOfCase(
  account: AccountId,
  entry: CaseEntry,
  read: readonly ReadRows[],
  parts: CaseRowsParts,
): Promise<OfRows> {
  const { engine, soundly } = parts
  const zone = parts.zoneOf(account)
  const lacks: CaseFindings['lacks'] = []
  const had = async <A>(what: string, ask: () => Promise<A>, otherwise: A): Promise<A> => {
    try {
      return await ask()
    } catch (error) {
      lacks.push({ what, failure: failureOf(error) })
      return otherwise
    }
  }
  const all: Asked = { files: read.map(({ entry: file }) => file), conditions: [], sort: [], key: null }
  const columnOf = (standard: string) => columnsOf(all.files).find((each) => each.standard === standard)?.name
  const asked =
    read.length === 0
      ? null
      : await had('Rows', async () => Promise.resolve(rowsOfCase(entry, read, zone)), null)

  const partsOf = async (standard: string, of: Asked, most: number): Promise<CasePart[]> => {
    const column = columnOf(standard)
    if (column === undefined) return []
    const question = {
      by: [{ column, by: 'value' }],
      groupSort: { by: { what: 'rows' }, direction: 'desc' },
    } as const
    const found = await soundly(
      account,
      engine.call('groups', { ...of, ...question, search: '', offset: 0, limit: most, zone }),
    )
    return found.groups.map(({ keys, rows, bad }) => ({ value: keys[0] ?? '', rows, bad }))
  }
  const counted =
    asked && (await had('Rows', () => soundly(account, engine.call('days', { ...asked, zone })), null))
  const judged = columnOf('result') !== undefined
  const found = <A>(what: string, ask: (of: Asked) => Promise<readonly A[]>): Promise<A[]> =>
    had(what, async () => (asked ? [...(await ask(asked))] : []), [])
  const time = within(entry, columnOf('timestamp'), zone)
  return {
    rows: sumOf(counted ?? [], judged),
    results: judged ? byKey(counted ?? [], ({ result }) => result, judged) : [],
    rowDays: byKey(counted ?? [], ({ day }) => day, judged),
    ruleSets: await found('Rows by rule set', (of) => partsOf('rule_sets', of, mostValues)),
    trafficTypes: await found('Rows by type', (of) => partsOf('invalid_traffic_type', of, mostValues)),
    sources: await found('Rows of other sources', () =>
      partsOf('source', { ...all, conditions: time }, mostSources),
    ),
    clusters: await found('Clusters', async (of) => (await parts.clusters?.(account, of)) ?? []),
    archives: await archivesOf(),
    lacks,
  }

  async function archivesOf(): Promise<CaseArchive[]> {
    const archives: CaseArchive[] = []
    for (const each of read) {
      const { id: file, name, count: rows, unreadable, readAt } = each.entry
      const own = asked && { ...asked, files: [each.entry] }
      const page = { offset: 0, limit: 1, columns: [] }
      const ofCase = own ? await had(`Rows of ${name}`, () => countIn(own, page), 0) : 0
      const recount = await had(`The recount of ${name}`, () => parts.recount(account, each), null)
      archives.push({ file, name, rows, ofCase, unreadable, readAt, recount })
    }
    return archives
  }

  async function countIn(
    own: Asked,
    page: { offset: number; limit: number; columns: never[] },
  ): Promise<number> {
    const names = new Set(columnsOf(own.files).map(({ name }) => name))
    // An archive without the column has none of these rows.
    if (!own.conditions.every(({ column }) => names.has(column))) return 0
    return (await soundly(account, engine.call('page', { ...own, ...page }))).total
  }
}

const isBad = ({ result }: DayCount) => badResults.includes(result)

function sumOf(counted: readonly DayCount[], judged: boolean): { rows: number; bad: number | null } {
  const sum = (some: readonly DayCount[]) => some.reduce((all, { rows }) => all + rows, 0)
  return { rows: sum(counted), bad: judged ? sum(counted.filter(isBad)) : null }
}

function byKey(
  counted: readonly DayCount[],
  keyOf: (count: DayCount) => string,
  judged: boolean,
): CasePart[] {
  const keys = [...new Set(counted.map(keyOf))].sort()
  return keys.map((value) => ({
    value,
    ...sumOf(
      counted.filter((each) => keyOf(each) === value),
      judged,
    ),
  }))
}
