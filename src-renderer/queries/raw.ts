import { keepPreviousData, queryOptions, skipToken } from '@tanstack/svelte-query'
import type { Failure } from '#shared/api/failure.ts'
import type { CallArgument, DeskBridge } from '#shared/bridge/calls.ts'
import type { RawRequestId } from '#shared/raw/requests.ts'
import type { RawDone, RawListQuery } from '#shared/raw/list.ts'
import type { AccountId, RawReportId } from '#shared/values/ids.ts'
import { answerOf, moveIn, thenRead, eachOpening, changingQuery } from './answers.ts'
import type { Asking } from './answers.ts'

/** All details of a raw report. @param force requests the service even if the report is stored */
export const rawReport = (bridge: DeskBridge, account: AccountId, report: RawReportId, force = false) =>
  eachOpening(bridge, ['raw', account, 'report', report], 'raw/report', { account, report, force })

/**
 * A page of the list of raw reports. The previous page stays until it arrives. @param force requests the service even if the
 * page is stored
 */
export const rawList = (bridge: DeskBridge, account: AccountId, query: RawListQuery, force = false) => ({
  ...eachOpening(bridge, ['raw', account, 'list', query], 'raw/list', { account, query, force }),
  placeholderData: keepPreviousData,
})

/** Queued requests of raw reports, in the user's order. */
export const rawQueue = (bridge: DeskBridge, account: AccountId) =>
  queryOptions({
    queryKey: ['raw', account, 'queue'],
    queryFn: async () => (await answerOf(bridge.call('raw/queue', { account }))).requests,
  })

const queueOf = (bridge: DeskBridge, { account }: { readonly account: AccountId }) =>
  rawQueue(bridge, account)

/** Reports that could not be removed, until dismissed. Set by `raw/removed`. */
export const notRemoved = (account: AccountId) =>
  queryOptions<RawDone['failed']>({
    queryKey: ['not-removed', account],
    queryFn: skipToken,
    gcTime: Infinity,
    initialData: [],
  })

/** Moves a request in the queue, on screen at once. Returns the failure, or null. */
export const moveRequest = (
  { bridge, queries }: Asking,
  account: AccountId,
  move: { readonly id: RawRequestId; readonly by: number },
): Promise<Failure | null> =>
  moveIn(queries, rawQueue(bridge, account), move, (moved) =>
    bridge.call('raw/order-queue', { account, requests: moved.map(({ id }) => id) }),
  )

export const dropRequest = changingQuery('raw/drop-request', queueOf)

/** Sends a request again that was rejected or whose result is unknown. */
export const sendAgain = changingQuery('raw/send-again', queueOf)

/** Requests a raw report. Returns the result, or the failure if the request is invalid. */
export const requestReport = ({ bridge, queries }: Asking, request: CallArgument<'raw/request'>) =>
  thenRead(queries, rawQueue(bridge, request.account), bridge.call('raw/request', request))

/** Queues several requests together. Returns the failure, or null. */
export const requestAll = changingQuery('raw/request-all', queueOf)

/** Templates of an account, with their schedules. */
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

/** Saves a template; a null `template` creates a new one. */
export const saveTemplate = ({ bridge, queries }: Asking, saved: CallArgument<'raw/save-template'>) =>
  thenRead(queries, templatesOf(bridge, saved), bridge.call('raw/save-template', saved))

/** Removes a template with its schedules. */
export const removeTemplate = changingQuery('raw/remove-template', templatesOf)

/** Restores a removed template with its schedules. */
export const undoRemoveTemplate = changingQuery('raw/undo-remove-template', templatesOf)

export const saveSchedule = changingQuery('raw/save-schedule', templatesOf)

export const removeSchedule = changingQuery('raw/remove-schedule', templatesOf)
