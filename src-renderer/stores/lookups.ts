import type { DeskBridge, StoredLookup } from '#shared/bridge/calls.ts'
import { limits } from '#shared/api/limits.ts'
import type { PagedEcho } from '#shared/api/answers.ts'
import type { Outcome } from '#shared/api/failure.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { AccountId, InstanceId } from '#shared/values/ids.ts'
import { Lookup } from './lookup.svelte.ts'
import type { Choice, LookupPage } from './lookup-page.ts'

/** What the lists of sources and campaigns are about: the days, and the filters that stand before them. */
export type About = {
  readonly range: DayRange
  readonly instance: InstanceId | null
  readonly source: string | null
}

/** Of a page as large as there is, a part is drawn at a time. */
const limit = limits.rowsPerPage

function pageOf<A extends { readonly query: PagedEcho }>(
  outcome: Outcome<StoredLookup<A>>,
  choicesOf: (answer: A) => readonly Choice[],
): Outcome<LookupPage> {
  if (!outcome.ok) return outcome
  const { answer, fetchedAt, failure } = outcome.value
  const { results, pages } = answer.query
  return { ok: true, value: { choices: choicesOf(answer), results, pages, fetchedAt, failure } }
}

/** Texts are their own values. A blank one cannot be chosen: it would be no filter. */
const plainly = (texts: readonly string[]): Choice[] =>
  texts.filter((text) => text !== '').map((text) => ({ value: text, text }))

/** The instances that the token may see. */
export class Instances extends Lookup {
  constructor(bridge: DeskBridge, account: AccountId) {
    super(bridge, {
      account,
      path: 'interface/instances',
      about: () => '',
      ask: async (name, page) => {
        const outcome = await bridge.call('lookups/instances', { account, name, page, limit })
        return pageOf(outcome, ({ instances }) =>
          instances
            .filter(({ all }) => !all)
            .map(({ id, name: called }) => ({ value: id, text: called === '' ? id : called })),
        )
      },
    })
  }
}

/** The sources that occur in the days, at an instance where one is chosen. */
export class Sources extends Lookup {
  constructor(bridge: DeskBridge, account: AccountId, about: () => About) {
    super(bridge, {
      account,
      path: 'interface/sources',
      about: () => JSON.stringify([about().range, about().instance]),
      ask: async (source, page) => {
        const { range, instance } = about()
        const asked = { account, range, instance, source, page, limit }
        return pageOf(await bridge.call('lookups/sources', asked), ({ sources }) => plainly(sources))
      },
    })
  }
}

/** The campaigns that occur in the days, at an instance and of a source where they are chosen. */
export class Campaigns extends Lookup {
  constructor(bridge: DeskBridge, account: AccountId, about: () => About) {
    super(bridge, {
      account,
      path: 'interface/campaigns',
      about: () => JSON.stringify([about().range, about().instance, about().source]),
      ask: async (campaign, page) => {
        const { range, instance, source } = about()
        const asked = { account, range, instance, source, campaign, page, limit }
        return pageOf(await bridge.call('lookups/campaigns', asked), ({ campaigns }) => plainly(campaigns))
      },
    })
  }
}

/** The lists that a view is limited by. To be called while a component is set up. */
export const lookupsOf = (bridge: DeskBridge, account: () => AccountId, about: () => About) => ({
  instances: new Instances(bridge, account()),
  sources: new Sources(bridge, account(), about),
  campaigns: new Campaigns(bridge, account(), about),
})
