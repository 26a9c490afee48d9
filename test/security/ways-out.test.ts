import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { ExportOrder } from '#shared/exports/order.ts'
import { filesInZip } from '../helpers/files-in-zip.ts'
import { cellsThatRun, hostileCells } from '../helpers/hostile-cells.ts'
import { asking, exportsTo, query, temporaryFolder, textRow } from '../src-main/exports/helpers.ts'
import { account, dropped, newFolder, openRows, theFile } from '../src-main/archives/open-rows.ts'
import { localStore } from '../src-main/database/helpers.ts'

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`
/** A table can hold these as its headers: no line breaks, no two alike. */
const hostileHeaders = hostileCells.filter((text) => !/[\r\n\0]/.test(text)).slice(0, 40)

/** XLSX says of each cell what it is: texts are texts, and nothing is a formula. */
async function expectNoFormulas(path: string): Promise<void> {
  for (const [name, bytes] of await filesInZip(path))
    if (name.startsWith('xl/worksheets/')) expect(bytes.toString().match(/<f[ >/]/g), name).toBeNull()
}

it('finds what it looks for', () => {
  for (const text of ['=1+1', 'abc;=1+1', 'abc\t\u3000＝1', 'abc\n-x', '";@x'])
    expect(cellsThatRun(`1,${quoted(text)}`).length, text).toBeGreaterThan(0)
})

it.each([
  { kind: 'table', format: 'csv' },
  { kind: 'table', format: 'clipboard' },
  { kind: 'table', format: 'xlsx' },
] as const)('a table runs nothing as $format', async ({ kind, format }) => {
  const headers = ['Browser', ...hostileHeaders]
  const rows = hostileCells.map((text, nth) =>
    textRow(text, 1, ...hostileHeaders.slice(1).map((_, place) => hostileCells[(nth + place) % 200] ?? '')),
  )
  const folder = temporaryFolder()
  const { run, copied } = exportsTo(folder, { reports: asking({ headers, rows }) })
  const order: ExportOrder = {
    ...{ kind, format, rows: 'all', query },
    // Texts behind figures too: a reader that separates otherwise knows no quotes there.
    columns: [...hostileHeaders, 'Browser'],
  }
  const state = await run(order)
  if (state.kind !== 'done') throw new Error(JSON.stringify(state))
  if (format === 'xlsx') return await expectNoFormulas(join(folder, state.file ?? ''))
  const text = format === 'csv' ? readFileSync(join(folder, state.file ?? ''), 'utf8') : (copied[0] ?? '')
  expect(text).toContain('HYPERLINK')
  expect(cellsThatRun(text)).toEqual([])
})

/** A file in which the corpus stands as cells and as lines that are none, and in which some texts stand out. */
function hostileTable(): string {
  const cells = hostileCells.map((text, nth) => `,${quoted(text)},${nth},${quoted(text)},good`)
  const lines = hostileCells.filter((text) => !/[\r\n"]/.test(text))
  const clusters = hostileCells
    .slice(0, 12)
    .flatMap((text) => Array.from({ length: 20 }, (_, nth) => `,${quoted(text)},${nth},,bad`))
  const quiet = Array.from({ length: 2000 }, (_, nth) => `,news,${nth},,good`)
  const head = ['EMPTY', 'NETWORK', '=ID', ';@Text', 'RESULT'].map(quoted).join(',')
  return [head, ...cells, ...clusters, ...quiet, ...lines].join('\n')
}

it('what is saved of raw rows runs nothing: rows, groups, clusters, unreadable lines, cases', async () => {
  const folder = newFolder()
  const path = join(folder, 'hostile.csv')
  writeFileSync(path, hostileTable())
  const store = localStore(folder)
  await store.run('accounts/put', account as Parameters<typeof store.run<'accounts/put'>>[1])
  const { rows, exported } = openRows(folder, {
    store,
    print: () => Promise.resolve(new TextEncoder().encode('%PDF')),
  })
  await dropped(rows, path)
  const { id } = await theFile(rows)
  const query = { account: account.id, files: [id], conditions: [], sort: [] }
  const saved = async (ending: string) => {
    const out = join(folder, `out-${exported.length}.${ending}`)
    writeFileSync(out, '')
    await exported.at(-1)?.write(out, new AbortController().signal, () => undefined)
    return out
  }
  const groups = {
    kind: 'groups' as const,
    by: [{ column: 'NETWORK', by: 'value' as const }],
    ...{ sort: { by: { kind: 'rows' as const }, direction: 'desc' as const }, search: '' },
  }
  for (const format of ['csv', 'xlsx'] as const) {
    const check = async (): Promise<void> => {
      const out = await saved(format)
      if (format === 'xlsx') return await expectNoFormulas(out)
      const text = readFileSync(out, 'utf8')
      expect(text.startsWith('\uFEFF"')).toBe(true)
      expect(text.length).toBeGreaterThan(500)
      expect(cellsThatRun(text)).toEqual([])
    }
    await rows.export({ query, columns: [], format })
    await check()
    await rows.exportTable({ query, table: groups, format })
    await check()
    await rows.exportTable({ query, table: { kind: 'clusters' }, format })
    await check()
  }
  await rows.exportUnreadable({ account: account.id, file: id })
  const unreadable = readFileSync(await saved('txt'), 'utf8')
  expect(unreadable).toContain('=cmd')
  expect(cellsThatRun(unreadable)).toEqual([])
})
