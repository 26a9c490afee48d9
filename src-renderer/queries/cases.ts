import type { Failure } from '#shared/api/failure.ts'
import type { CallArgument, DeskBridge } from '#shared/bridge/calls.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { failureOf, readingOf, eachOpening, changing } from './answers.ts'
import type { Asking } from './answers.ts'

type Which = CallArgument<'cases/of'>

/** An account's cases, the newest first, without what they came to. */
export const caseList = (bridge: DeskBridge, account: AccountId) =>
  readingOf(bridge, ['cases', account, 'list'], 'cases/list', { account })

/** One case, with what it came to. */
export const caseOf = (bridge: DeskBridge, which: Which) =>
  readingOf(bridge, ['cases', which.account, which.id], 'cases/of', which)

/** The raw reports that a case still needs. The service is asked, which tells of no change: read with each opening. */
export const rowsPlan = (bridge: DeskBridge, which: Which) =>
  eachOpening(bridge, ['rows plan', which.account, which.id], 'cases/plan-rows', which)

/** Begins a case of archives that are read in. */
export const beginCase = ({ bridge }: Asking, begun: CallArgument<'cases/begin'>) =>
  bridge.call('cases/begin', begun)

const changed = async (app: Asking, which: Which, failure: Failure | null): Promise<Failure | null> => {
  if (failure === null) await app.queries.invalidateQueries(caseOf(app.bridge, which))
  return failure
}

/** Gathers figures and rows anew; answers why it could not. */
export const makeCase = async (app: Asking, which: Which): Promise<Failure | null> =>
  changed(app, which, await failureOf(app.bridge.call('cases/make', which)))

/** Notes that the pack was sent, or takes that back. */
export const markCaseSent = async (app: Asking, which: Which, sent: boolean): Promise<Failure | null> =>
  changed(app, which, await failureOf(app.bridge.call('cases/sent', { ...which, sent })))

/** Changes its name and its notes. */
export const changeCase = async (
  app: Asking,
  change: CallArgument<'cases/change'>,
): Promise<Failure | null> =>
  changed(
    app,
    { account: change.account, id: change.id },
    await failureOf(app.bridge.call('cases/change', change)),
  )

/** Begins an export of the whole evidence. */
export const saveCase = changing('cases/save')

export const removeCase = changing('cases/remove')

/** Requests raw reports for these instances. */
export const addCaseRows = changing('cases/add-rows')
