import { keepPreviousData, queryOptions, skipToken } from '@tanstack/svelte-query'
import type { Failure } from '#shared/api/failure.ts'
import type { CallArgument, DeskBridge } from '#shared/bridge/calls.ts'
import type { RawRequestId } from '#shared/raw/requests.ts'
import type { RawDone, RawListQuery } from '#shared/raw/list.ts'
import type { AccountId, RawReportId } from '#shared/values/ids.ts'
import { answerOf, moveIn, thenRead, eachOpening, changingQuery } from './answers.ts'
import type { Asking } from './answers.ts'

/** Everything that is known of one raw report. @param force asks the service whatever is stored */
export const rawReport = (bridge: DeskBridge, account: AccountId, report: RawReportId, force = false) =>
  eachOpening(bridge, ['raw', account, 'report', report], 'raw/report', { account, report, force })

/** A page of the list of raw reports; the one before stays while it comes. @param force asks the service whatever is stored */
export const rawList = (bridge: DeskBridge, account: AccountId, query: RawListQuery, force = false) => ({
  ...eachOpening(bridge, ['raw', account, 'list', query], 'raw/list', { account, query, force }),
  placeholderData: keepPreviousData,
})

/** The requests that wait to become reports, in the person's order. */
export const rawQueue = (bridge: DeskBridge, account: AccountId) =>
  queryOptions({
    queryKey: ['raw', account, 'queue'],
    queryFn: async () => (await answerOf(bridge.call('raw/queue', { account }))).requests,
  })

const queueOf = (bridge: DeskBridge, { account }: { readonly account: AccountId }) =>
  rawQueue(bridge, account)

/** Reports that could not be removed, until that is dismissed. `raw/removed` brings them. */
export const notRemoved = (account: AccountId) =>
  queryOptions<RawDone['failed']>({
    queryKey: ['not-removed', account],
    queryFn: skipToken,
    gcTime: Infinity,
    initialData: [],
  })

/** Moves a request by so many places, at once on screen; answers why it could not be. */
export const moveRequest = (
  { bridge, queries }: Asking,
  account: AccountId,
  move: { readonly id: RawRequestId; readonly by: number },
): Promise<Failure | null> =>
  moveIn(queries, rawQueue(bridge, account), move, (moved) =>
    bridge.call('raw/order-queue', { account, requests: moved.map(({ id }) => id) }),
  )

export const dropRequest = changingQuery('raw/drop-request', queueOf)

/** Sends a request once more of which nobody knows what became, or that was refused. */
export const sendAgain = changingQuery('raw/send-again', queueOf)

/** Requests a raw report: what came of it, or why it cannot even be asked for. */
export const requestReport = ({ bridge, queries }: Asking, request: CallArgument<'raw/request'>) =>
  thenRead(queries, rawQueue(bridge, request.account), bridge.call('raw/request', request))

/** Puts several requests into the queue at once; why not, where they cannot be. */
export const requestAll = changingQuery('raw/request-all', queueOf)

/** The templates of an account, and when each is asked for by itself. */
export const rawTemplates = (bridge: DeskBridge, account: AccountId) =>
  queryOptions({
    queryKey: ['raw', account, 'templates'],
    queryFn: async () => {
      const [templates, schedules] = await Promise.all([
        answerOf(bridge.call('raw/templates', { account })),
        answerOf(bridge.call('raw/schedules', { account })),
      ])
      return { templates, schedules }
    },
  })

const templatesOf = (bridge: DeskBridge, { account }: { readonly account: AccountId }) =>
  rawTemplates(bridge, account)

/** Saves a template, a new one where `template` is null. */
export const saveTemplate = ({ bridge, queries }: Asking, saved: CallArgument<'raw/save-template'>) =>
  thenRead(queries, templatesOf(bridge, saved), bridge.call('raw/save-template', saved))

/** Removes a template with its schedules. */
export const removeTemplate = changingQuery('raw/remove-template', templatesOf)

/** Brings a removed template back, the same one, with its schedules. */
export const undoRemoveTemplate = changingQuery('raw/undo-remove-template', templatesOf)

export const saveSchedule = changingQuery('raw/save-schedule', templatesOf)

export const removeSchedule = changingQuery('raw/remove-schedule', templatesOf)
