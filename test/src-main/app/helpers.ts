import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openDesk } from '#main/app/desk.ts'
import type { Desk, DeskParts } from '#main/app/desk.ts'
import { threadLine } from '#main/workers/rpc-client.ts'
import type { DeskShell } from '#main/lib/desk-shell.ts'
import { appThread } from '#test/helpers/app-threads.ts'

const sources = resolve(import.meta.dirname, '../../../src-main')

/** A machine on which nothing is chosen, shown or printed. */
export const noShell: DeskShell = {
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
  print: () => Promise.resolve(new Uint8Array()),
  apply: () => Promise.resolve(),
}

/** The whole desk over a profile folder, with its real threads, on a machine without a desktop. */
export function deskOver(folder: string, given: Partial<DeskParts> = {}): Desk {
  return openDesk({
    folder,
    trouble: null,
    version: '1.2.3',
    runtime: 'Node',
    commit: () => null,
    logFile: join(folder, 'logs', 'traffic-desk.log'),
    windowFirst: true,
    storeWorker: fileURLToPath(appThread('store')),
    backupWorker: fileURLToPath(appThread('backup')),
    answerWorker: fileURLToPath(appThread('answers')),
    sampleWorker: join(sources, 'sandbox/worker.ts'),
    openEngine: ([history, temporary]) =>
      threadLine(appThread('engine'), {
        argv: [history, temporary],
        name: 'engine',
      }),
    openRows: ([rows, temporary]) => threadLine(appThread('rows'), { argv: [rows, temporary], name: 'rows' }),
    exportWorker: fileURLToPath(appThread('exports')),
    archiveWorker: fileURLToPath(appThread('archive')),
    desktop: {
      notifier: () => Promise.reject(new Error('No desktop')),
      followNotifications: () => Promise.resolve(),
    },
    show: () => undefined,
    changed: () => undefined,
    idle: () => 0,
    after: () => () => undefined,
    lockChanged: () => undefined,
    shell: noShell,
    resolveProxy: () => Promise.resolve('DIRECT'),
    updates: { source: null, here: { target: 'linux-x64-deb', kind: 'deb', appImage: null } },
    notify: () => undefined,
    log: () => undefined,
    ...given,
  })
}
