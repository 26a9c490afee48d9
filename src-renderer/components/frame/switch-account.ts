import type { AccountId } from '#shared/values/ids.ts'
import type { Failure } from '#shared/api/failure.ts'
import type { App } from '#renderer/stores/app.ts'

type Needed = Pick<App, 'desk' | 'messages'>

/** Shows another account's figures, and says whose; what is wrong where it cannot be. */
export async function switchAccount(app: Needed, account: AccountId): Promise<void> {
  if (app.desk.account?.id === account) return
  settle(app, await app.desk.activate(account))
}

/** Shows the next account in the list, or the one before. */
export async function switchToNext(app: Needed, by: 1 | -1): Promise<void> {
  if (app.desk.accounts.length < 2) {
    app.messages.say('There is no other account.')
    return
  }
  settle(app, await app.desk.activateNext(by))
}

function settle({ desk, messages }: Needed, failure: Failure | null): void {
  messages.say(
    failure
      ? `The account stays as it was. ${failure.message}`
      : `Now showing ${desk.account?.name ?? 'another account'}.`,
  )
}
