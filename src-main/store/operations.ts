import type { Account } from '../../src-shared/accounts/account.ts'
import type { EndpointPath } from '../../src-shared/service/endpoints.ts'
import type { AccountId } from '../../src-shared/values/ids.ts'
import { listAccounts, putAccount, removeAccount } from './accounts-repository.ts'
import { keepAnswer, newestAnswers, readAnswer } from './answers-repository.ts'
import type { AnswerToKeep, KeptText } from './answers-repository.ts'
import type { Writer } from './database.ts'
import { readSettings, writeSettings } from './settings-repository.ts'
import type { SettingChanges, Settings } from './settings-repository.ts'

type Takes<Argument, Result> = { readonly argument: Argument; readonly result: Result }

/** Everything that can be asked of the store; both threads derive from this. */
export type StoreOperations = {
  'accounts/list': Takes<undefined, readonly Account[]>
  'accounts/put': Takes<Account, null>
  /** Removes the account and all that is kept for it. */
  'accounts/remove': Takes<AccountId, null>
  'settings/read': Takes<undefined, Settings>
  /** Writes the settings that are given and leaves the others. */
  'settings/write': Takes<SettingChanges, null>
  /** False where a newer answer is kept already, or the account has gone. */
  'answers/keep': Takes<AnswerToKeep, boolean>
  'answers/read': Takes<{ readonly account: AccountId; readonly key: string }, KeptText | null>
  /** The newest answers of one endpoint, the newest first. */
  'answers/newest': Takes<
    { readonly account: AccountId; readonly path: EndpointPath; readonly most: number },
    readonly KeptText[]
  >
}

export type OperationName = keyof StoreOperations
export type OperationArgument<N extends OperationName> = StoreOperations[N]['argument']
export type OperationResult<N extends OperationName> = StoreOperations[N]['result']

type Operations = {
  readonly [N in OperationName]: (database: Writer, argument: OperationArgument<N>) => OperationResult<N>
}

const operations: Operations = {
  'accounts/list': (database) => listAccounts(database),
  'accounts/put': (database, account) => {
    putAccount(database, account)
    return null
  },
  'accounts/remove': (database, account) => {
    removeAccount(database, account)
    return null
  },
  'settings/read': (database) => readSettings(database),
  'settings/write': (database, changes) => {
    database.together(() => writeSettings(database, changes))
    return null
  },
  'answers/keep': (database, answer) => keepAnswer(database, answer, Date.now()),
  'answers/read': (database, { account, key }) => readAnswer(database, account, key),
  'answers/newest': (database, { account, path, most }) => newestAnswers(database, account, path, most),
}

export const isOperation = (name: string): name is OperationName => Object.hasOwn(operations, name)

/** Runs one operation. Its name has been checked where it came from another thread. */
export function perform<N extends OperationName>(
  database: Writer,
  name: N,
  argument: OperationArgument<N>,
): OperationResult<N> {
  return operations[name](database, argument)
}
