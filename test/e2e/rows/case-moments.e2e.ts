import { join } from 'node:path'
import type { Page } from 'playwright-core'
import readSheets from 'read-excel-file/node'
import { expect, it } from 'vitest'
import type { CaseEntry, CaseFindings } from '#shared/cases/case.ts'
import { changedMeanwhile } from '#shared/texts/cases.ts'
import { addDays, dayAt, daysOf } from '#shared/values/day.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import { filesInZip } from '#test/helpers/files-in-zip.ts'
import { pagesOfPdf } from '#test/helpers/pdf-text.ts'
import { pollOptions } from '../helpers/poll-options.ts'
import { startSandbox, untilChecked } from '../helpers/sandbox.ts'
import { exact } from '../helpers/reports.ts'
import { connectedDesk, namesIn } from '../saving/hands.ts'
import { counted, tableOf } from './hands.ts'

type Wanted = { readonly range: DayRange; readonly source: string | null; readonly force: boolean }

/** Suspect requests of all traffic or a source; anew where it is forced. */
const suspectsOf = (page: Page, wanted: Wanted): Promise<number> =>
  page.evaluate(async ({ range, source, force: isForced }) => {
    const state = await window.desk.call('desk/state')
    const account = state.ok ? state.value.active : null
    if (account === null) throw new Error('No account')
    const plain = { family: 'direct', range, instance: null, source, campaign: null } as const
    const query = { ...plain, kind: 'overview', chart: false } as const
    for (let first = true; ; first = false) {
      const found = await window.desk.call('reports/ask', { account, query, force: first && isForced })
      if (!found.ok) throw new Error(found.failure.message)
      if (!found.value.provenance.refreshing) return Number(found.value.figures.total['suspect'])
    }
  }, wanted)

/** Begins a case about a source, as "New case" does. */
const begin = (page: Page, entry: CaseEntry) =>
  page.evaluate(async (whole) => {
    const state = await window.desk.call('desk/state')
    const account = state.ok ? state.value.active : null
    if (account === null) throw new Error('No account')
    const begun = await window.desk.call('cases/begin', { account, entry: whole, fitting: false })
    if (!begun.ok) throw new Error(begun.failure.message)
    return { account, id: begun.value.id }
  }, entry)
type ACase = Awaited<ReturnType<typeof begin>>

const make = (page: Page, of: ACase): Promise<CaseFindings> =>
  page.evaluate(async (which) => {
    const made = await window.desk.call('cases/make', which)
    if (!made.ok || !made.value.made) throw new Error('The case was not made')
    return made.value.made
  }, of)

type Side = 'now' | 'others'
const suspectsIn = (made: CaseFindings, side: Side): number | null =>
  made[side]?.figures.find(({ header }) => header === 'Suspect')?.value ?? null

/** What the figures of a pack say: suspect requests of the source and of the others, by its workbook; and its PDF, in words. */
async function readPack(path: string) {
  const files = await filesInZip(path)
  const fileOf = (ending: string) =>
    [...files].find(([file]) => file.endsWith(ending))?.[1] ?? Buffer.alloc(0)
  const sheets = await readSheets(fileOf('.xlsx'))
  const figures = sheets.find(({ sheet }) => sheet === 'Figures')?.data ?? []
  const headers = figures.find((row) => row.includes('These days')) ?? []
  const suspect = figures.find(([first]) => first === 'Suspect') ?? []
  const under = (header: string) => {
    const value = suspect[headers.indexOf(header)]
    return typeof value === 'number' ? value : null
  }
  return {
    workbook: { now: under('These days'), others: under('All other sources') },
    words: pagesOfPdf(fileOf('.pdf')).join(' ').normalize('NFKC').replaceAll(/\s+/g, ' '),
  }
}

const about = (range: DayRange, name: string): CaseEntry => ({
  ...{ name, about: 'source', subject: 'Search', files: [], notes: '' },
  scope: {
    ...{ family: 'direct', instances: { kind: 'all' }, source: 'Search', campaign: null },
    ...{ range, zone: 'UTC' },
  },
})

/** What a case says of the source and of the others, on the screen and in both files of its pack, has to be what was found. */
async function expectSaid(
  { page, folder }: Pick<Awaited<ReturnType<typeof connectedDesk>>, 'page' | 'folder'>,
  of: ACase,
  made: CaseFindings,
) {
  const found = { now: suspectsIn(made, 'now'), others: suspectsIn(made, 'others') }
  await page.evaluate((hash) => (location.hash = hash), `#/cases/${of.id}`)
  await exact(page, 'table', 'Figures').waitFor(pollOptions)
  const [headers = [], ...rows] = await tableOf(page, 'Figures')
  const suspect = rows.find(([first]) => first === 'Suspect') ?? []
  const shown = (header: string) => {
    const text = suspect[headers.indexOf(header)]
    return text === undefined || text === '–' ? null : counted(text)
  }
  expect({ now: shown('These days'), others: shown('All other sources') }).toEqual(found)
  const before = namesIn(folder)
  await page.evaluate(async (which) => {
    const saved = await window.desk.call('cases/save', which)
    if (!saved.ok) throw new Error(saved.failure.message)
  }, of)
  const isNew = (name: string) => name.endsWith('.zip') && !before.includes(name)
  await expect.poll(() => namesIn(folder).filter(isNew), pollOptions).toHaveLength(1)
  const pack = await readPack(join(folder, namesIn(folder).find(isNew) ?? ''))
  expect(pack.workbook).toEqual(found)
  expect(pack.words).toContain(`${(found.now ?? 0).toLocaleString('en')} of `)
  expect(pack.words.includes('All other sources together')).toBe(found.others !== null)
}

it('takes the others of the same days and moment alone, whichever way the figures came', async () => {
  const sandbox = await startSandbox()
  const desk = await connectedDesk(sandbox, 'None')
  const { page } = desk
  const today = dayAt(Date.now(), 'UTC')
  const days = (first: number, last: number) => ({
    start: addDays(today, -first),
    end: addDays(today, -last),
  })
  const see = (range: DayRange, source: string | null, force = false) =>
    suspectsOf(page, { range, source, force })
  const restate = (day: Day) => sandbox.control('POST', '/days/restate', { days: [day] })
  const expectWhole = async (made: CaseFindings, range: DayRange) => {
    const [now, others] = [suspectsIn(made, 'now'), suspectsIn(made, 'others')]
    expect(now).toBe(await see(range, 'Search', true))
    expect((now ?? 0) + (others ?? 0)).toBe(await see(range, null, true))
    expect(made.lacks).toEqual([])
  }

  // Days that still change: all traffic was seen before the service counted more, and is too old since.
  const recent = days(3, 1)
  const seen = await see(recent, null)
  await untilChecked(sandbox)
  await sandbox.control('POST', '/faults', { path: 'direct/overview', times: 1, does: { kind: 'reset' } })
  await see(recent, null, true)
  await restate(recent.start)
  const first = await begin(page, about(recent, 'Everyday'))
  const everyday = await make(page, first)
  await expectWhole(everyday, recent)
  expect(await see(recent, null)).not.toBe(seen)
  await expectSaid(desk, first, everyday)

  // Settled days, of which one scope alone was refreshed by hand since the service restated them.
  const settled = days(20, 18)
  const second = await begin(page, about(settled, 'By hand'))
  await make(page, second)
  await restate(settled.start)
  await see(settled, 'Search', true)
  const updated = await make(page, second)
  await expectWhole(updated, settled)
  await expectSaid(desk, second, updated)

  // All days of everything are saved, of the source some alone, and the service is away.
  const week = days(30, 24)
  const some = { start: week.start, end: addDays(week.start, 2) }
  await see(week, null)
  const part = await see(some, 'Search')
  await untilChecked(sandbox)
  await sandbox.kill()
  const third = await begin(page, about(week, 'Away'))
  const partial = await make(page, third)
  expect(suspectsIn(partial, 'now')).toBe(part)
  expect(suspectsIn(partial, 'others')).toBeNull()
  expect(partial.lacks.some(({ what }) => what.includes('other'))).toBe(true)
  await expectSaid(desk, third, partial)
})

it('packs figures of one moment, or nothing, where the case is updated meanwhile', async () => {
  const sandbox = await startSandbox()
  const desk = await connectedDesk(sandbox, 'None')
  const { page } = desk
  const today = dayAt(Date.now(), 'UTC')
  const range = { start: addDays(today, -20), end: addDays(today, -18) }
  const of = await begin(page, about(range, 'Search'))
  const made = await make(page, of)
  await sandbox.control('POST', '/days/restate', { days: daysOf(range) })
  await suspectsOf(page, { range, source: 'Search', force: true })
  const updated = await page.evaluate(async (which) => {
    const saved = await window.desk.call('cases/save', which)
    if (!saved.ok) throw new Error(saved.failure.message)
    const later = await window.desk.call('cases/make', which)
    return later.ok ? later.value.made : null
  }, of)
  // The source alone has few requests: on some days the same number of them stays suspect.
  const figuresOf = (of: CaseFindings | null) => [of?.now?.figures, of?.others?.figures]
  expect(figuresOf(updated)).not.toEqual(figuresOf(made))
  const saved = () => namesIn(desk.folder).find((name) => name.includes('Case ') && name.endsWith('.zip'))
  const refused = page.getByText(changedMeanwhile).first()
  await expect.poll(async () => saved() !== undefined || (await refused.isVisible()), pollOptions).toBe(true)
  const name = saved()
  if (name === undefined) return
  const { workbook, words } = await readPack(join(desk.folder, name))
  expect(words).toContain(`${(workbook.now ?? 0).toLocaleString('en')} of `)
})
