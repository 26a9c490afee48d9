import { join } from 'node:path'
import type { Page } from 'playwright-core'
import readSheets from 'read-excel-file/node'
import { expect, it } from 'vitest'
import type { CaseEntry, CaseFindings } from '#shared/cases/case.ts'
import { changedMeanwhile } from '#shared/texts/cases.ts'
import { addDays, dayAt } from '#shared/values/day.ts'
import type { DayRange } from '#shared/values/day.ts'
import { filesInZip } from '#test/helpers/files-in-zip.ts'
import { pagesOfPdf } from '#test/helpers/pdf-text.ts'
import { pollOptions } from '../helpers/poll-options.ts'
import { startSandbox } from '../helpers/sandbox.ts'
import { connectedDesk, namesIn } from '../saving/hands.ts'

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

const valueOf = (made: CaseFindings, side: 'now' | 'others') =>
  made[side]?.figures.find(({ header }) => header === 'Suspect')?.value ?? 0

it('tells the figures of one moment, in the case and in each file of its pack', async () => {
  const sandbox = await startSandbox()
  const desk = await connectedDesk(sandbox, 'None')
  const { page } = desk
  const today = dayAt(Date.now(), 'UTC')
  const range = { start: addDays(today, -20), end: addDays(today, -18) }
  // All traffic is seen before the service restates a day, and the source for the first time after it.
  const before = await suspectsOf(page, { range, source: null, force: false })
  await sandbox.control('POST', '/days/restate', { days: [range.start] })
  const of = await begin(page, {
    ...{ name: 'Search', about: 'source', subject: 'Search', files: [], notes: '' },
    scope: {
      ...{ family: 'direct', instances: { kind: 'all' }, source: 'Search', campaign: null },
      ...{ range, zone: 'UTC' },
    },
  })
  const made = await make(page, of)
  const whole = await suspectsOf(page, { range, source: null, force: true })
  expect(whole).not.toBe(before)
  expect(valueOf(made, 'now')).toBeGreaterThan(0)
  expect(valueOf(made, 'now') + valueOf(made, 'others')).toBe(whole)
  expect(made.lacks).toEqual([])

  // The case is updated with other figures while its pack is being saved.
  await sandbox.control('POST', '/days/restate', { days: [range.end] })
  await suspectsOf(page, { range, source: 'Search', force: true })
  const updated = await page.evaluate(async (which) => {
    const saved = await window.desk.call('cases/save', which)
    if (!saved.ok) throw new Error(saved.failure.message)
    const later = await window.desk.call('cases/make', which)
    return later.ok ? later.value.made : null
  }, of)
  expect(updated && valueOf(updated, 'now')).not.toBe(valueOf(made, 'now'))
  const saved = () => namesIn(desk.folder).find((name) => name.includes('Case ') && name.endsWith('.zip'))
  const refused = page.getByText(changedMeanwhile).first()
  await expect.poll(async () => saved() !== undefined || (await refused.isVisible()), pollOptions).toBe(true)
  const name = saved()
  if (name === undefined) return
  const files = await filesInZip(join(desk.folder, name))
  const fileOf = (ending: string) =>
    [...files].find(([file]) => file.endsWith(ending))?.[1] ?? Buffer.alloc(0)
  const sheets = await readSheets(fileOf('.xlsx'))
  const figures = sheets.find(({ sheet }) => sheet === 'Figures')?.data ?? []
  const suspect = Number(figures.find(([first]) => first === 'Suspect')?.[1])
  const words = pagesOfPdf(fileOf('.pdf')).join(' ').normalize('NFKC').replaceAll(/\s+/g, ' ')
  expect(words).toContain(`${suspect.toLocaleString('en')} of `)
})
