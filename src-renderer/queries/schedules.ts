import type { CallArgument, DeskBridge } from '#shared/bridge/calls.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { SavedViewState } from '#shared/views/saved-views.ts'
import type { ViewAddress } from '#shared/views/view-address.ts'
import type { ScheduleEntry, ScheduleState, ScheduleSubject } from '#shared/watch/schedules.ts'
import type { WindowApp } from '../stores/app.ts'
import { changing, changingQuery, readingOf, thenRead } from './answers.ts'
import type { Asking } from './answers.ts'
import { viewAt } from './saved-views.ts'

/** Schedules of an account with their runs. */
export const scheduleList = (bridge: DeskBridge, account: AccountId) =>
  readingOf(bridge, ['schedules', account], 'schedules/list', { account })

const listOf = (bridge: DeskBridge, { account }: { readonly account: AccountId }) =>
  scheduleList(bridge, account)

export const saveSchedule = changingQuery('schedules/save', listOf)

export const makeScheduled = changing('schedules/make')

export const showScheduled = changing('schedules/show')

export const mailScheduled = changing('schedules/mail')

/** Lets the user choose a folder. The value is null if none was chosen. */
export const chooseScheduleFolder = ({ bridge }: Pick<Asking, 'bridge'>, account: AccountId) =>
  bridge.call('schedules/choose-folder', { account })

/** Subject of a schedule for an open view. Null if it is neither a saved view nor a case nor Today. */
export function subjectOfView(
  views: readonly SavedViewState[],
  address: ViewAddress,
): ScheduleSubject | null {
  if (address.kind === 'today') return { kind: 'today' }
  if (address.kind === 'cases') return address.id === null ? null : { kind: 'case', id: address.id }
  if (address.kind !== 'overview' && address.kind !== 'reports') return null
  const view = viewAt(views, address)
  return view && { kind: 'views', views: [view.id] }
}

/** Returns the part of a schedule that the user enters. */
export function entryOf({ id: _id, nextAt: _next, runs: _runs, ...entry }: ScheduleState): ScheduleEntry {
  return entry
}

/** Removes a schedule. The message of success has an Undo, which saves the schedule again. */
export async function removeSchedule(
  { bridge, queries, messages }: Pick<WindowApp, 'bridge' | 'queries' | 'messages'>,
  account: AccountId,
  { id }: Pick<ScheduleState, 'id'>,
): Promise<void> {
  const call = bridge.call('schedules/remove', { account, id })
  const removed = await thenRead(queries, scheduleList(bridge, account), call)
  if (!removed.ok) return messages.show(removed.failure.message)
  const undo = async () => {
    const entry = entryOf(removed.value)
    const again: CallArgument<'schedules/save'> = { account, id, entry, isNew: true }
    const failure = await saveSchedule({ bridge, queries }, again)
    if (failure) messages.show(failure.message)
  }
  messages.show('Schedule removed.', { words: 'Undo', run: () => void undo() })
}
