import type { Handlers } from '#main/bridge/handlers.ts'
import type { Raw } from '#main/raw/raw.ts'

type RawHandlers = Pick<Handlers, Extract<keyof Handlers, `raw/${string}` | `downloads/${string}`>>

/** Which of the raw modules answers which call. */
export const rawHandlers = ({ reports, asking, downloads }: Raw): RawHandlers => ({
  'raw/list': reports.list,
  'raw/report': reports.report,
  'raw/cancel': reports.cancel,
  'raw/remove': (asked) => {
    reports.remove(asked)
    return null
  },
  'raw/undo-remove': reports.undoRemove,
  'raw/request': asking.request,
  'raw/queue': asking.queue,
  'raw/order-queue': asking.orderQueue,
  'raw/drop-request': asking.dropRequest,
  'raw/send-again': asking.sendAgain,
  'raw/last-columns': asking.lastColumns,
  'raw/templates': asking.templates,
  'raw/save-template': asking.saveTemplate,
  'raw/remove-template': asking.removeTemplate,
  'raw/undo-remove-template': asking.undoRemoveTemplate,
  'raw/schedules': asking.schedules,
  'raw/save-schedule': asking.saveSchedule,
  'raw/remove-schedule': asking.removeSchedule,
  'downloads/list': () => downloads.list(),
  'downloads/start': (asked) => downloads.start(asked),
  'downloads/pause': ({ download }) => downloads.pause(download),
  'downloads/resume': ({ download }) => downloads.resume(download),
  'downloads/cancel': ({ download }) => downloads.cancel(download),
  'downloads/order': ({ downloads: ids }) => downloads.order(ids),
  'downloads/show': ({ download }) => downloads.show(download),
  'downloads/show-report': (asked) => downloads.showReport(asked),
  'downloads/open': ({ download }) => downloads.open(download),
})
