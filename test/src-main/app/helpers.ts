import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { App } from '#main/app/app.ts'
import type { AppOptions } from '#main/app/app.ts'
import { AppEvents } from '#main/lib/app-events.ts'
import { account, firstId, localStore, temporaryFolder } from '../database/helpers.ts'
import { threadChannel } from '#main/workers/rpc-client.ts'
import type { SystemShell } from '#main/lib/system-shell.ts'
import type { Desktop } from '#main/shell/desktop/desktop.ts'
import { appThread, openAsThread } from '#test/helpers/app-threads.ts'
import { fake } from '#test/helpers/fake.ts'

const sources = resolve(import.meta.dirname, '../../../src-main')

/** A machine on which nothing is chosen, shown or printed. */
export const noShell: SystemShell = {
  copy: () => undefined,
  chooseFolder: () => Promise.resolve(null),
  chooseViewsFile: () => Promise.resolve(null),
  choosePicture: () => Promise.resolve(null),
  chooseBackup: () => Promise.resolve(null),
  restart: () => undefined,
  notices: () => Promise.resolve({ text: '' }),
  partsList: () => Promise.resolve('{}'),
  chooseTables: () => Promise.resolve([]),
  downloads: tmpdir,
  showFile: () => undefined,
  openFile: () => Promise.resolve(''),
  mail: () => Promise.resolve(),
  print: () => Promise.resolve(new Uint8Array()),
  apply: () => Promise.resolve(),
}

type Given = Partial<Omit<AppOptions, 'threads'>> & {
  readonly threads?: Partial<AppOptions['threads']>
}

/** The whole app over a profile folder, with its real threads, on a machine without a desktop. */
export function appOver(folder: string, { threads, ...given }: Given = {}): App {
  return new App({
    folder,
    trouble: null,
    build: {
      ...{ version: '1.2.3', runtime: 'Node', commit: () => null },
      logFile: join(folder, 'logs', 'traffic-desk.log'),
    },
    windowFirst: Promise.resolve(),
    threads: {
      store: fileURLToPath(appThread('store')),
      answers: fileURLToPath(appThread('answers')),
      sample: join(sources, 'sandbox/worker.ts'),
      exports: fileURLToPath(appThread('exports')),
      ...threads,
    },
    openEngine: ([history, temporary]) =>
      threadChannel(appThread('engine'), {
        argv: ['figures', history, temporary],
        name: 'engine',
      }),
    openRows: ([rows, temporary]) =>
      threadChannel(appThread('engine'), { argv: ['rows', rows, temporary], name: 'rows' }),
    openArchive: openAsThread('archive'),
    openBackup: openAsThread('backup'),
    events: new AppEvents(),
    desktop: fake<Desktop>('desktop', {
      notifier: () => Promise.reject(new Error('No desktop')),
      followNotifications: () => Promise.resolve(),
    }),
    presence: { idle: () => 0, after: () => () => undefined },
    shell: noShell,
    resolveProxy: () => Promise.resolve('DIRECT'),
    updates: null,
    log: () => undefined,
    ...given,
  })
}

/** A profile folder with an account. */
export async function folderWithAccount(): Promise<string> {
  const folder = temporaryFolder()
  const store = localStore(folder)
  await store.run('accounts/put', account())
  await store.close()
  return folder
}

/** Asks for rows of the account, of no file: their process begins with the first that is asked of it. */
export async function askForRows({ handlers }: Pick<App, 'handlers'>): Promise<unknown> {
  const query = { account: firstId, files: [], conditions: [], sort: [] }
  return await handlers['rows/page']({ query, offset: 0, limit: 1, columns: [] })
}
