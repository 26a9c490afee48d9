import type { Accounts } from '#main/accounts/accounts.ts'
import { AppEvents } from '#main/lib/app-events.ts'
import type { HistoryContext } from '#main/reports/history/history-context.ts'
import { History } from '#main/reports/history/history.ts'
import type { LiveAccount } from '#shared/accounts/account.ts'
import type { DaysOfAccount } from '#shared/reports/answer.ts'
import type { AccountId, DataScopeId } from '#shared/values/ids.ts'
import { fake } from '#test/helpers/fake.ts'

/** The accounts of a data scope: one with these days, or none. */
export const accountsOfScope = (dataScope: DataScopeId, daysOf: () => DaysOfAccount | null): Accounts =>
  fake<Accounts>('accounts', {
    list: () => {
      const days = daysOf()
      return days === null ? [] : [{ id: 'account-1' as AccountId, ...days } as LiveAccount]
    },
    dataScopeOf: () => dataScope,
  })

const noAccounts = fake<Accounts>('accounts', { list: () => [] })

/** A history. Without accounts it compares nothing. */
export const historyOver = (
  context: Pick<HistoryContext, 'store' | 'engine' | 'historyFolder'> & Partial<HistoryContext>,
): History => new History({ accounts: noAccounts, events: new AppEvents(), ...context })
