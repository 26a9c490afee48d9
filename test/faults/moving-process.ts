import fs, { writeSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

/**
 * Restores a backup into a profile and opens that, and ends as kill -9 does before the n-th step on the disk. It says how many steps
 * there were where it was not ended.
 */
const [folder = '', file = '', last = ''] = process.argv.slice(2)
/** Not before it begins. */
let steps = -Infinity

type Call = (...given: unknown[]) => unknown

for (const name of ['openSync', 'writeSync', 'fsyncSync', 'renameSync', 'rmSync', 'mkdirSync', 'linkSync']) {
  const call = Reflect.get(fs, name) as Call
  Reflect.set(fs, name, function (this: unknown, ...given: unknown[]) {
    steps += 1
    if (steps === Number(last)) process.kill(process.pid, 'SIGKILL')
    return call.apply(this, given)
  })
}
syncBuiltinESMExports()
const { openSession } = await import('#main/database/store-session.ts')
const { choose } = await import('#test/src-main/backup/made-backups.ts')

const open = () => openSession(folder)
const session = open()
steps = 0
await choose(folder, file)
session.run('backup/agree', undefined)
session.close()
open().close()
writeSync(1, String(steps))
