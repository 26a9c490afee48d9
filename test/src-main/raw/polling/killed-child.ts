import { rawContext } from '../raw-context.ts'
import { appendFileSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { join } from 'node:path'
import * as v from 'valibot'
import { RawReports } from '#main/raw/polling/raw-reports.ts'
import { eventsTo } from '#test/helpers/app-events.ts'
import { childDesk } from '../child-desk.ts'
import { randomFrom } from '#test/helpers/random.ts'

// Who is killed leaves nothing at its end: what is compiled is left for the next ones here.
flushCompileCache()

/** The watcher over a real store with its thread, as a process of its own, to be killed: see killed.test.ts. */
const given = v.parse(
  v.object({ folder: v.string(), address: v.string(), token: v.string() }),
  JSON.parse(process.argv[2] ?? '{}'),
)

const { account, store, accounts } = await childDesk(given)
const room = new RawReports(
  rawContext({
    ...{ store, accounts, folder: given.folder, random: randomFrom(1) },
    events: eventsTo(() => appendFileSync(join(given.folder, 'looked.txt'), 'looked\n')),
    news: {
      announce: async (news, handing) => {
        const told = news.kind === 'one' ? [news.announcement] : news.announcements
        const say = (when: 'before' | 'after') => {
          const line = JSON.stringify([when, ...told.map(({ kind, report }) => `${kind} ${report}`)])
          appendFileSync(join(given.folder, 'shown.txt'), `${line}\n`)
        }
        say('before')
        handing()
        say('after')
      },
    },
  }),
)
room.start()
// Looks again and again, so that there is always something to be killed in.
for (;;) await room.fresh(account.id).catch(() => undefined)
