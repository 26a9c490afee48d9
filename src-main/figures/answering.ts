import type { DeskEvents } from '../../src-shared/bridge/calls.ts'
import type { AccountBook } from '../accounts/account-book.ts'
import type { Clock } from '../service/clock.ts'
import type { Connections } from './connection/connection.ts'
import type { Decode } from './question.ts'
import type { Shelf } from './shelf.ts'

/** What answering from kept figures and from the service takes, for reports and look-ups alike. */
export type AnsweringParts = {
  readonly book: Pick<AccountBook, 'account' | 'ownerOf' | 'clientFor' | 'learn'>
  readonly shelf: Shelf
  readonly connections: Connections
  readonly decode: Decode
  readonly emit: (name: 'reports/changed', event: DeskEvents['reports/changed']) => void
  readonly clock: Clock
}
