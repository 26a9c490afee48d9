import type { Connection } from '../../src-shared/accounts/account.ts'
import type { DeskEvents, KeptLookup } from '../../src-shared/bridge/calls.ts'
import type { Notice } from '../../src-shared/desk/state.ts'
import type { ReportAnswer } from '../../src-shared/reports/answer.ts'
import type { InstancesAnswer } from '../../src-shared/service/answers.ts'
import type { AccountId } from '../../src-shared/values/ids.ts'
import type { AccountBook } from '../accounts/account-book.ts'
import type { Clock } from '../service/clock.ts'
import type { Store } from '../store/store.ts'
import { Connections } from './connection.ts'
import { ReportDesk } from './desk.ts'
import type { Asked } from './desk.ts'
import type { InstancesAsked } from './kept-instances.ts'
import { Lookups } from './lookups.ts'
import type { Decode } from './question.ts'
import { Shelf } from './shelf.ts'

type EmittedNames = 'reports/changed' | 'connection/changed'

export type ReportsParts = {
  readonly store: Store
  readonly book: Pick<AccountBook, 'account' | 'active' | 'clientFor' | 'onChange'>
  readonly decode: Decode
  readonly emit: <N extends EmittedNames>(name: N, event: DeskEvents[N]) => void
  /** Shows a notice, in place of the one with the same id. */
  readonly raise: (notice: Notice) => void
  readonly clock: Clock
  /** From 0 to 1, for the jitter of probing. */
  readonly random?: () => number
}

export type Reports = {
  /** Answers a query; desk.ts says when from where. */
  readonly ask: (asked: Asked) => Promise<ReportAnswer>
  readonly cancel: (asked: Omit<Asked, 'byHand'>) => void
  readonly instances: (
    asked: InstancesAsked & { readonly account: AccountId },
  ) => Promise<KeptLookup<InstancesAnswer>>
  readonly connection: (account: AccountId) => Connection
  /** Whether a window is open: probing happens only then. */
  readonly setWatching: (watching: boolean) => void
  /** The computer found a network, or woke up. */
  readonly nudge: () => void
  /** Looks whether the service is there still, where nothing was heard of it for a while. */
  readonly look: () => void
  readonly stop: () => void
}

/** Joins desk, look-ups and connections, and lets them follow the account book. */
export function createReports(parts: ReportsParts): Reports {
  const { book, emit, clock, random = Math.random } = parts
  const shelf = new Shelf(parts.store, parts.raise)
  const connections: Connections = new Connections({
    probe: (account, signal) => lookups.probe(account, signal),
    onBack: (account) => desk.serviceIsBack(account),
    emit,
    clock,
    random,
  })
  const common = { book, shelf, connections, decode: parts.decode, emit, clock }
  const lookups: Lookups = new Lookups(common)
  const desk: ReportDesk = new ReportDesk(common)

  const stopFollowing = book.onChange((change) => {
    switch (change.kind) {
      case 'activated':
        return connections.follow(change.account)
      case 'renewed':
        return connections.forgive(change.account)
      case 'removed':
        desk.forget(change.account)
        lookups.forget(change.account)
        shelf.forget(change.account)
        return connections.forget(change.account)
    }
  })
  connections.follow(book.active())

  return {
    ask: (asked) => desk.ask(asked),
    cancel: (asked) => desk.cancel(asked),
    instances: ({ account, ...asked }) => lookups.instances(account, asked),
    connection: (account) => connections.of(account),
    setWatching: (watching) => connections.setWatching(watching),
    nudge: () => connections.nudge(),
    look: () => connections.look(),
    stop: () => {
      stopFollowing()
      connections.follow(null)
    },
  }
}
