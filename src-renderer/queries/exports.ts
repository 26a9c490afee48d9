import { queryOptions } from '@tanstack/svelte-query'
import type { Failure } from '#shared/api/failure.ts'
import type { CallArgument, DeskBridge } from '#shared/bridge/calls.ts'
import type { ExportId, ExportProgress } from '#shared/exports/order.ts'
import { answerOf, failureOf } from './answers.ts'
import type { Asking } from './answers.ts'

/** What runs and what has ended, the newest last. `exports/changed` says how each goes on (events.ts). */
export const exportList = (bridge: DeskBridge) =>
  queryOptions({
    queryKey: ['exports'],
    queryFn: () => answerOf(bridge.call('exports/list')),
  })

/** The list once one of them went on: it keeps its place. */
export const withExport = (
  list: readonly ExportProgress[],
  changed: ExportProgress,
): readonly ExportProgress[] =>
  list.some(({ id }) => id === changed.id)
    ? list.map((known) => (known.id === changed.id ? changed : known))
    : [...list, changed]

/** Begins an export; answers why not, where it cannot even begin. */
export const beginExport = (
  { bridge }: Pick<Asking, 'bridge'>,
  wanted: CallArgument<'exports/start'>,
): Promise<Failure | null> => failureOf(bridge.call('exports/start', wanted))

export const cancelExport = ({ bridge }: Pick<Asking, 'bridge'>, id: ExportId): void =>
  void bridge.call('exports/cancel', { id })

/** Opens the file, or shows it where it lies; answers why not. */
export const onExport = (
  { bridge }: Pick<Asking, 'bridge'>,
  name: 'exports/show' | 'exports/open',
  id: ExportId,
): Promise<Failure | null> => failureOf(bridge.call(name, { id }))
