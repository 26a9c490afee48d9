import { recountNote, recountReasonWords } from '../texts/archives.ts'
import { daysOf, parseDay } from '../values/day.ts'
import type { Day } from '../values/day.ts'
import type { CaseEntry, CaseFindings, CasePart, CaseSide } from './case.ts'
import { changesOf, haveSameArchives, haveSameScopes } from './case.ts'
import { scopeFacts } from './scope.ts'
import { headline, methodOf, missingOf, othersWords, ratesWords, sideNote, worstOf } from '../texts/cases.ts'
import type { CaseFormats } from '../texts/cases.ts'

/** A value of a case for display. Null means unknown. */
export type CaseCell =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'count'; readonly value: number | null }
  | { readonly kind: 'share'; readonly value: number | null }
  | { readonly kind: 'day'; readonly day: Day }

export type CaseColumn = { readonly header: string; readonly kind: CaseCell['kind'] }

/** A table of a case. The first column has the row's name. */
export type CaseTable = {
  readonly columns: readonly CaseColumn[]
  readonly rows: readonly (readonly CaseCell[])[]
}

/**
 * Sections of a case in display order. View, pages and workbook use the same sections.
 * - `facts`: names and values; `list`: one line each; `table`; `words`: terms and their meaning
 */
export type CaseSection = {
  readonly title: string
  /** Name of the table, and of its sheet in the workbook. */
  readonly name: string
  /** Sentences before the body. */
  readonly lines: readonly string[]
  readonly body:
    | { readonly kind: 'facts' | 'words'; readonly pairs: readonly (readonly [string, string])[] }
    | { readonly kind: 'list'; readonly items: readonly string[] }
    | { readonly kind: 'text'; readonly text: string }
    | ({ readonly kind: 'table' } & CaseTable)
  /** Sentences after the body. */
  readonly notes: readonly string[]
  /** Whether a chart of the figures by day is shown with the section. */
  readonly chart?: true
}

/** A case with findings, its account's name, and the account's names for rule sets. */
export type CaseFacts = {
  readonly account: string
  readonly entry: CaseEntry
  readonly made: CaseFindings
  readonly before: CaseFindings | null
  readonly rules: ReadonlyMap<string, string>
}

const text = (words: string): CaseCell => ({ kind: 'text', text: words })
const count = (value: number | null): CaseCell => ({ kind: 'count', value })
const share = (value: number | null): CaseCell => ({ kind: 'share', value })
const column = (header: string, kind: CaseCell['kind'] = 'count'): CaseColumn => ({ header, kind })

/** Returns the sections of a case. Sections without content are left out. */
export function sectionsOf(facts: CaseFacts, formats: CaseFormats): readonly CaseSection[] {
  const { entry, made } = facts
  return [
    summary(facts, formats),
    missing(made),
    ...(entry.notes.trim() === '' ? [] : [notes(entry)]),
    ...changes(facts, formats),
    ...figures(entry, made, formats),
    byDay(entry, made, formats),
    ...instances(made),
    ...rowsByResult(entry, made, formats),
    ...parts(entry, 'By rule set', 'Rule sets', made.ruleSets, 'None'),
    ...ruleCodes(facts),
    ...parts(entry, 'By type of invalid traffic', 'Type', made.trafficTypes, 'None'),
    ...sources(entry, made),
    ...clusters(entry, made),
    archives(entry, made, formats),
    {
      ...{ title: 'Method and definitions', name: 'Method', lines: [], notes: [] },
      body: {
        kind: 'words',
        pairs: methodOf(entry, made).map(({ word, meaning }) => [word, meaning] as const),
      },
    },
  ]
}

function summary({ account, entry, made }: CaseFacts, formats: CaseFormats): CaseSection {
  const { zone } = entry.scope
  return {
    ...{ title: 'In short', name: 'Summary', notes: [] },
    lines: headline(entry, made, formats),
    body: {
      kind: 'facts',
      pairs: [
        ...scopeFacts(entry.scope, formats.days),
        ['Account', account],
        ['Service', made.service || 'Not known'],
        ['Updated', formats.moment(made.madeAt, zone)],
      ],
    },
  }
}

function missing(made: CaseFindings): CaseSection {
  const items = missingOf(made)
  return {
    ...{ title: 'What is missing', name: 'What is missing', notes: [] },
    lines:
      items.length === 0 ? ['Nothing. Figures are complete, with raw rows for every instance and day.'] : [],
    body: { kind: 'list', items },
  }
}

const notes = ({ notes: written }: CaseEntry): CaseSection => ({
  ...{ title: 'Notes', name: 'Notes', lines: [], notes: [] },
  body: { kind: 'text', text: written },
})

function changes({ made, before, entry }: CaseFacts, formats: CaseFormats): CaseSection[] {
  if (before === null) return []
  const { zone } = entry.scope
  const changed = changesOf(before, made)
  const title = `What changed since ${formats.moment(before.madeAt, zone)}`
  const lines = [
    ...(haveSameScopes(before, made)
      ? []
      : ['The token saw other instances then: the service may have changed nothing.']),
    ...(haveSameArchives(before, made) ? [] : ['Raw rows were added or removed.']),
  ]
  if (changed.length === 0)
    return [
      {
        ...{ title, name: 'What changed', lines, notes: [] },
        body: { kind: 'list', items: [lines.length === 0 ? 'Nothing changed.' : 'No figure changed.'] },
      },
    ]
  return [
    {
      ...{ title, name: 'What changed', lines, notes: [] },
      body: {
        kind: 'table',
        columns: [column('Figure', 'text'), column('Then'), column('Now')],
        rows: changed.map(({ what, before: then, after }) => [text(what), count(then), count(after)]),
      },
    },
  ]
}

/** Returns the name of a figure, the same in every table of a case. */
const nameIn = ({ now, before, others }: CaseFindings, header: string): string =>
  [now, before, others].flatMap((side) => side?.figures ?? []).find((item) => item.header === header)?.name ??
  header

function figures(entry: CaseEntry, made: CaseFindings, formats: CaseFormats): CaseSection[] {
  const { now, before, others } = made
  const { zone } = entry.scope
  const sides = [
    { words: 'These days', side: now },
    { words: 'The days before', side: before },
    { words: othersWords(entry), side: others },
  ]
  const headers = [...new Set(sides.flatMap(({ side }) => side?.figures.map(({ header }) => header) ?? []))]
  if (headers.length === 0) return []
  const figureOf = (side: CaseSide | null, header: string) =>
    side?.figures.find((figure) => figure.header === header)
  return [
    {
      ...{ title: 'Traffic and how much of it was bad', name: 'Figures', lines: [] },
      body: {
        kind: 'table',
        columns: [
          column('Figure', 'text'),
          ...sides.flatMap(({ words }) => [column(words), column('% of requests', 'share')]),
        ],
        rows: headers.map((header) => [
          text(nameIn(made, header)),
          ...sides.flatMap(({ side }) => {
            const figure = figureOf(side, header)
            return [count(figure?.value ?? null), share(figure?.share ?? null)]
          }),
        ]),
      },
      notes: sides.flatMap(({ words, side }) =>
        side === null
          ? []
          : [
              `${words}: ${formats.days(side.range)}, updated ${formats.moment(side.fetchedAt, zone)}${
                sideNote(side) === '' ? '' : `; ${sideNote(side)}`
              }.`,
            ],
      ),
    },
  ]
}

/** Rows are only shown beside figures if the rows cover the whole scope. */
function byDay(entry: CaseEntry, made: CaseFindings, formats: CaseFormats): CaseSection {
  const { scope } = entry
  const beside = made.covers === 'whole'
  const known = new Set<string>(daysOf(scope.range))
  const undated = made.rowDays.filter(({ value }) => parseDay(value) === undefined)
  return {
    ...{ title: 'By day', name: 'By day', chart: true },
    lines: [],
    body: {
      kind: 'table',
      columns: [
        column('Day', 'day'),
        ...made.headers.map((header) => column(nameIn(made, header))),
        ...(beside ? [column('Rows'), column(badRows(entry))] : []),
      ],
      rows: daysOf(scope.range).map((day): CaseCell[] => {
        const values = made.days.find((item) => item.day === day)?.values ?? made.headers.map(() => null)
        const rows = made.rowDays.find(({ value }) => value === day)
        return [
          { kind: 'day', day },
          ...values.map((value) => count(value)),
          ...(beside ? [count(rows?.rows ?? 0), count(rows ? rows.bad : null)] : []),
        ]
      }),
    },
    notes: [
      ...undated.map(({ rows }) => `${formats.count(rows)} more rows have no readable time.`),
      ...made.rowDays
        .filter(({ value }) => parseDay(value) !== undefined && !known.has(value))
        .map(({ value, rows }) => `${formats.count(rows)} more rows are on ${value}.`),
      `${beside ? `Rows are counted by days in ${scope.zone}, figures` : 'Figures are counted'} by the service’s days.`,
    ],
  }
}

function instances({ instances: found }: CaseFindings): CaseSection[] {
  if (found.length < 2) return []
  return [
    {
      ...{ title: 'Instances with traffic', name: 'Instances', lines: [], notes: [] },
      body: {
        kind: 'table',
        columns: [column('Instance', 'text'), column('Requests'), column('Raw reports')],
        rows: found.map(({ name, requests, archives: n }) => [text(name), count(requests), count(n)]),
      },
    },
  ]
}

function rowsByResult(entry: CaseEntry, made: CaseFindings, formats: CaseFormats): CaseSection[] {
  if (made.results.length === 0) return []
  return [
    {
      ...{ title: 'Raw rows by result', name: 'Rows by result' },
      lines: made.covers === 'whole' ? [] : ['Some rows only. See “What is missing”.'],
      body: {
        kind: 'table',
        columns: [column('Result', 'text'), column('Rows'), column('% of rows', 'share')],
        rows: made.results.map(({ value, rows }) => [
          text(value || 'None'),
          ...[count(rows), share(made.rows.rows === 0 ? null : rows / made.rows.rows)],
        ]),
      },
      notes: made.covers === 'whole' ? ratesWords(entry, made, formats) : [],
    },
  ]
}

/** Column title of the rows with the family's worst result. */
const badRows = ({ scope }: CaseEntry): string => `${worstOf[scope.family]} rows`

/** Columns for the number of rows and of the worst rows. */
const judgedColumns = (entry: CaseEntry): readonly CaseColumn[] => [
  ...[
    column('Rows'),
    column(badRows(entry)),
    column(`% ${worstOf[entry.scope.family].toLowerCase()}`, 'share'),
  ],
]
const judgedCells = ({ rows, bad }: Pick<CasePart, 'rows' | 'bad'>): readonly CaseCell[] => [
  ...[count(rows), count(bad), share(bad === null || rows === 0 ? null : bad / rows)],
]

function parts(
  entry: CaseEntry,
  title: string,
  header: string,
  found: readonly CasePart[],
  empty: string,
): CaseSection[] {
  if (found.length < 2) return []
  const columns = [column(header, 'text'), ...judgedColumns(entry)]
  const rows = found.map((part) => [text(part.value || empty), ...judgedCells(part)])
  return [{ title, name: title, lines: [], body: { kind: 'table', columns, rows }, notes: [] }]
}

/** Marks the case's own source among the others. */
function sources(entry: CaseEntry, made: CaseFindings): CaseSection[] {
  const named = made.sources.map((part) =>
    part.value === entry.scope.source ? { ...part, value: `${part.value} (this case)` } : part,
  )
  return parts(entry, 'Sources in the same archives', 'Source', named, '(empty)')
}

/** Explains the rule codes among the rows: the user's name and the types of invalid traffic. */
function ruleCodes({ made, rules }: CaseFacts): CaseSection[] {
  const codes = new Set(made.ruleSets.flatMap(({ value }) => value.split(',').map((item) => item.trim())))
  codes.delete('')
  if (codes.size === 0) return []
  return [
    {
      ...{ title: 'Rule codes', name: 'Rule codes' },
      lines: [
        'Each code stands for a group of the service’s rules. A row may break several. The type comes from rows that broke only this one.',
      ],
      body: {
        kind: 'words',
        pairs: [...codes].sort().map((code) => {
          const types = made.ruleTypes.find((ruleType) => ruleType.code === code)?.types ?? []
          const known = [rules.get(code), types.length > 0 ? `Type: ${types.join(', ')}` : undefined]
          const words = known.filter((item) => item !== undefined).join('. ')
          return [code, words || 'Not explained in the rows. See the service’s documentation.'] as const
        }),
      },
      notes: [],
    },
  ]
}

function clusters(entry: CaseEntry, { clusters: found }: CaseFindings): CaseSection[] {
  if (found.length === 0) return []
  return [
    {
      ...{ title: 'Clusters', name: 'Clusters', lines: [], notes: [] },
      body: {
        kind: 'table',
        columns: [
          ...[column('Column', 'text'), column('Value', 'text'), column('Why it stands out', 'text')],
          ...judgedColumns(entry),
        ],
        rows: found.map(({ what, value, words, ...part }) => [
          ...[text(what), text(value), text(words)],
          ...judgedCells(part),
        ]),
      },
    },
  ]
}

function archives({ scope: { zone } }: CaseEntry, made: CaseFindings, formats: CaseFormats): CaseSection {
  const about = { title: 'Archives and recount', name: 'Archives' }
  if (made.archives.length === 0)
    return {
      ...about,
      lines: [],
      body: { kind: 'list', items: ['No raw rows yet. Add rows to back up these figures.'] },
      notes: [],
    }
  return {
    ...about,
    lines: [],
    body: {
      kind: 'table',
      columns: [
        ...[column('Archive', 'text'), column('Instance', 'text'), column('Recount', 'text')],
        ...[column('Rows'), column('Of this case'), column('Unreadable lines'), column('Imported', 'text')],
      ],
      rows: made.archives.map(({ name, instance, left, rows, ofCase, unreadable, readAt, recount }) => [
        ...[
          text(name),
          text(made.instances.find(({ id }) => id === instance?.id)?.name ?? instance?.name ?? 'Not known'),
        ],
        text(left ?? recountWords(recount, zone)),
        ...[count(rows), count(ofCase), count(unreadable), text(formats.moment(readAt, zone))],
      ]),
    },
    notes: [
      `Each archive was counted against the tables on ${formats.moment(made.madeAt, zone)}, by days in ${zone}.`,
    ],
  }
}

function recountWords(recount: CaseFindings['archives'][number]['recount'], zone: string): string {
  if (recount === null) return 'Could not be counted.'
  const reasons = recount.outcome === 'agrees' ? [] : recount.reasons
  return [
    `${recountNote(recount, 'en')}.`,
    ...reasons.map((reason) => recountReasonWords(reason, zone)),
  ].join(' ')
}
