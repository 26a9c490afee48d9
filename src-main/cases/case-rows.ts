import type { CaseArchive, CaseCluster, CaseEntry, CaseFindings, CasePart } from '#shared/cases/case.ts'
import { failureOf, invalid } from '#shared/api/failure.ts'
import type { RowsGroups, Cluster, RowsCondition } from '#shared/archives/rows.ts'
import { badResults } from '#shared/archives/rows.ts'
import { addDays, parseDay } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { AccountId, Instant } from '#shared/values/ids.ts'
import type { DayCount, RowsEngine, RowsParams, Verified } from '#main/archives/engine/rows-engine.ts'
import type { Archives } from '#main/archives/archives.ts'
import { joinByRole } from '#shared/archives/rows-file.ts'
import type { RowsEntry } from '#main/analytics/rows-layout.ts'
import { columnsOf } from '#main/archives/engine/relation.ts'
import { momentOf } from '#main/archives/engine/time.ts'
import { countedOnceIn, isCounted } from './case-archives.ts'
import type { CaseFile, CountedFile } from './case-archives.ts'
import { gapOf } from './case-figures.ts'
import type { Gap } from './case-figures.ts'
import { chanceWords, clusterKindWords, clusterWords } from '#shared/texts/archives.ts'

type OfRows = Pick<
  CaseFindings,
  | 'rows'
  | 'results'
  | 'rowDays'
  | 'ruleSets'
  | 'trafficTypes'
  | 'ruleTypes'
  | 'sources'
  | 'clusters'
  | 'archives'
  | 'lacks'
>

/** Maximum number of values of a column in a case. */
const maxValues = 50
const maxSources = 12
/** Maximum number of pairs of rule sets and types that are read for the meaning of codes. */
const maxPairs = 200

const startOf = (day: Day, zone: string): Instant => instantOf(momentOf(Date.parse(`${day}T00:00:00Z`), zone))

/** Name of the column with a role. A timestamp column must hold times: clock times without a date have no days. */
const columnNameOf = (standard: string, files: readonly RowsEntry[]): string | undefined =>
  columnsOf(files).find(
    (column) => column.standard === standard && (standard !== 'timestamp' || column.kind === 'time'),
  )?.name

/**
 * Query of a case's rows: rows of its scope in the archives that count, each once.
 * @throws DeskFailure `invalid` if the archives have no column for the subject
 */
export function rowsOfCase({ scope }: CaseEntry, files: readonly CountedFile[]): RowsParams {
  const counted = joinByRole(files.filter(isCounted).map(({ read }) => read.entry))
  const columnOf = (standard: string) => columnNameOf(standard, counted)
  const is = (standard: string, value: string | null): RowsCondition[] => {
    if (value === null) return []
    const column = columnOf(standard)
    if (column === undefined) throw invalid(`The archives have no column that names the ${standard}.`)
    return [{ column, out: false, test: value === '' ? { kind: 'empty' } : { kind: 'is', value } }]
  }
  return {
    files: counted,
    conditions: [
      ...is('source', scope.source),
      ...is('campaign', scope.campaign),
      ...within(scope, columnOf('timestamp')),
      ...countedOnceIn(files, scope),
    ],
    sort: [],
  }
}

function within({ range, zone }: CaseEntry['scope'], time: string | undefined): RowsCondition[] {
  if (time === undefined) return []
  const test = {
    kind: 'between',
    from: startOf(range.start, zone),
    to: startOf(addDays(range.end, 1), zone),
  } as const
  return [{ column: time, out: false, test }]
}

/** Counts the rows of a case. Never throws: `lacks` contains the failures. */
export const countRowsOfCase = (
  account: AccountId,
  entry: CaseEntry,
  files: readonly CaseFile[],
  archives: Archives,
): Promise<OfRows> => new CaseRowsCount(account, entry, files, archives).run()

class CaseRowsCount {
  readonly #account: AccountId
  readonly #entry: CaseEntry
  readonly #files: readonly CaseFile[]
  readonly #archives: Archives
  readonly #gaps: Gap[] = []

  constructor(account: AccountId, entry: CaseEntry, files: readonly CaseFile[], archives: Archives) {
    this.#account = account
    this.#entry = entry
    this.#files = files
    this.#archives = archives
  }

  #ask<A>(call: (engine: RowsEngine) => Promise<Verified<A>>): Promise<A> {
    return this.#archives.rows.ask(this.#account, call)
  }

  /** Clusters among the rows, with hours in the case's zone. */
  async #clusters(request: RowsParams): Promise<readonly CaseCluster[]> {
    const { zone } = this.#entry.scope
    const { clusters } = await this.#ask((engine) => engine.call('clusters', { ...request, zone }))
    return caseClusters(clusters)
  }

  async run(): Promise<OfRows> {
    const { scope } = this.#entry
    const { zone } = scope
    const isAny = this.#files.some(isCounted)
    const request = isAny
      ? await this.#had('Rows', async () => Promise.resolve(rowsOfCase(this.#entry, this.#files)), null)
      : null
    const days = (params: RowsParams) => this.#ask((engine) => engine.call('days', { ...params, zone }))
    const counted = request && (await this.#had('Rows', () => days(request), null))
    if (request) await this.#had('Rows without a time', () => this.#noteUntimed(request, days), null)
    const judged = this.#columnOf('result') !== undefined
    const found = <A>(what: string, ask: (params: RowsParams) => Promise<readonly A[]>): Promise<A[]> =>
      this.#had(what, async () => (request ? [...(await ask(request))] : []), [])
    return {
      rows: sumOf(counted ?? [], judged),
      results: judged ? byKey(counted ?? [], ({ result }) => result, judged) : [],
      rowDays: byKey(counted ?? [], ({ day }) => day, judged),
      ruleSets: await found('Rows by rule set', (params) => this.#partsOf('rule_sets', params, maxValues)),
      trafficTypes: await found('Rows by type', (params) =>
        this.#partsOf('invalid_traffic_type', params, maxValues),
      ),
      ruleTypes: await found('Types by rule set', (params) => this.#ruleTypes(params)),
      sources: await found('Rows of other sources', (params) => {
        const others = [...within(scope, this.#columnOf('timestamp')), ...countedOnceIn(this.#files, scope)]
        return this.#partsOf('source', { ...params, conditions: others }, maxSources)
      }),
      clusters: await found('Clusters', (params) => this.#clusters(params)),
      archives: await this.#countedArchives(request),
      lacks: this.#gaps,
    }
  }

  async #had<A>(what: string, ask: () => Promise<A>, otherwise: A): Promise<A> {
    try {
      return await ask()
    } catch (error) {
      this.#gaps.push({ what, failure: failureOf(error) })
      return otherwise
    }
  }

  #columnOf(standard: string): string | undefined {
    const counted = this.#files.filter(isCounted).map(({ read }) => read.entry)
    return columnNameOf(standard, counted)
  }

  /** Reports rows of the subject without a readable time: they have no day and do not count. */
  async #noteUntimed(
    request: RowsParams,
    days: (params: RowsParams) => Promise<readonly DayCount[]>,
  ): Promise<null> {
    const time = this.#columnOf('timestamp')
    if (time === undefined) {
      this.#gaps.push(gapOf('Days', 'The archives have no times. All rows count, whatever their day.'))
      return null
    }
    const anyTime = request.conditions.filter(({ test }) => test.kind !== 'between')
    const counted = await days({ ...request, conditions: anyTime })
    const untimed = counted.filter(({ day }) => parseDay(day) === undefined)
    const rows = untimed.reduce((sum, dayCount) => sum + dayCount.rows, 0)
    if (rows > 0)
      this.#gaps.push(
        gapOf(
          'Rows without a time',
          rows === 1
            ? '1 row has no readable time and does not count.'
            : `${rows.toLocaleString('en')} rows have no readable time and do not count.`,
        ),
      )
    return null
  }

  async #partsOf(standard: string, params: RowsParams, max: number): Promise<CasePart[]> {
    const groups = await this.#groupsOf([standard], params, max)
    return groups.map(({ keys, rows, bad }) => ({ value: keys[0] ?? '', rows, bad }))
  }

  /** Types of the rows that broke a single rule set, which show the meaning of its code. */
  async #ruleTypes(params: RowsParams): Promise<CaseFindings['ruleTypes']> {
    const types = new Map<string, string[]>()
    for (const { keys } of await this.#groupsOf(['rule_sets', 'invalid_traffic_type'], params, maxPairs)) {
      const [code = '', type = ''] = keys.map((key) => key.trim())
      if (code !== '' && !code.includes(',') && type !== '')
        types.set(code, [...(types.get(code) ?? []), type])
    }
    return [...types].map(([code, found]) => ({ code, types: found.toSorted() }))
  }

  /** Most frequent values of columns; empty if a column is missing. */
  async #groupsOf(
    standards: readonly string[],
    params: RowsParams,
    max: number,
  ): Promise<RowsGroups['groups']> {
    const columns = standards.map((standard) => this.#columnOf(standard))
    const by = columns.flatMap((column) => (column === undefined ? [] : [{ column, by: 'value' } as const]))
    if (by.length < standards.length) return []
    const groupsQuery = { by, groupSort: { by: { kind: 'rows' }, direction: 'desc' } } as const
    const page = { search: '', offset: 0, limit: max, zone: this.#entry.scope.zone }
    const wanted = { ...params, ...groupsQuery, ...page }
    const { groups } = await this.#ask((engine) => engine.call('groups', wanted))
    return groups
  }

  async #countedArchives(request: RowsParams | null): Promise<CaseArchive[]> {
    const archives: CaseArchive[] = []
    for (const caseFile of this.#files) {
      const { read, instance, excludedBecause: left } = caseFile
      const { id: file, name, count: rows, unreadable, readAt } = read.entry
      const own = request && isCounted(caseFile) ? { ...request, files: [read.entry] } : null
      const ofCase = own ? await this.#had(`Rows of ${name}`, () => this.#countIn(own), 0) : 0
      const { zone } = this.#entry.scope
      const recount = await this.#had(
        `The recount of ${name}`,
        () => this.#archives.recounting.run(this.#account, read, zone),
        null,
      )
      archives.push({ file, name, rows, ofCase, unreadable, readAt, recount, instance, left })
    }
    return archives
  }

  async #countIn(own: RowsParams): Promise<number> {
    const names = new Set(columnsOf(own.files).map(({ name }) => name))
    // An archive without the column has no matching rows.
    const has = own.conditions.every(({ column, test }) => test.kind === 'once' || names.has(column))
    if (!has) return 0
    const page = { offset: 0, limit: 1, columns: [] }
    const { total } = await this.#ask((engine) => engine.call('page', { ...own, ...page }))
    return total
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
      counted.filter((dayCount) => keyOf(dayCount) === value),
      judged,
    ),
  }))
}

/** Maximum number of clusters in a case, least probable first. */
const max = 30

/** Converts clusters for a case. */
const caseClusters = (clusters: readonly Cluster[]): readonly CaseCluster[] =>
  clusters.slice(0, max).map((cluster) => ({
    what: clusterKindWords[cluster.kind],
    value: cluster.value === '' ? '(empty)' : cluster.value,
    rows: cluster.rows,
    bad: cluster.bad,
    words: `${clusterWords(cluster, 'en')}; by chance ${chanceWords(cluster.chance, 'en')}`,
  }))
