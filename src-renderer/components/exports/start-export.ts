import type { ExportOrder } from '#shared/exports/order.ts'
import { beginExport } from '#renderer/queries/jobs.ts'
import type { WindowApp } from '#renderer/stores/app.ts'

/** Export formats, with their labels. */
export const exportFormats = [
  { format: 'csv', words: 'CSV' },
  { format: 'xlsx', words: 'Excel (XLSX)' },
  { format: 'json', words: 'JSON' },
  { format: 'parquet', words: 'Parquet' },
  { format: 'clipboard', words: 'Copy to clipboard' },
] as const

export type ExportFormat = (typeof exportFormats)[number]['format']

/** Starts an export of the active account. A message shows a failure to start. */
export async function startExport(
  { bridge, desk, messages }: Pick<WindowApp, 'bridge' | 'desk' | 'messages'>,
  order: ExportOrder,
): Promise<void> {
  const { account } = desk
  if (!account) return
  const failure = await beginExport({ bridge }, { account: account.id, order })
  if (failure) messages.show(`Nothing was exported. ${failure.message}`)
}
