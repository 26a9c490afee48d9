import { dimensionEntry, dimensionNames, offers, reportName, familyNames } from '#shared/api/dimensions.ts'
import { commandEntry } from '#shared/app/commands.ts'
import type { Command } from '#shared/app/commands.ts'
import { densities, themes } from '#shared/app/settings.ts'
import { densityWords, themeWords } from '#shared/texts/settings.ts'
import { readAddress } from '#shared/views/address.ts'
import { usualChart } from '#shared/views/view-address.ts'
import type { ReportAddress } from '#shared/views/view-address.ts'
import { savedViews } from '../../queries/saved-views.ts'
import type { App } from '../../stores/app.ts'
import type { SettingChanges } from '../../stores/settings.svelte.ts'
import { obey, commandKeys, keyWords, switchAccount } from '../frame/frame-commands.ts'
import type { Entry, Group } from './find.ts'

type Needed = Pick<App, 'navigation'>

/** What belongs to one table of one dimension, and is left behind with it. */
export const anew = { filters: {}, search: null, startsWith: false, sort: [], page: 1 } as const

/** Every report that the service offers, over the days and the common filters of now. */
function reportEntries({ navigation }: Needed): Entry[] {
  return familyNames.flatMap((family) => {
    const dimensions = dimensionNames.filter((dimension) => offers(family, dimension))
    const overview: Entry = {
      id: `report:${family}/overview`,
      group: 'Reports',
      words: reportName(family),
      also: ['totals', 'trend'],
      run: () => navigation.go(navigation.overview),
    }
    const tables = dimensions.map((dimension): Entry => ({
      id: `report:${family}/${dimension}`,
      group: 'Reports',
      words: reportName(family, dimension),
      also: [dimensionEntry(dimension).words, dimensionEntry(dimension).header],
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
      also: [dimensionEntry(dimension).words],
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
    also: [id, 'toggle'],
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
    ['overview', 'accounts', 'reports', 'raw', 'rows', 'downloads', 'settings', 'back', 'forward'] as const
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
    also: ['saved', 'view'],
    note: view.pinned ? 'Kept offline' : null,
    run: () => app.navigation.go(readAddress(view.address)),
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
          also: ['account', 'switch'],
          note: index < 9 ? keyWords(String(index + 1)) : null,
          run: () => void switchAccount(app, account.id),
        },
  )
  return others.filter((entry) => entry !== null)
}

function settingEntries({ settings, messages, navigation }: App): Entry[] {
  const change = async (changes: SettingChanges) => {
    const failure = await settings.change(changes)
    if (failure) messages.show(failure.message)
  }
  const entry = (id: string, words: string, also: string, run: () => void): Entry => ({
    id,
    group: 'Do',
    words,
    also: [also, 'settings'],
    run,
  })
  return [
    ...themes
      .filter((theme) => theme !== settings.now.theme)
      .map((theme) =>
        entry(`theme:${theme}`, `Theme: ${themeWords[theme]}`, 'appearance', () => void change({ theme })),
      ),
    ...densities
      .filter((density) => density !== settings.now.density)
      .map((density) =>
        entry(
          `density:${density}`,
          `Rows: ${densityWords[density]}`,
          'density',
          () => void change({ density }),
        ),
      ),
    entry('back-up', 'Back up…', 'backup save', () => navigation.go({ kind: 'settings' })),
    entry('restore', 'Restore a backup…', 'backup', () => navigation.go({ kind: 'settings' })),
    entry('add-account', 'Add account…', 'connect', () => navigation.go({ kind: 'connect' })),
  ]
}

function rawEntries({ navigation, desk }: App): Entry[] {
  if (desk.account?.kind === 'earlier') return []
  return [
    {
      id: 'new-raw-report',
      group: 'Do',
      words: 'New raw report…',
      also: ['request', 'ask', 'download'],
      run: () => navigation.go({ ...navigation.raw, form: { kind: 'nothing' } }),
    },
  ]
}

/** Everything that can be chosen at this moment, instances aside: those are looked up as one types. */
export function entriesNow(app: App): Entry[] {
  return [
    ...viewEntries(app),
    ...dimensionEntries(app),
    ...reportEntries(app),
    ...toggleEntries(app, usualChart),
    ...commandEntries(app),
    ...rawEntries(app),
    ...accountEntries(app),
    ...settingEntries(app),
  ]
}
