import type { Engine } from '#main/reports/engine/report-engine.ts'
import type { Computed } from '#main/reports/engine/table-calls.ts'
import { newTableId, historyStemOf } from '#main/analytics/history-layout.ts'
import type { StoredTable } from '#main/database/cache/catalogue-repository.ts'
import { plainTable } from '#shared/reports/query.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import type { Cell, Label, TableRow, Totals } from '#shared/api/answers.ts'
import { day } from '#shared/values/day.ts'
import type { InstanceId, Instant } from '#shared/values/ids.ts'
import { dataScope } from './kept-days.ts'

export const directHeaders = ['Browser', 'Requests', 'Non-Suspect', 'Suspect', 'Mobile']
export const scriptHeaders = [
  'Browser',
  'Requests',
  'Responses',
  'Good',
  'Warning',
  'Bad',
  'Mobile',
  'Ad Blocker',
]

export type Row = readonly [label: string | Label, ...cells: Cell[]]

export const instance = (id: string, name: string): Label => ({
  kind: 'instance',
  id: id as InstanceId,
  name,
})

type Laid = {
  readonly headers?: readonly string[]
  readonly all?: readonly Cell[] | null
  readonly total?: Totals
  readonly rows?: readonly Row[]
  /** How many rows a page has. */
  readonly perPage?: number
  readonly subject?: string
  readonly whole?: boolean
  /** Whether each row stands for a source or campaign: two rows of one label raise no doubt then. */
  readonly composed?: boolean
}

/** A table of one day, or of a few, that is to be kept. */
export type Day = Laid & { readonly days: string }

export const dayOf = (days: string, laid: Laid = {}): Day => ({ days, ...laid })

export const rowOf = ([label, ...cells]: Row): TableRow => ({
  label: typeof label === 'string' ? { kind: 'text', text: label } : label,
  cells,
})

/** Writes a table into a file of the history folder. */
export async function written(engine: Pick<Engine, 'call'>, laid: Day): Promise<StoredTable> {
  const { headers = directHeaders, total = {}, rows = [], perPage = 3, whole = true, composed = false } = laid
  const [start = '', end = start] = laid.days.split(' ')
  const cells = laid.all === null ? null : (laid.all ?? headers.slice(1).map(() => 0))
  const id = newTableId()
  for (let at = 0; at < rows.length; at += perPage) {
    const page = rows.slice(at, at + perPage).map(rowOf)
    await engine.call('stage', { staging: id, columns: headers.length - 1, rows: page })
  }
  const repeats = new Set(rows.map(([label]) => label)).size < rows.length
  const entry = {
    ...{
      id,
      dataScope,
      subject: laid.subject ?? 'direct/browsers?',
      range: { start: day(start), end: day(end) },
    },
    ...{ fetchedAt: 1_000 as Instant, whole, rows: rows.length },
    doubt: repeats && !composed ? ('labels-repeat' as const) : null,
  }
  const all = cells && { label: { kind: 'all', name: null } as const, cells }
  const stem = historyStemOf(entry, id)
  const { file, head } = await engine.call('write', {
    ...{ staging: id, stem, entry, headers, all, total },
    ...(composed && { composed: { requested: rows.length, total: rows.length } }),
  })
  return { ...entry, file, head, bytes: file.size }
}

/** Asks an engine about tables, each of which is written once. */
export class Asking {
  readonly engine: Engine
  readonly #written = new Map<Day, Promise<StoredTable>>()

  constructor(engine: Engine) {
    this.engine = engine
  }

  tables(days: readonly Day[]): Promise<StoredTable[]> {
    return Promise.all(
      days.map((each) => {
        const known = this.#written.get(each) ?? written(this.engine, each)
        this.#written.set(each, known)
        return known
      }),
    )
  }
}

export function figuresOf<F>(computed: Computed<F>): F {
  if (computed.kind === 'lacking') throw new Error(`Lacking ${computed.tables.join(', ')}`)
  return computed.figures
}

/** A query of the direct browsers unless told otherwise. */
export function asked(changes: Partial<TableQuery> = {}): TableQuery {
  return {
    ...plainTable,
    family: 'direct',
    dimension: 'browsers',
    range: { start: day('2026-11-01'), end: day('2026-11-07') },
    ...changes,
  }
}
