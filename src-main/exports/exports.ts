import type { DeskEvents } from '../../src-shared/bridge/calls.ts'
import { notYet } from '../../src-shared/desk/not-yet.ts'
import type { ExportId, ExportOrder, ExportProgress } from '../../src-shared/exports/order.ts'
import type { AccountId } from '../../src-shared/values/ids.ts'
import type { AccountBook } from '../accounts/account-book.ts'
import type { Reports } from '../reports/reports.ts'
import type { Clock } from '../service/clock.ts'

export type ExportsParts = {
  readonly book: Pick<AccountBook, 'account'>
  readonly reports: Pick<Reports, 'ask' | 'cancel'>
  readonly emit: (name: 'exports/changed', event: DeskEvents['exports/changed']) => void
  readonly clock: Clock
  /** The folder of downloads, as it is set at this moment. */
  readonly downloads: () => Promise<string>
  /** Puts text into the system's clipboard. */
  readonly copy: (text: string) => void
  /** The view at an address, drawn on pages: a PDF. */
  readonly print: (address: string) => Promise<Uint8Array>
  /** Shows a file in the system's file manager. */
  readonly showFile: (path: string) => void
  /** Opens a file with the program that the system has for it; what is wrong in words, or nothing. */
  readonly openFile: (path: string) => Promise<string>
}

/** Taking figures out of the app: as files, and into the clipboard. */
export type Exports = {
  readonly start: (account: AccountId, order: ExportOrder) => Promise<{ readonly id: ExportId }>
  readonly chart: (account: AccountId, name: string, png: Uint8Array) => Promise<{ readonly id: ExportId }>
  readonly list: () => readonly ExportProgress[]
  readonly cancel: (id: ExportId) => void
  readonly dismiss: (id: ExportId) => void
  readonly show: (id: ExportId) => Promise<null>
  readonly open: (id: ExportId) => Promise<null>
  /** Ends what is running; half-written files go. */
  readonly close: () => Promise<void>
}

export function createExports(_parts: ExportsParts): Exports {
  return {
    start: notYet,
    chart: notYet,
    list: () => [],
    cancel: () => undefined,
    dismiss: () => undefined,
    show: notYet,
    open: notYet,
    close: () => Promise.resolve(),
  }
}
