import { keepPreviousData, queryOptions, skipToken } from '@tanstack/svelte-query'
import type { Failure, Outcome } from '#shared/api/failure.ts'
import type { CallArgument, DeskBridge } from '#shared/bridge/calls.ts'
import type { RawRequestId, RawScheduleId, RawTemplateId } from '#shared/raw/requests.ts'
import type { RawDone, RawListQuery } from '#shared/raw/list.ts'
import type { AccountId, RawReportId } from '#shared/values/ids.ts'
import { answerOf, failureOf, moveIn, thenRead } from './answers.ts'
import type { Asking } from './answers.ts'

/** Everything that is known of one raw report. @param force asks the service whatever is stored */
export const rawReport = (bridge: DeskBridge, account: AccountId, report: RawReportId, force = false) =>
  queryOptions({
    queryKey: ['raw', account, 'report', report],
    queryFn: () => answerOf(bridge.call('raw/report', { account, report, force })),
    gcTime: 0,
  })

/** A page of the list of raw reports; the one before stays while it comes. @param force asks the service whatever is stored */
export const rawList = (bridge: DeskBridge, account: AccountId, query: RawListQuery, force = false) =>
  queryOptions({
    queryKey: ['raw', account, 'list', query],
    queryFn: () => answerOf(bridge.call('raw/list', { account, query, force })),
    placeholderData: keepPreviousData,
    gcTime: 0,
  })

/** The requests that wait to become reports, in the person's order. */
export const rawQueue = (bridge: DeskBridge, account: AccountId) =>
  queryOptions({
    queryKey: ['raw', account, 'queue'],
    queryFn: async () => (await answerOf(bridge.call('raw/queue', { account }))).requests,
  })

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

export const dropRequest = (
  { bridge, queries }: Asking,
  which: CallArgument<'raw/drop-request'>,
): Promise<Failure | null> =>
  failureOf(thenRead(queries, rawQueue(bridge, which.account), bridge.call('raw/drop-request', which)))

/** Sends a request once more of which nobody knows what became, or that was refused. */
export const sendAgain = (
  { bridge, queries }: Asking,
  which: CallArgument<'raw/send-again'>,
): Promise<Failure | null> =>
  failureOf(thenRead(queries, rawQueue(bridge, which.account), bridge.call('raw/send-again', which)))

/** Requests a raw report: what came of it, or why it cannot even be asked for. */
export const requestReport = ({ bridge, queries }: Asking, request: CallArgument<'raw/request'>) =>
  thenRead(queries, rawQueue(bridge, request.account), bridge.call('raw/request', request))

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

const changing = <T>({ bridge, queries }: Asking, account: AccountId, called: Promise<Outcome<T>>) =>
  thenRead(queries, rawTemplates(bridge, account), called)

/** Saves a template, a new one where `template` is null. */
export const saveTemplate = (app: Asking, saved: CallArgument<'raw/save-template'>) =>
  changing(app, saved.account, app.bridge.call('raw/save-template', saved))

/** Removes a template with its schedules. */
export const removeTemplate = (
  app: Asking,
  account: AccountId,
  template: RawTemplateId,
): Promise<Failure | null> =>
  failureOf(changing(app, account, app.bridge.call('raw/remove-template', { account, template })))

/** Brings a removed template back, the same one, with its schedules. */
export const undoRemoveTemplate = (
  app: Asking,
  account: AccountId,
  template: RawTemplateId,
): Promise<Failure | null> =>
  failureOf(changing(app, account, app.bridge.call('raw/undo-remove-template', { account, template })))

export const saveSchedule = (
  app: Asking,
  saved: CallArgument<'raw/save-schedule'>,
): Promise<Failure | null> =>
  failureOf(changing(app, saved.account, app.bridge.call('raw/save-schedule', saved)))

export const removeSchedule = (
  app: Asking,
  account: AccountId,
  schedule: RawScheduleId,
): Promise<Failure | null> =>
  failureOf(changing(app, account, app.bridge.call('raw/remove-schedule', { account, schedule })))
