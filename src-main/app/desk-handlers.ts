import type { AccountStore } from '#main/accounts/account-store.ts'
import type { Proxies } from '#main/accounts/proxies.ts'
import type { Handlers } from '#main/bridge/handlers.ts'
import type { Publisher } from '#main/reports/history/publisher.ts'
import type { Exports } from '#main/exports/exports.ts'
import type { Raw } from '#main/raw/raw.ts'
import type { Cases } from '#main/cases/cases.ts'
import type { Rows } from '#main/archives/rows.ts'
import type { Reports } from '#main/reports/figures.ts'
import type { DeskSettingsRoom } from '#main/settings/settings.ts'
import type { Updates } from '#main/updates/updates.ts'
import type { Views } from '#main/saved-views/views.ts'
import { rawHandlers } from './raw-handlers.ts'
import { updateHandlers } from './updates-of-desk.ts'

/** The handlers of the calls whose names begin with these words. */
type HandlersOf<Words extends string> = Pick<Handlers, Extract<keyof Handlers, `${Words}/${string}`>>

export type Modules = {
  readonly accounts: AccountStore
  readonly proxies: Proxies
  readonly reports: Reports
  readonly views: Views
  readonly exported: Exports
  readonly settings: DeskSettingsRoom
  readonly raw: Raw
  readonly publisher: Publisher
  readonly rows: Rows
  readonly updates: Updates
}

/** Which module answers which call. What concerns the desk as a whole is answered by itself. */
export const moduleHandlers = (modules: Modules): Omit<Handlers, keyof HandlersOf<'desk' | 'lock'>> => ({
  ...settingsHandlers(modules),
  ...accountHandlers(modules),
  ...proxyHandlers(modules),
  ...reportHandlers(modules),
  ...viewHandlers(modules),
  ...exportHandlers(modules),
  ...publishingHandlers(modules),
  ...rawHandlers(modules.raw),
  ...rowsHandlers(modules),
  ...caseHandlers(modules.rows.cases),
  ...updateHandlers(modules.updates),
})

/** In bytes. */
const MEGABYTE = 1_000_000

const settingsHandlers = ({
  accounts,
  reports,
  settings,
  views,
  publisher,
}: Modules): HandlersOf<'settings' | 'layouts'> => ({
  'settings/read': () => settings.read(),
  'settings/write': (changes) => settings.write(changes),
  'settings/choose-folder': () => settings.chooseFolder(),
  'settings/brand': () => settings.brand(),
  'settings/write-brand': (changes) => settings.writeBrand(changes),
  'settings/choose-logo': () => settings.chooseLogo(),
  'settings/kept-size': () => reports.storedSize(),
  'settings/disk': () => settings.diskUse(accounts),
  'settings/beyond-limit': ({ keptLimit }) => views.beyondLimit(keptLimit * MEGABYTE),
  'settings/remove-figures': async ({ account, published = false }) => {
    await reports.removeFigures(account)
    try {
      if (published) await publisher.removeThere(account)
    } finally {
      views.wake(account)
    }
    return null
  },
  'layouts/read': () => settings.layouts(),
  'layouts/write': ({ report, layout }) => settings.writeLayout(report, layout),
})

const accountHandlers = ({ accounts, views, raw }: Modules): HandlersOf<'accounts'> => ({
  'accounts/connect': (entry) => accounts.connect(entry),
  'accounts/explore-sample': () => accounts.exploreSample(),
  'accounts/activate': ({ account }) => accounts.activate(account),
  'accounts/renew-token': (entry) => accounts.renewToken(entry),
  'accounts/edit': async (edit) => {
    const account = await accounts.edit(edit)
    // In another zone it may be another day, on which views show other days.
    views.wake(account.id)
    raw.wake(account.id)
    return account
  },
  'accounts/check': ({ account }) => accounts.check(account),
  'accounts/cancel-check': () => {
    accounts.cancelCheck()
    return null
  },
  'accounts/remove': async ({ account, what }) => {
    if (what === 'token') await accounts.removeToken(account)
    else {
      await raw.downloads.forget(account)
      await accounts.remove(account)
    }
    return null
  },
})

const proxyHandlers = ({ proxies }: Modules): HandlersOf<'proxies'> => ({
  'proxies/list': () => proxies.list(),
  'proxies/sign-in': (entry) => proxies.signIn(entry),
  'proxies/try-again': () => {
    proxies.tryAgain()
    return null
  },
  'proxies/forget': async ({ proxy }) => {
    await proxies.forget(proxy)
    return null
  },
})

const reportHandlers = ({ reports }: Modules): HandlersOf<'reports' | 'lookups'> => ({
  'reports/ask': (asked) => reports.ask(asked),
  'reports/trend': (asked) => reports.trend(asked),
  'reports/before': (asked) => reports.before(asked),
  'reports/paired': (asked) => reports.paired(asked),
  'reports/movers': (asked) => reports.movers(asked),
  'reports/restatements': (asked) => reports.restatements(asked),
  'reports/cancel': ({ account, key }) => {
    reports.cancel(account, key)
    return null
  },
  'lookups/instances': (asked) => reports.instances(asked),
  'lookups/sources': (asked) => reports.sources(asked),
  'lookups/campaigns': (asked) => reports.campaigns(asked),
})

const viewHandlers = ({ views }: Modules): HandlersOf<'views' | 'sync'> => ({
  'sync/state': () => views.syncState(),
  'views/estimate': (asked) => views.estimate(asked),
  'views/list': (asked) => views.list(asked),
  'views/save': (asked) => views.save(asked),
  'views/change': (asked) => views.change(asked),
  'views/duplicate': (asked) => views.duplicate(asked),
  'views/remove': (asked) => views.remove(asked),
  'views/restore': (asked) => views.restore(asked),
  'views/order': (asked) => views.order(asked),
  'views/refresh': (asked) => views.refresh(asked),
  'views/stop': (asked) => views.stop(asked),
  'views/export': (asked) => views.export(asked),
  'views/import': (asked) => views.import(asked),
})

const exportHandlers = ({ exported }: Modules): HandlersOf<'exports'> => ({
  'exports/start': ({ account, order }) => exported.start(account, order),
  'exports/chart': ({ account, name, png }) => exported.chart(account, name, png),
  'exports/list': () => exported.list(),
  'exports/cancel': ({ id }) => {
    exported.cancel(id)
    return null
  },
  'exports/dismiss': ({ id }) => {
    exported.dismiss(id)
    return null
  },
  'exports/show': ({ id }) => exported.show(id),
  'exports/open': ({ id }) => exported.open(id),
})

const rowsHandlers = ({ rows }: Modules): HandlersOf<'rows'> => ({
  'rows/list': ({ account }) => rows.list(account),
  'rows/read': (asked) => rows.read(asked),
  'rows/stop': (asked) => rows.stop(asked),
  'rows/take': (asked) => rows.take(asked),
  'rows/choose': ({ account }) => rows.choose(account),
  'rows/let-go': (asked) => rows.discard(asked),
  'rows/page': (asked) => rows.page(asked),
  'rows/facets': (asked) => rows.facets(asked),
  'rows/histogram': (asked) => rows.histogram(asked),
  'rows/groups': (asked) => rows.groups(asked),
  'rows/clusters': (asked) => rows.clusters(asked),
  'rows/search': (asked) => rows.search(asked),
  'rows/recount': (asked) => rows.recount(asked),
  'rows/recounted': (asked) => rows.recounted(asked),
  'rows/unreadable': (asked) => rows.unreadable(asked),
  'rows/export': (asked) => rows.export(asked),
  'rows/export-table': (asked) => rows.exportTable(asked),
  'rows/export-unreadable': (asked) => rows.exportUnreadable(asked),
  'rows/save-list': (asked) => rows.saveList(asked),
  'rows/lists': ({ account }) => rows.lists(account),
  'rows/cancel': ({ key }) => rows.cancel(key),
})

const caseHandlers = (cases: Cases): HandlersOf<'cases'> => ({
  'cases/list': ({ account }) => cases.list(account),
  'cases/of': (asked) => cases.of(asked),
  'cases/begin': (asked) => cases.begin(asked),
  'cases/change': (asked) => cases.change(asked),
  'cases/make': (asked) => cases.make(asked),
  'cases/plan-rows': (asked) => cases.planRows(asked),
  'cases/add-rows': (asked) => cases.addRows(asked),
  'cases/sent': (asked) => cases.sent(asked),
  'cases/remove': (asked) => cases.remove(asked),
  'cases/save': (asked) => cases.save(asked),
})

const publishingHandlers = ({ publisher }: Modules): HandlersOf<'publishing'> => ({
  'publishing/read': ({ account }) => publisher.read(account),
  'publishing/choose-folder': ({ account }) => publisher.chooseFolder(account),
  'publishing/start': ({ account }) => publisher.start(account),
  'publishing/cancel': ({ account }) => {
    publisher.cancel(account)
    return null
  },
  'publishing/stop': ({ account }) => publisher.stop(account),
})
