import { expect, it, onTestFinished } from 'vitest'
import { ServiceFailure } from '#main/api/network-failure.ts'
import type { ReportAnswer } from '#shared/reports/answer.ts'
import type { ReportQuery } from '#shared/reports/query.ts'
import type { AccountId, DataScopeId } from '#shared/values/ids.ts'
import { account, localStore } from '../database/helpers.ts'
import { oldProfile } from '../database/old-profile.ts'
import { expected } from '../database/expected-profile.ts'
import { HandClock } from './clock.ts'
import { accountsOf } from './accounts-of.ts'
import { historyIn, now } from './helpers.ts'
import { AppEvents } from '#main/lib/app-events.ts'
import { hundredths } from '#test/helpers/hundredths.ts'
import type { Accounts } from '#main/accounts/accounts.ts'
import { fake } from '#test/helpers/fake.ts'
import { newReports } from './new-reports.ts'

type Answered = {
  readonly account: AccountId
  readonly query: ReportQuery
  readonly answer: Pick<ReportAnswer, 'figures' | 'provenance'>
}

/** Without what a service repeats of the question. */
function figuresAlone({ query, ...figures }: Answered['answer']['figures']) {
  return 'results' in query ? { ...figures, query: { results: query.results, pages: query.pages } } : figures
}

/** The reports over a profile, of an account whose service is away. */
async function awayFrom(folder: string) {
  const store = localStore(folder)
  const away = () => Promise.reject(new ServiceFailure({ kind: 'offline', message: 'It is away.' }))
  const known = await store.run('accounts/list', undefined)
  const { accounts } = accountsOf(account(), { call: away, close: () => Promise.resolve() })
  const byId = (id: AccountId) => known.find((each) => each.id === id) ?? account({ id })
  const { historyFolder, openEngine } = historyIn(folder)
  const reports = newReports({
    store,
    accounts: fake<Accounts>('accounts', {
      ...accounts,
      account: byId,
      list: () => known,
      dataScopeOf: (id) => id as string as DataScopeId,
      scopeTermOf: (id) => ({ dataScope: id as string as DataScopeId, term: 0 }),
      standingOf: (id) => id,
    }),
    ...{ events: new AppEvents(), clock: new HandClock(now), historyFolder, openEngine, random: () => 1 },
  })
  onTestFinished(() => reports.stop())
  return { reports }
}

/** That version wrote `kept` for what is stored. */
const fromOf = (from: string) => (from === 'kept' ? 'stored' : from)

it('answers from the profile of the version before what that version answered', async () => {
  const { reports } = await awayFrom(oldProfile())
  reports.start()
  for (const { account: of, query, answer } of expected.answered as readonly Answered[]) {
    const told = await reports.ask({ account: of, query, force: false }).catch((error: unknown) => error)
    // That version rounded rates to hundredths.
    expect(hundredths(told)).toMatchObject({
      figures: figuresAlone(answer.figures),
      provenance: { missing: answer.provenance.missing, from: fromOf(answer.provenance.from) },
    })
  }
}, 60_000)
