import { rawContext } from '../raw-context.ts'
import { appendFileSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { join } from 'node:path'
import * as v from 'valibot'
import { RawRequests } from '#main/raw/requests/raw-requests.ts'
import { StoredLists } from '#main/raw/requests/stored-lists.ts'
import { RawReports } from '#main/raw/polling/raw-reports.ts'
import type { RawDraft } from '#shared/raw/draft.ts'
import { day } from '#shared/values/day.ts'
import type { InstanceId } from '#shared/values/ids.ts'
import { childDesk } from '../child-desk.ts'
import { randomFrom } from '#test/helpers/random.ts'
import { AppEvents } from '#main/lib/app-events.ts'

// Who is killed leaves nothing at its end: what is compiled is left for the next ones here.
flushCompileCache()

/** Asking and the watcher over a real store, as a process of its own, to be killed: see killed.test.ts. */
const given = v.parse(
  v.object({
    folder: v.string(),
    /** Where it says what happened, which its end does not take along. */
    words: v.string(),
    address: v.string(),
    token: v.string(),
    instance: v.string(),
    today: v.string(),
    names: v.array(v.string()),
  }),
  JSON.parse(process.argv[2] ?? '{}'),
)

/** What happened, for whoever waits for it. */
const say = (line: string) => appendFileSync(join(given.words, 'said.txt'), `${line}\n`)

const { account, store, accounts } = await childDesk(given, { firstByte: 1_500, idle: 1_500, whole: 5_000 })

const events = new AppEvents()
const context = rawContext({
  ...{ store, accounts, events, folder: given.folder, random: randomFrom(1) },
  news: { announce: async (_news, handing) => handing() },
})
const reports = new RawReports(context)
const asking = new RawRequests({ ...context, lists: new StoredLists(context, reports) })
reports.start()
asking.start()
say('began')
const today = day(given.today)
for (const name of given.names) {
  const draft: RawDraft = {
    ...{ name, type: 'response', instance: given.instance as InstanceId, start: today, end: today },
    ...{ standard: ['source', 'result'], additional: [], filters: [], email: false },
  }
  asking.request({ account: account.id, draft, template: null }).then(
    () => say(`answered ${name}`),
    () => say(`refused ${name}`),
  )
}
// Looks again and again: what was lost is looked for with every list.
for (;;) {
  await reports.fresh(account.id).catch(() => undefined)
  await asking.atRest()
  const { requests } = await asking.queue({ account: account.id })
  say(`open ${requests.map(({ state }) => state.kind).join()}`)
}
