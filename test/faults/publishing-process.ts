import { writeSync } from 'node:fs'
import { publishHistory } from '../../src-main/figures/history/publishing.ts'
import { openSession } from '../../src-main/store/store-session.ts'
import type { OwnerId } from '../../src-shared/values/ids.ts'

/** Publishes a history once, says how many files are done, and says when it has ended. */
const [profile = '', historyFolder = '', share = '', owner = ''] = process.argv.slice(2)
const session = openSession({ folder: profile, onState: () => undefined, onCache: () => undefined })
await publishHistory(
  {
    store: { run: (name, argument) => new Promise((resolve) => resolve(session.run(name, argument))) },
    historyFolder,
    forbidden: [profile, historyFolder],
    now: () => Date.parse('2026-11-22T12:00:00Z'),
  },
  {
    account: { name: 'Kestrel Media', address: '', owner: owner as OwnerId },
    folder: share,
    directory: 'account=Kestrel-Media',
    thorough: true,
    expected: false,
    signal: new AbortController().signal,
    progress: (done) => void writeSync(1, `${done}\n`),
  },
)
writeSync(1, 'ended\n')
session.close()
