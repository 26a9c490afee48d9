import { open } from 'node:fs/promises'
import type { CallArgument } from '#shared/bridge/calls.ts'
import { DeskFailure } from '#shared/app/desk-failure.ts'
import type { ExportId, TableFormat } from '#shared/exports/order.ts'
import {
  chanceWords,
  clusterKindWords,
  clusterWords,
  groupHeader,
  groupsWords,
  resultHeaders,
} from '#shared/texts/archives.ts'
import { csvForm, csvMark, delimited } from '#shared/values/delimited.ts'
import type { OutCell } from '#shared/values/delimited.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { throwIfCancelled } from '#main/lib/async.ts'
import type { RowsParams } from './engine/calls.ts'
import type { Exporting } from './exporting.ts'
import { writeWorkbook } from './workbook.ts'

/** A table made of rows: its columns, and its rows some at a time. Shares are in per cent. */
type MadeTable = {
  readonly name: string
  readonly columns: readonly string[]
  readonly total: number
  readonly pages: (signal: AbortSignal) => AsyncIterable<readonly (readonly OutCell[])[]>
}

type Order = CallArgument<'rows/export-table'>
type GroupsOrder = Extract<Order['table'], { kind: 'groups' }>
type InZone = RowsParams & { readonly zone: string }

const groupsAtOnce = 1000
/** Each thousand groups is a question of its own. */
const maxGroups = 50_000

/** Saves the groups or the clusters of rows. @throws DeskFailure `invalid` for too many groups; what the engine refuses */
export async function exportTable(
  { question, table: wanted, format }: Order,
  asked: InZone,
  exporting: Exporting,
): Promise<{ readonly id: ExportId }> {
  const { account } = question
  const table =
    wanted.kind === 'groups'
      ? await groupsOf(account, wanted, asked, exporting)
      : await clustersOf(account, asked, exporting)
  return exporting.runExport(account, {
    name: table.name,
    ending: format,
    write: async (path, signal, progress) => {
      let done = 0
      await writeTable(path, format, table, async (add) => {
        for await (const rows of table.pages(signal)) {
          throwIfCancelled(signal)
          await add(rows)
          progress((done += rows.length), table.total)
        }
      })
      return done
    },
  })
}

/** @param of for which rows, in words */
const nameOf = (what: string, { files }: RowsParams): string =>
  `${what} of ${files.length === 1 ? (files[0]?.name ?? '') : `${files.length} files`}`

async function groupsOf(
  account: AccountId,
  { by, sort: groupSort, search }: GroupsOrder,
  asked: InZone,
  { engine, verified }: Exporting,
): Promise<MadeTable> {
  const page = (offset: number, signal?: AbortSignal) => {
    const of = { ...asked, by, groupSort, search, offset, limit: groupsAtOnce }
    return verified(account, engine.call('groups', of, signal))
  }
  const first = await page(0)
  if (first.total > maxGroups) throw tooManyGroups()
  const judged = resultHeaders(first.results)
  const cells = ({ groups }: typeof first) =>
    groups.map(({ keys, rows, bad, counts }): OutCell[] => [
      ...keys,
      rows,
      ...(judged.length > 0 ? [...counts, shareOf(bad, rows)] : []),
    ])
  return {
    name: nameOf(`Raw rows, ${groupsWords(by)},`, asked),
    columns: [...by.map(groupHeader), 'Rows', ...judged, ...(judged.length > 0 ? ['Bad share (%)'] : [])],
    total: first.total,
    pages: async function* (signal) {
      yield cells(first)
      for (let offset = groupsAtOnce; offset < first.total; offset += groupsAtOnce)
        yield cells(await page(offset, signal))
    },
  }
}

async function clustersOf(
  account: AccountId,
  asked: InZone,
  { engine, verified }: Exporting,
): Promise<MadeTable> {
  const { clusters } = await verified(account, engine.call('clusters', asked))
  const rows = clusters.map((cluster): OutCell[] => [
    ...[
      cluster.value,
      clusterKindWords[cluster.kind],
      clusterWords(cluster, 'en'),
      cluster.rows,
      cluster.bad,
    ],
    ...[
      rounded(cluster.expected),
      shareOf(cluster.bad, cluster.rows),
      rounded(cluster.bad / cluster.expected),
    ],
    chanceWords(cluster.chance, 'en'),
  ])
  return {
    name: nameOf('Clusters', asked),
    columns: [
      ...['Value', 'Of', 'In words', 'Rows', 'Bad rows', 'Expected'],
      ...['Bad share (%)', 'Times expected', 'By chance'],
    ],
    total: rows.length,
    pages: async function* () {
      yield await Promise.resolve(rows)
    },
  }
}

const rounded = (value: number): number => Number(value.toFixed(4))
const shareOf = (bad: number | null, rows: number): number | null =>
  bad === null || rows === 0 ? null : rounded((bad / rows) * 100)

/** Writes into a file that is there already; it is closed after that, however it ended. */
async function writeTable(
  path: string,
  format: TableFormat,
  { name, columns }: MadeTable,
  fill: (add: (rows: readonly (readonly OutCell[])[]) => Promise<void>) => Promise<void>,
): Promise<void> {
  if (format === 'xlsx')
    return await writeWorkbook(path, async ({ sheet, add }) => {
      await sheet(name, columns)
      await fill(add)
    })
  const file = await open(path, 'r+')
  try {
    if (format === 'csv') {
      await file.appendFile(csvMark + delimited([columns], csvForm))
      await fill((rows) => file.appendFile(delimited(rows, csvForm)))
      return
    }
    let before = '['
    await fill(async (rows) => {
      const objects = rows.map((cells) => objectOf(columns, cells)).join(',\n  ')
      if (objects === '') return
      await file.appendFile(`${before}\n  ${objects}`)
      before = ','
    })
    await file.appendFile(before === '[' ? '[\n]\n' : '\n]\n')
  } finally {
    await file.close()
  }
}

/** As text: an object of JavaScript would trip over a header such as `__proto__`. */
const objectOf = (columns: readonly string[], cells: readonly OutCell[]): string =>
  `{${columns.map((column, nth) => `${JSON.stringify(column)}: ${JSON.stringify(cells[nth] ?? null)}`).join(', ')}}`

const tooManyGroups = () =>
  new DeskFailure({
    kind: 'invalid',
    message: `These are more than ${maxGroups.toLocaleString('en')} groups. Search among them, or filter the rows first.`,
  })
