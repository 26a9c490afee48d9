import { usualSettings } from '#shared/app/settings.ts'
import { usualRawSettings } from '#shared/raw/settings.ts'
import type { RawSettings } from '#shared/raw/settings.ts'
import { AppEvents } from '#main/lib/app-events.ts'
import { systemClock } from '#main/lib/async.ts'
import { Jobs } from '#main/lib/jobs.ts'
import { slowFolderGuard } from '#main/lib/slow-folder-guard.ts'
import { threadChannel } from '#main/workers/rpc-client.ts'
import type { SystemShell } from '#main/lib/system-shell.ts'
import type { Downloads } from '#main/raw/downloads/downloads.ts'
import type { RawContext } from '#main/raw/raw-context.ts'
import type { Settings } from '#main/settings/settings.ts'
import { fake } from '#test/helpers/fake.ts'

/** Settings with these about raw reports, and a folder of downloads. */
export const settingsWith = (
  raw: () => RawSettings | Promise<RawSettings> = () => usualRawSettings,
  folder = '',
): Settings =>
  fake<Settings>('settings', {
    read: async () => ({ ...usualSettings, raw: await raw() }),
    downloadFolder: async () => folder,
  })

/** A machine on which nobody chooses, shows or opens anything. */
export const noShell = fake<SystemShell>('shell', {
  chooseFolder: async () => null,
  showFile: () => undefined,
  openFile: async () => '',
})

/** Downloads of which there are none. */
export const noDownloads = fake<Downloads>('downloads', {
  savedState: () => 'none',
  reportReady: async () => undefined,
})

/** A context with these services. The others do nothing, or fail the test that uses them. */
export function rawContext(given: Partial<RawContext>): RawContext {
  const { clock = systemClock } = given
  return {
    store: fake('store', {}),
    accounts: fake('accounts', {}),
    settings: settingsWith(),
    events: new AppEvents(),
    shell: noShell,
    jobs: new Jobs(new AppEvents(), clock),
    clock,
    network: { resolveProxy: async () => 'DIRECT' },
    folderGuard: slowFolderGuard,
    openArchive: () => threadChannel(new URL('data:text/javascript,'), {}),
    random: () => 0.5,
    downloads: noDownloads,
    news: { announce: async () => undefined },
    folder: '/there/is/no/such/folder',
    ...given,
  }
}
