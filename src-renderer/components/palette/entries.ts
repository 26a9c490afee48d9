import { dimensionEntry, dimensionNames, offers, reportName, familyNames } from '#shared/api/dimensions.ts'
import type { Dimension } from '#shared/api/dimensions.ts'
import { commandEntry } from '#shared/app/commands.ts'
import type { Command } from '#shared/app/commands.ts'
import { saidDimensions, synonyms } from '#shared/texts/palette.ts'
import { usualChart } from '#shared/views/view-address.ts'
import type { ReportAddress, ViewAddress } from '#shared/views/view-address.ts'
import { savedViews } from '../../queries/saved-views.ts'
import type { App } from '../../stores/app.ts'
import { obey, commandKeys, keyWords, switchAccount } from '../frame/frame-commands.ts'
import type { Entry, Group } from './find.ts'
import { verbEntries } from './verbs.ts'

type Needed = Pick<App, 'navigation'>

/** What belongs to one table of one dimension, and is left behind with it. */
export const anew = { filters: {}, search: null, startsWith: false, sort: [], page: 1 } as const

/** How a dimension's table is called, besides by one of its rows. */
const saidOf = (dimension: Dimension): readonly string[] => [
  dimensionEntry(dimension).words,
  `by ${dimensionEntry(dimension).words}`,
  ...saidDimensions[dimension],
]

/** Every report that the service offers, over the days and the common filters of now. */
function reportEntries({ navigation }: Needed): Entry[] {
  return familyNames.flatMap((family) => {
    const dimensions = dimensionNames.filter((dimension) => offers(family, dimension))
    const overview: Entry = {
      id: `report:${family}/overview`,
      group: 'Reports',
      words: reportName(family),
      also: [`${reportName(family)} totals`],
      run: () => navigation.go(navigation.overview),
    }
    const tables = dimensions.map((dimension): Entry => ({
      id: `report:${family}/${dimension}`,
      group: 'Reports',
      words: reportName(family, dimension),
      also: saidOf(dimension),
      run: () => navigation.go({ ...navigation.report, family, dimension, ...anew }),
    }))
    return [overview, ...tables]
  })
}

/** The other dimensions of the report that is open: everything else about it stays. */
function dimensionEntries({ navigation }: Needed): Entry[] {
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

/** What can be switched on and off in the report that is open. */
function toggleEntries({ navigation }: Needed, chart: ReportAddress['chart']): Entry[] {
  const { address } = navigation
  if (address.kind !== 'reports') return []
  const toggle = (id: string, what: string, on: boolean, change: Partial<ReportAddress>): Entry => ({
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

/** The commands that the palette lists. */
const listed: readonly (readonly [Command, Group])[] = [
  ...(['refresh', 'find', 'save-view', 'export', 'raw-rows', 'copy-link', 'lock'] as const).map(
    (item) => [item, 'Do'] as const,
  ),
  ...(
    [
      'overview',
      'accounts',
      'reports',
      'raw',
      'rows',
      'downloads',
      'cases',
      'settings',
      'back',
      'forward',
    ] as const
  ).map((item) => [item, 'Go to'] as const),
  ...(['guide', 'words', 'keys', 'tour', 'happened', 'about'] as const).map(
    (item) => [item, 'Help'] as const,
  ),
]

/** What belongs to views of figures, and is not listed elsewhere. */
const ofFigures: readonly Command[] = ['refresh', 'save-view', 'export', 'raw-rows']

/** What takes a service that answers. */
const ofLive: readonly Command[] = ['refresh', 'save-view', 'raw-rows']

function commandEntries(app: App): Entry[] {
  const { kind: view } = app.navigation.address
  const isEarlier = app.desk.account?.kind === 'earlier'
  const figures = ['overview', 'reports'].includes(view)
  return listed
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

function viewEntries(app: App): Entry[] {
  // The header follows them.
  const list = app.queries.getQueryData(savedViews(app).queryKey) ?? []
  return list.map((view) => ({
    id: `view:${view.id}`,
    group: 'Views',
    words: view.name,
    also: [`view ${view.name}`, `saved view ${view.name}`],
    note: view.pinned ? 'Saved offline' : null,
    run: () => app.navigation.open(view.address, 'view'),
  }))
}

function accountEntries(app: App): Entry[] {
  const others = app.desk.accounts.map((account, index): Entry | null =>
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

/** Everything that can be chosen at this moment before anything is typed, each with what else people call it. */
export function entriesNow(app: App): readonly Entry[] {
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

/** What is most likely wanted in a view, by the ids of entries; elsewhere the way back to figures. */
const likelyIn: Readonly<Partial<Record<ViewAddress['kind'], readonly string[]>>> = {
  ...{ overview: ofFiguresLikely, reports: ofFiguresLikely, accounts: ofFiguresLikely },
  ...{ rows: ofRowsLikely, cases: ofRowsLikely, raw: ofRawLikely, downloads: ofRawLikely },
  settings: ['do:back-up', 'do:restore', 'theme:dark', 'do:add-account'],
}

/** What is most likely wanted where one is; those that are not there are passed over. */
export function likelyNow({ desk, navigation }: Pick<App, 'desk' | 'navigation'>): readonly string[] {
  const trouble = ['refused', 'no-token'].includes(desk.connection.kind) ? ['do:new-token'] : []
  const usual = likelyIn[navigation.address.kind] ?? ['command:overview', 'do:worst-sources', 'do:moved']
  return [...trouble, ...usual]
}
