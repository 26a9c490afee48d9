import { commandEntry } from '#shared/app/commands.ts'
import type { Command } from '#shared/app/commands.ts'
import { densities, themes } from '#shared/app/settings.ts'
import { readAddress } from '#shared/views/address.ts'
import { usualChart } from '#shared/views/view-address.ts'
import { densityWords, themeWords } from '#shared/texts/settings.ts'
import { obey } from '../frame/frame-commands.ts'
import { commandKeys, keyWords } from '../frame/keys.ts'
import { switchAccount } from '../frame/switch-account.ts'
import { savedViews } from '#renderer/queries/saved-views.ts'
import type { App } from '#renderer/stores/app.ts'
import type { SettingChanges } from '#renderer/stores/settings.svelte.ts'
import type { Entry, Group } from './entry.ts'
import { dimensionEntries, reportEntries, toggleEntries } from './reports.ts'

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
      also: [],
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
    if (failure) messages.say(failure.message)
  }
  const entry = (id: string, words: string, also: string, run: () => void): Entry => ({
    id,
    group: 'Do',
    words,
    also: [also, 'settings'],
    note: null,
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
      note: null,
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
