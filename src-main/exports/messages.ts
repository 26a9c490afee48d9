import type { TableRow } from '../../src-shared/service/answers.ts'
import type { TableFormat } from '../../src-shared/exports/order.ts'
import type { Failure } from '../../src-shared/service/failure.ts'
import type { Sheet } from './table-writer.ts'

/** What the writing thread is made for: a file that is there already, empty. */
export type WritingTask = { readonly path: string; readonly format: TableFormat }

/** One step at a time: the next is sent when the one before is answered. */
export type ToWriter =
  | { readonly step: 'begin'; readonly sheet: Sheet }
  | { readonly step: 'rows'; readonly rows: readonly TableRow[] }
  | { readonly step: 'absent'; readonly name: string; readonly words: string }
  | { readonly step: 'finish' }

export type FromWriter = { readonly ok: true } | { readonly ok: false; readonly failure: Failure }
