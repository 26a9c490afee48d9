import type { Failure } from '#shared/api/failure.ts'
import type { CallArgument, DeskBridge } from '#shared/bridge/calls.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { failureOf, readingOf, eachOpening, changing } from './answers.ts'
import type { Asking } from './answers.ts'

type Which = CallArgument<'cases/of'>

/** Cases of an account without their results, the newest first. */
export const caseList = (bridge: DeskBridge, account: AccountId) =>
  readingOf(bridge, ['cases', account, 'list'], 'cases/list', { account })

/** A case with its results. */
export const caseOf = (bridge: DeskBridge, which: Which) =>
  readingOf(bridge, ['cases', which.account, which.id], 'cases/of', which)

/** Raw reports that a case still needs. Read on every mount, because the service sends no change events. */
export const rowsPlan = (bridge: DeskBridge, which: Which) =>
  eachOpening(bridge, ['rows plan', which.account, which.id], 'cases/plan-rows', which)

/** Creates a case from imported archives. */
export const beginCase = ({ bridge }: Asking, begun: CallArgument<'cases/begin'>) =>
  bridge.call('cases/begin', begun)

const afterChange = async (app: Asking, which: Which, failure: Failure | null): Promise<Failure | null> => {
  if (failure === null) await app.queries.invalidateQueries(caseOf(app.bridge, which))
  return failure
}

/** Collects the figures and rows of a case again. Returns the failure, or null. */
export const makeCase = async (app: Asking, which: Which): Promise<Failure | null> =>
  afterChange(app, which, await failureOf(app.bridge.call('cases/make', which)))

/** Marks a case as sent or not sent. */
export const markCaseSent = async (app: Asking, which: Which, sent: boolean): Promise<Failure | null> =>
  afterChange(app, which, await failureOf(app.bridge.call('cases/sent', { ...which, sent })))

/** Changes the name and notes. */
export const changeCase = async (
  app: Asking,
  change: CallArgument<'cases/change'>,
): Promise<Failure | null> =>
  afterChange(
    app,
    { account: change.account, id: change.id },
    await failureOf(app.bridge.call('cases/change', change)),
  )

/** Starts an export of the whole evidence. */
export const saveCase = changing('cases/save')

export const removeCase = changing('cases/remove')

/** Requests raw reports for these instances. */
export const addCaseRows = changing('cases/add-rows')
