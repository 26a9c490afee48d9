import { accountOperations } from './accounts-repository.ts'
import { answerOperations } from './answers-repository.ts'
import { catalogueOperations } from './catalogue-repository.ts'
import { catalogueSizeOperations } from './catalogue-sizes.ts'
import type { Writer } from './database.ts'
import { downloadOperations } from './downloads-repository.ts'
import { rawAnnouncementOperations } from './raw-announcements-repository.ts'
import { rawReportOperations } from './raw-reports-repository.ts'
import { rawRequestOperations } from './raw-requests-repository.ts'
import { rawTemplateOperations } from './raw-templates-repository.ts'
import { restatementOperations } from './restatements-repository.ts'
import { settingsOperations } from './settings-repository.ts'
import { viewOperations } from './views-repository.ts'

/** Everything that can be asked of the store, each repository's own; both threads derive from this. */
const operations = {
  ...accountOperations,
  ...settingsOperations,
  ...answerOperations,
  ...catalogueOperations,
  ...catalogueSizeOperations,
  ...restatementOperations,
  ...viewOperations,
  ...downloadOperations,
  ...rawRequestOperations,
  ...rawTemplateOperations,
  ...rawReportOperations,
  ...rawAnnouncementOperations,
} as const

type Operations = typeof operations

export type OperationName = keyof Operations
/** What an operation takes after the database; undefined where it takes nothing. */
export type OperationArgument<N extends OperationName> = N extends OperationName
  ? Parameters<Operations[N]> extends readonly [unknown, infer Argument]
    ? Argument
    : undefined
  : never
export type OperationResult<N extends OperationName> = ReturnType<Operations[N]>

export const isOperation = (name: string): name is OperationName => Object.hasOwn(operations, name)

/** Runs one operation. Its name has been checked where it came from another thread. */
export function perform<N extends OperationName>(
  database: Writer,
  name: N,
  argument: OperationArgument<N>,
): OperationResult<N> {
  // The operation of this name takes this argument and gives this result: both types are read off it.
  const operation = operations[name] as unknown as (
    database: Writer,
    argument: OperationArgument<N>,
  ) => OperationResult<N>
  return operation(database, argument)
}
