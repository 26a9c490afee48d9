import type { AccountStore } from '#main/accounts/account-store.ts'
import type { Handlers } from '#main/lib/module.ts'
import type { Exports } from '#main/exports/exports.ts'
import type { DeskSettingsRoom } from '#main/settings/settings.ts'

/** The handlers of the calls whose names begin with these words. */
type HandlersOf<Words extends string> = Pick<Handlers, Extract<keyof Handlers, `${Words}/${string}`>>

type Modules = {
  readonly settings: DeskSettingsRoom
  readonly exported: Exports
  readonly accounts: AccountStore
}

/** Which module answers which call, of those that do not say it themselves. */
export const moduleHandlers = (modules: Modules) => ({
  ...settingsHandlers(modules),
  ...exportHandlers(modules),
})

const settingsHandlers = ({ accounts, settings }: Modules) =>
  ({
    'settings/read': () => settings.read(),
    'settings/write': (changes) => settings.write(changes),
    'settings/choose-folder': () => settings.chooseFolder(),
    'settings/brand': () => settings.brand(),
    'settings/write-brand': (changes) => settings.writeBrand(changes),
    'settings/choose-logo': () => settings.chooseLogo(),
    'settings/disk': () => settings.diskUse(accounts),
    'layouts/read': () => settings.layouts(),
    'layouts/write': ({ report, layout }) => settings.writeLayout(report, layout),
  }) satisfies Partial<Handlers>

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
