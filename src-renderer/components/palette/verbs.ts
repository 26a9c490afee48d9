import { densities, themes } from '#shared/app/settings.ts'
import { settingsPlaces } from '#shared/app/commands.ts'
import type { SettingsPlace, ViewCommand } from '#shared/app/commands.ts'
import type { CaseEntry } from '#shared/cases/case.ts'
import { newAlertWords } from '#shared/texts/alerts.ts'
import { addNoteWords } from '#shared/texts/notes.ts'
import { newScheduleWords } from '#shared/texts/schedules.ts'
import { densityWords, themeWords } from '#shared/texts/settings.ts'
import { plainReport, plainRows } from '#shared/views/address.ts'
import { comparisonNames, comparisons } from '#shared/views/period.ts'
import type { ComparisonPreset } from '#shared/views/period.ts'
import { usualChart } from '#shared/views/view-address.ts'
import type { OverviewAddress, ReportAddress, ViewAddress } from '#shared/views/view-address.ts'
import { chooseArchives } from '../../queries/archives.ts'
import { firstInstances } from '../../queries/lookups.ts'
import { savedNow } from '../../queries/saved-views.ts'
import { subjectOfView } from '../../queries/schedules.ts'
import type { WindowApp } from '../../stores/app.ts'
import { beginCase, canBeginCase } from '../../stores/begin-case.ts'
import { canRequestRaw } from '../../stores/raw-rows.ts'
import type { WindowSettingChanges } from '../../stores/settings.svelte.ts'
import { watchedFigure } from '../../views/reports/changed-figure.ts'
import type { PaletteEntry, Group } from './find.ts'
import { rankedBy } from './phrase.ts'

/** Actions of the palette. */
export function verbEntries(app: WindowApp): PaletteEntry[] {
  return [
    ...compareEntries(app),
    ...figureEntries(app),
    ...evidenceEntries(app),
    ...settingEntries(app),
    ...accountVerbs(app),
  ]
}

const entry = (id: string, words: string, run: () => void, group: Group = 'Do'): PaletteEntry => ({
  ...{ id, group, words, run },
})

/** Opens a view and runs a command there, unless the user has left the view by then. */
function goAndRun({ navigation, commands }: WindowApp, address: ViewAddress, command: ViewCommand): void {
  if (address.kind !== navigation.address.kind) navigation.go(address)
  const { address: there } = navigation
  commands.runOnceOffered(command, () => navigation.address === there)
}

/** The open view of figures, or Overview. */
function figuresNow({ navigation }: Pick<WindowApp, 'navigation'>): OverviewAddress | ReportAddress {
  const { address } = navigation
  return address.kind === 'overview' || address.kind === 'reports' ? address : navigation.overview
}

function compareEntries(app: WindowApp): PaletteEntry[] {
  const figures = figuresNow(app)
  const now = figures.compare.kind === 'preset' ? figures.compare.preset : null
  const words = (preset: ComparisonPreset) =>
    preset === 'none' ? 'Stop comparing' : `Compare with ${comparisons[preset].replace('The', 'the')}`
  return comparisonNames
    .filter((preset) => preset !== now)
    .map((preset) =>
      entry(`compare:${preset}`, words(preset), () =>
        app.navigation.go({ ...figures, compare: { kind: 'preset', preset } }),
      ),
    )
}

/** Actions on the offline copy of the open view. Which of them exist depends on whether it has one. */
const offlineVerbs = [
  ['keep-offline', 'Save this view offline'],
  ['offline-days', 'Offline days of this view…'],
  ['stop-offline', 'Stop saving this view offline'],
] as const

/** Actions on figures. Outside of a view of figures they use Overview. */
function figureEntries(app: WindowApp): PaletteEntry[] {
  const { navigation, commands, explain } = app
  const figures = figuresNow(app)
  const { family } = figures.kind === 'reports' ? figures : navigation.report
  const changed = watchedFigure(figures, family)
  const worst: ReportAddress = {
    ...navigation.report,
    ...{ dimension: 'sources', filters: {}, search: null, page: 1 },
    ...rankedBy(null, navigation.report.family, 'sources'),
  }
  const moved: OverviewAddress = {
    ...navigation.overview,
    ...{ movers: 'sources', moved: 'rate', compare: { kind: 'preset', preset: 'period-before' } },
  }
  /** Saves the chart of the open or last report, and shows that chart first if needed. */
  const saveChart = () => {
    if (commands.run('save-chart')) return
    navigation.go({ ...navigation.report, chart: navigation.report.chart ?? usualChart })
    const { address: there } = navigation
    commands.runOnceOffered('save-chart', () => navigation.address === there)
  }
  return [
    entry('do:worst-sources', 'Sources with the highest bad rate', () => navigation.go(worst)),
    entry('do:moved', 'Biggest changes', () => navigation.go(moved)),
    entry('do:explain', `What explains the ${changed.header.toLowerCase()} rate`, () =>
      explain.open(changed),
    ),
    entry('do:export-pdf', 'Export as PDF…', () => goAndRun(app, figures, 'export-pdf')),
    entry('do:export-xlsx', 'Export to Excel', () => goAndRun(app, figures, 'export-xlsx')),
    ...(commands.can('export-report')
      ? [
          entry(
            'do:export-report',
            'Export whole report as one workbook',
            () => void commands.run('export-report'),
          ),
        ]
      : []),
    entry('do:save-chart', 'Save chart as PNG', saveChart),
    entry('do:add-note', addNoteWords, () => goAndRun(app, figures, 'add-note')),
    entry('do:new-alert', newAlertWords, () => goAndRun(app, figures, 'new-alert')),
    ...offlineVerbs.flatMap(([command, words]) =>
      commands.can(command) ? [entry(`do:${command}`, words, () => void commands.run(command))] : [],
    ),
  ]
}

function evidenceEntries(app: WindowApp): PaletteEntry[] {
  const { navigation, messages } = app
  const newCase = async () => {
    if (app.commands.run('new-case')) return
    const about = await subjectOf(app)
    if (about) return void beginCase(app, about.view, about.entry)
    navigation.go({ ...plainReport, period: navigation.report.period, dimension: 'sources' })
    messages.show('Right-click a source, then choose “New case”.')
  }
  const blockList = () => {
    if (app.commands.run('block-list')) return
    navigation.go(plainRows)
    messages.show('Open an archive, then choose “Make block list”.')
  }
  return [
    ...(canBeginCase(app) ? [entry('do:new-case', 'New case…', () => void newCase())] : []),
    entry('do:block-list', 'Make block list…', blockList),
    ...(canBeginCase(app)
      ? [
          entry('do:new-schedule', newScheduleWords, () =>
            app.scheduleForm.open({ subject: subjectOfView(savedNow(app), navigation.address) }),
          ),
        ]
      : []),
    entry('do:add-file', 'Add archive file…', () => void addFile(app)),
    ...(canRequestRaw(app)
      ? [
          entry('do:new-raw-report', 'New raw report…', () =>
            navigation.go({ ...navigation.raw, form: { kind: 'nothing' } }),
          ),
        ]
      : []),
  ]
}

async function addFile(app: WindowApp): Promise<void> {
  const { desk, messages, navigation } = app
  if (!desk.account) return
  const outcome = await chooseArchives(app, desk.account.id)
  if (!outcome.ok) messages.show(outcome.failure.message)
  else if (outcome.value.length > 0) navigation.go({ ...plainRows, files: outcome.value })
}

type Subject = { readonly view: ReportAddress; readonly entry: Pick<CaseEntry, 'about' | 'subject'> }

/** Subject of a case from the open view: its narrowest filter; null without filters. */
async function subjectOf({ bridge, queries, desk, navigation }: WindowApp): Promise<Subject | null> {
  const { address } = navigation
  if (address.kind !== 'overview' && address.kind !== 'reports') return null
  const view = address.kind === 'reports' ? address : navigation.report
  const { instance, source, campaign } = address
  if (source !== null)
    return {
      view,
      entry:
        campaign === null ? { about: 'source', subject: source } : { about: 'campaign', subject: campaign },
    }
  if (instance === null || !desk.account) return null
  const known = await queries.fetchQuery(firstInstances(bridge, desk.account.id)).catch(() => [])
  return {
    view,
    entry: { about: 'instance', subject: known.find(({ id }) => id === instance)?.name || instance },
  }
}

function settingEntries(app: WindowApp): PaletteEntry[] {
  const { settings, messages } = app
  const change = async (changes: WindowSettingChanges) => {
    const failure = await settings.change(changes)
    if (failure) messages.show(failure.message)
  }
  const places = Object.keys(settingsPlaces) as readonly SettingsPlace[]
  const goTo = (place: SettingsPlace) => goAndRun(app, { kind: 'settings' }, `settings:${place}`)
  return [
    ...themes
      .filter((theme) => theme !== settings.now.theme)
      .map((theme) => entry(`theme:${theme}`, `Theme: ${themeWords[theme]}`, () => void change({ theme }))),
    ...densities
      .filter((density) => density !== settings.now.density)
      .map((density) =>
        entry(`density:${density}`, `Rows: ${densityWords[density]}`, () => void change({ density })),
      ),
    entry('do:back-up', 'Back up…', () => goTo('backup')),
    entry('do:restore', 'Restore a backup…', () => goAndRun(app, { kind: 'settings' }, 'restore')),
    ...places.map((place) =>
      entry(`settings:${place}`, `Settings: ${settingsPlaces[place]}`, () => goTo(place), 'Settings'),
    ),
  ]
}

function accountVerbs(app: WindowApp): PaletteEntry[] {
  const { desk, navigation } = app
  return [
    entry('do:add-account', 'Add account…', () => navigation.go({ kind: 'connect' })),
    ...(desk.account?.kind === 'service'
      ? [
          entry('do:new-token', `Replace token of ${desk.account.name}…`, () =>
            goAndRun(app, { kind: 'settings' }, 'new-token'),
          ),
        ]
      : []),
  ]
}
