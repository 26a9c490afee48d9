import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Papa from 'papaparse'
import readSheets from 'read-excel-file/node'
import { expect, it, onTestFinished, vi } from 'vitest'
import { scopedStem, scopeLine } from '#shared/cases/scope.ts'
import { filesInZip } from '#test/helpers/files-in-zip.ts'
import { account } from '../archives/open-rows.ts'
import { entry, events, openService, scope, wide, zone } from './made-service.ts'
import type { MadeService } from './made-service.ts'

async function begun({ cases }: MadeService, files: (typeof entry)['files']) {
  const { id } = await cases.begin({ account: account.id, entry: { ...entry, files }, fitting: false })
  return { account: account.id, id }
}

async function packed({ exported, folder }: MadeService) {
  const out = join(folder, 'pack.zip')
  writeFileSync(out, '')
  const written = await exported.at(-1)?.write(out, new AbortController().signal, () => undefined)
  return { ...written, files: await filesInZip(out) }
}

it('is saved as one folder of pages, workbook, rows and checksums that hold, each naming the scope', async () => {
  const service = await openService(events, { zone })
  const files = [
    await service.importArchive('a', { instance: '7', range: wide }),
    await service.importArchive('b', { instance: '8', range: wide }),
  ]
  const of = await begun(service, files)
  const { cases } = service
  await expect(cases.save(of)).rejects.toThrow(/no figures yet/)
  await cases.make(of)
  await cases.make(of)
  await cases.save(of)
  const named = scopedStem('Kestrel Media - Case News of autumn', scope)
  expect(service.exported[0]).toMatchObject({ name: 'Case News of autumn', ending: 'zip', stem: named })
  // What is gathered for it stays in the profile: the system's folder for such is not there.
  vi.stubEnv('TMPDIR', join(service.folder, 'nowhere'))
  onTestFinished(() => void vi.unstubAllEnvs())
  const pack = await packed(service)
  expect(pack.rows).toBe(9)
  const stem = 'Case News of autumn - Direct, all instances, 2026-11-10 to 2026-11-11'
  const contents = [`${stem}.pdf`, `${stem}.xlsx`, `${stem} - Raw rows.csv`, 'SHA256SUMS']
  expect([...pack.files.keys()]).toEqual(contents.map((name) => `${stem}/${name}`))
  const fileOf = (name: string) => pack.files.get(`${stem}/${name}`) ?? Buffer.alloc(0)
  const expected = contents.slice(0, 3).map((name) => {
    const bytes = fileOf(name)
    return `${createHash('sha256').update(bytes).digest('hex')}  ${name}\n`
  })
  expect(fileOf('SHA256SUMS').toString()).toBe(expected.join(''))
  const csv = Papa.parse<string[]>(fileOf(`${stem} - Raw rows.csv`).toString().replace('\uFEFF', ''), {
    skipEmptyLines: true,
  }).data
  // Three rows of news of one site, and twice as many of the other, in New York's days.
  expect(csv.slice(1).map(([, source]) => source)).toEqual(Array.from({ length: 9 }, () => 'news'))
  expect(fileOf(`${stem}.pdf`).toString()).toContain(encodeURIComponent(`#/cases/${of.id}`))
  const sheets = await readSheets(fileOf(`${stem}.xlsx`))
  expect(sheets.map(({ sheet }) => sheet)).toEqual([
    ...['Summary', 'Figures', 'By day', 'Instances', 'Rows by result', 'By rule set'],
    ...['Rule codes', 'Sources in the same archives', 'Archives', 'Method', 'Rows'],
  ])
  for (const { sheet, data } of sheets) {
    expect([sheet, data[0]?.[0], data[1]?.[0]]).toEqual([sheet, 'Case: News of autumn', scopeLine(scope)])
  }
  // Each sheet has its widths, and keeps its header in sight below the case's name and scope.
  const workbook = join(service.folder, 'case.xlsx')
  writeFileSync(workbook, fileOf(`${stem}.xlsx`))
  const drawn = [...(await filesInZip(workbook))].filter(([name]) => name.startsWith('xl/worksheets/sheet'))
  expect(drawn).toHaveLength(sheets.length)
  for (const [, xml] of drawn)
    expect(xml.toString()).toMatch(/<pane ySplit="[3-9]"[^>]*state="frozen"[^]*customWidth="1"/)
  const dataOf = (name: string) => sheets.find(({ sheet }) => sheet === name)?.data ?? []
  const summary = new Map(dataOf('Summary').map(([name, value]) => [name, value]))
  expect(summary.get('Instances')).toBe('All instances')
  expect(summary.get('Time zone')).toBe(zone)
  expect(summary.get('Service')).toBe('reports.kestrel.example')
  expect(summary.get('Notes')).toBe('Paid in advance.')
  expect(summary.get('What is missing')).toMatch(/^Nothing\. Figures are complete/)
  // Days are dates, shares are shares.
  expect(dataOf('By day').slice(2, 5)).toEqual([
    ['Day', 'Non-suspect', 'Suspect', 'Rows', 'Suspect rows'],
    [new Date('2026-11-10'), 0, 6, 6, 6],
    [new Date('2026-11-11'), 3, 0, 3, 0],
  ])
  expect(dataOf('Rows by result').slice(3, 5)).toEqual([
    ['non-suspect', 3, 3 / 9],
    ['suspect', 6, 6 / 9],
  ])
  expect(dataOf('Rows').length).toBe(3 + 9)
  expect((await cases.read(of)).savedOf).toBe((await cases.read(of)).made?.madeAt)
})

it('says on its first sheet what is missing, and nothing of rows that are not in it', async () => {
  const service = await openService(events, { zone })
  const of = await begun(service, [])
  const { cases } = service
  await cases.make(of)
  await cases.save(of)
  const { rows, files } = await packed(service)
  expect(rows).toBe(0)
  expect([...files.keys()].filter((name) => name.endsWith('.csv'))).toEqual([])
  const workbook = [...files].find(([name]) => name.endsWith('.xlsx'))?.[1] ?? Buffer.alloc(0)
  const sheets = await readSheets(workbook)
  expect(sheets.map(({ sheet }) => sheet)).not.toContain('Rows')
  const words = sheets.flatMap(({ data }) => data.flat()).join('\n')
  expect(words).toContain('Raw rows: none. All figures come from the tables.')
  expect(words).toContain('No raw rows back up these figures.')
  expect(words).not.toMatch(/Matches the tables|[Rr]aw rows behind it: \d|No row is left out/)
})

it('is not saved with other rows than it was made of, nor without those', async () => {
  const service = await openService(events, { zone })
  const file = await service.importArchive('a', { instance: '7', range: wide })
  const of = await begun(service, [file])
  const { cases } = service
  await cases.make(of)
  await cases.save(of)
  await service.rows.discard({ account: account.id, file, what: 'rows' })
  // Both when it is asked for and when it is written.
  await expect(packed(service)).rejects.toThrow(/Update the case/)
  await expect(cases.save(of)).rejects.toThrow(/Update the case/)
  expect((await cases.read(of)).rowsChanged).toBe(true)
  const { made } = await cases.make(of)
  expect(made).toMatchObject({ covers: 'none', rows: { rows: 0 }, archives: [] })
  await cases.save(of)
  expect((await packed(service)).rows).toBe(0)
})

it('says which cells of the workbook were cut, with the pack and in the sheet; the rows are whole beside it', async () => {
  const long = 'x'.repeat(40_000)
  const made: typeof events = events.map((event) => ({ ...event, rules: event.suspect ? `${long}UE` : '' }))
  const service = await openService(made, { zone })
  const of = await begun(service, [
    await service.importArchive('a', { instance: '7', range: wide }),
    await service.importArchive('b', { instance: '8', range: wide }),
  ])
  await service.cases.make(of)
  await service.cases.save(of)
  const { cut, files } = await packed(service)
  const suspects = made.filter(
    ({ suspect, source, at }) => suspect && source === scope.source && at < '2026-11-12',
  )
  expect(cut).toContainEqual({ column: 'RULE SETS', cells: suspects.length })
  const fileOf = (end: string) => [...files].find(([name]) => name.endsWith(end))?.[1] ?? Buffer.alloc(0)
  const rows = (await readSheets(fileOf('.xlsx'))).find(({ sheet }) => sheet === 'Rows')?.data ?? []
  expect(rows.at(-1)?.[0]).toBe(
    `${suspects.length} cells in RULE SETS were cut to 32,767 characters, the most an Excel cell holds. CSV and JSON have them whole.`,
  )
  expect(fileOf('.csv').toString().split(`${long}UE`)).toHaveLength(suspects.length + 1)
})
