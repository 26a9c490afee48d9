import type { Handlers } from './bridge/handlers.ts'
import type { Later } from './later.ts'
import type { Raw } from './raw/raw.ts'

type RawHandlers = Pick<Handlers, Extract<keyof Handlers, `raw/${string}` | `downloads/${string}`>>

/** Which of the raw rooms answers which call. They are loaded with the first of them. */
export const rawHandlers = ({ get }: Later<Raw>): RawHandlers => ({
  'raw/list': async (asked) => (await get()).reports.list(asked),
  'raw/report': async (asked) => (await get()).reports.report(asked),
  'raw/cancel': async (asked) => (await get()).reports.cancel(asked),
  'raw/remove': async (asked) => {
    ;(await get()).reports.remove(asked)
    return null
  },
  'raw/undo-remove': async (asked) => {
    ;(await get()).reports.undoRemove(asked)
    return null
  },
  'raw/request': async (asked) => (await get()).asking.request(asked),
  'raw/queue': async (asked) => (await get()).asking.queue(asked),
  'raw/order-queue': async (asked) => (await get()).asking.orderQueue(asked),
  'raw/drop-request': async (asked) => (await get()).asking.dropRequest(asked),
  'raw/send-again': async (asked) => (await get()).asking.sendAgain(asked),
  'raw/last-columns': async (asked) => (await get()).asking.lastColumns(asked),
  'raw/templates': async (asked) => (await get()).asking.templates(asked),
  'raw/save-template': async (asked) => (await get()).asking.saveTemplate(asked),
  'raw/remove-template': async (asked) => (await get()).asking.removeTemplate(asked),
  'raw/schedules': async (asked) => (await get()).asking.schedules(asked),
  'raw/save-schedule': async (asked) => (await get()).asking.saveSchedule(asked),
  'raw/remove-schedule': async (asked) => (await get()).asking.removeSchedule(asked),
  'downloads/list': async () => (await get()).downloads.list(),
  'downloads/start': async (asked) => (await get()).downloads.start(asked),
  'downloads/pause': async ({ download }) => (await get()).downloads.pause(download),
  'downloads/resume': async ({ download }) => (await get()).downloads.resume(download),
  'downloads/cancel': async ({ download }) => (await get()).downloads.cancel(download),
  'downloads/order': async ({ downloads }) => (await get()).downloads.order(downloads),
  'downloads/show': async ({ download }) => (await get()).downloads.show(download),
  'downloads/open': async ({ download }) => (await get()).downloads.open(download),
})
