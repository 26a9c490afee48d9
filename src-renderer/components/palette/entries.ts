import { dimensionEntry, dimensionNames, offers, reportName, familyNames } from '#shared/api/dimensions.ts'
import type { Dimension } from '#shared/api/dimensions.ts'
import { commandEntry } from '#shared/app/commands.ts'
import type { Command } from '#shared/app/commands.ts'
import { saidDimensions, synonyms } from '#shared/texts/palette.ts'
import { usualChart } from '#shared/views/view-address.ts'
import type { ReportAddress, ViewAddress } from '#shared/views/view-address.ts'
import { savedNow } from '../../queries/saved-views.ts'
import type { WindowApp } from '../../stores/app.ts'
import { obey, commandKeys, keyWords, switchAccount } from '../frame/frame-commands.ts'
import type { PaletteEntry, Group } from './find.ts'
import { verbEntries } from './verbs.ts'

type Needed = Pick<WindowApp, 'navigation'>

/** State that belongs to one table of a dimension, and is reset with another table. */
export const anew = { filters: {}, search: null, startsWith: false, sort: [], page: 1 } as const

/** Names of a dimension's table. */
const saidOf = (dimension: Dimension): readonly string[] => [
  dimensionEntry(dimension).words,
  `by ${dimensionEntry(dimension).words}`,
  ...saidDimensions[dimension],
]

/** Reports of every dimension, with the current days and common filters. */
function reportEntries({ navigation }: Needed): PaletteEntry[] {
  return familyNames.flatMap((family) => {
    const dimensions = dimensionNames.filter((dimension) => offers(family, dimension))
    const overview: PaletteEntry = {
      id: `report:${family}/overview`,
      group: 'Reports',
      words: reportName(family),
      also: [`${reportName(family)} totals`],
      run: () => navigation.go(navigation.overview),
    }
    const tables = dimensions.map((dimension): PaletteEntry => ({
      id: `report:${family}/${dimension}`,
      group: 'Reports',
      words: reportName(family, dimension),
      also: saidOf(dimension),
      run: () => navigation.go({ ...navigation.report, family, dimension, ...anew }),
    }))
    return [overview, ...tables]
  })
}

/** Other dimensions of the open report; the rest of its address stays. */
function dimensionEntries({ navigation }: Needed): PaletteEntry[] {
  const { address } = navigation
  if (address.kind !== 'reports') return []
  const { family } = address
  return dimensionNames
    .filter((dimension) => offers(family, dimension) && dimension !== address.dimension)
    .map((dimension) => ({
      id: `by:${dimension}`,
      group: 'This report by',
      words: `By ${dimensionEntry(dimension).one}`,
      also: saidOf(dimension),
      run: () => navigation.go({ ...address, dimension, ...anew }),
    }))
}

/** Options of the open report. */
function toggleEntries({ navigation }: Needed, chart: ReportAddress['chart']): PaletteEntry[] {
  const { address } = navigation
  if (address.kind !== 'reports') return []
  const toggle = (id: string, what: string, on: boolean, change: Partial<ReportAddress>): PaletteEntry => ({
    id: `toggle:${id}`,
    group: 'Do',
    words: `${on ? 'Hide' : 'Show'} ${what}`,
    run: () => navigation.go({ ...address, ...change }),
  })
  return [
    toggle('chart', 'the chart', address.chart !== null, { chart: address.chart ? null : chart }),
    toggle('rates', 'rates', address.rates, { rates: !address.rates }),
    toggle('rules', 'rule sets', address.rules, { rules: !address.rules }),
  ]
}

/** Commands that the palette lists. */
const paletteCommands: readonly (readonly [Command, Group])[] = [
  ...(['refresh', 'find', 'save-view', 'export', 'raw-rows', 'copy-link', 'lock'] as const).map(
    (item) => [item, 'Do'] as const,
  ),
  ...(
    [
      'today',
      'overview',
      'accounts',
      'reports',
      'raw',
      'rows',
      'downloads',
      'cases',
      'findings',
      'schedules',
      'settings',
      'back',
      'forward',
    ] as const
  ).map((item) => [item, 'Go to'] as const),
  ...(['guide', 'words', 'keys', 'tour', 'happened', 'about'] as const).map(
    (item) => [item, 'Help'] as const,
  ),
]

/** Commands that need a view of figures. */
const ofFigures: readonly Command[] = ['refresh', 'save-view', 'export', 'raw-rows']

/** Commands that need a live account. */
const ofLive: readonly Command[] = ['refresh', 'save-view', 'raw-rows']

function commandEntries(app: WindowApp): PaletteEntry[] {
  const { kind: view } = app.navigation.address
  const isEarlier = app.desk.account?.kind === 'earlier'
  const figures = ['overview', 'reports'].includes(view)
  return paletteCommands
    .filter(
      ([command]) =>
        figures ||
        !ofFigures.includes(command) ||
        ((view === 'raw' || view === 'accounts') && command === 'refresh') ||
        (view === 'rows' && command !== 'refresh'),
    )
    .filter(([command]) => !isEarlier || !ofLive.includes(command))
    .map(([command, group]) => ({
      id: `command:${command}`,
      group,
      words: commandEntry(command).words,
      note: commandKeys(command),
      run: () => obey(app, command),
    }))
}

function viewEntries(app: WindowApp): PaletteEntry[] {
  return savedNow(app).map((view) => ({
    id: `view:${view.id}`,
    group: 'Views',
    words: view.name,
    also: [
      ...[`view ${view.name}`, `saved view ${view.name}`],
      ...(view.pinned ? ['saved offline', 'offline views'] : []),
    ],
    note: view.pinned ? 'Saved offline' : null,
    run: () => app.navigation.open(view.address, 'view'),
  }))
}

function accountEntries(app: WindowApp): PaletteEntry[] {
  const others = app.desk.accounts.map((account, index): PaletteEntry | null =>
    account.id === app.desk.account?.id
      ? null
      : {
          id: `account:${account.id}`,
          group: 'Accounts',
          words: account.name,
          also: [`account ${account.name}`, `switch ${account.name}`],
          note: index < 9 ? keyWords(String(index + 1)) : null,
          run: () => void switchAccount(app, account.id),
        },
  )
  return others.filter((entry) => entry !== null)
}

/** Entries that exist before anything is typed, with their synonyms. */
export function entriesNow(app: WindowApp): readonly PaletteEntry[] {
  return [
    ...viewEntries(app),
    ...dimensionEntries(app),
    ...reportEntries(app),
    ...verbEntries(app),
    ...toggleEntries(app, usualChart),
    ...commandEntries(app),
    ...accountEntries(app),
  ].map((entry) => ({ ...entry, also: [...(entry.also ?? []), ...(synonyms[entry.id] ?? [])] }))
}

const ofFiguresLikely = 'compare:period-before do:worst-sources do:moved do:export-pdf do:export-xlsx'.split(
  ' ',
)
const ofRowsLikely = ['do:block-list', 'do:new-case', 'do:add-file', 'command:export'] as const
const ofRawLikely = ['do:new-raw-report', 'command:rows', 'command:downloads'] as const

/** Likely entries of a view, by id. Other views suggest the way back to figures. */
const likelyIn: Readonly<Partial<Record<ViewAddress['kind'], readonly string[]>>> = {
  ...{ overview: ofFiguresLikely, reports: ofFiguresLikely, accounts: ofFiguresLikely },
  ...{ rows: ofRowsLikely, cases: ofRowsLikely, raw: ofRawLikely, downloads: ofRawLikely },
  settings: ['do:back-up', 'do:restore', 'theme:dark', 'do:add-account'],
}

/** Ids of likely entries in the current view. Some may not exist. */
export function likelyNow({ desk, navigation }: Pick<WindowApp, 'desk' | 'navigation'>): readonly string[] {
  const trouble = ['refused', 'no-token'].includes(desk.connection.kind) ? ['do:new-token'] : []
  const usual = likelyIn[navigation.address.kind] ?? ['command:overview', 'do:worst-sources', 'do:moved']
  return [...trouble, ...usual]
}
