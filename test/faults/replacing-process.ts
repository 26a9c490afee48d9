import fs, { writeSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { expectedOf } from './replacements.ts'

/**
 * Replaces an AppImage, and ends as kill -9 does before the n-th step on the disk. It says how many steps there were where it was
 * not ended.
 */
const [folder = '', last = ''] = process.argv.slice(2)
let steps = 0

type Call = (...given: unknown[]) => unknown

function patch(of: object, names: readonly string[]): void {
  for (const name of names) {
    const call = Reflect.get(of, name) as Call
    Reflect.set(of, name, function (this: unknown, ...given: unknown[]) {
      steps += 1
      if (steps === Number(last)) process.kill(process.pid, 'SIGKILL')
      return call.apply(this, given)
    })
  }
}

const probe = await fs.promises.open(join(folder, 'new'))
patch(Object.getPrototypeOf(probe) as object, ['read', 'write', 'chmod', 'sync', 'close'])
await probe.close()
patch(fs.promises, ['open', 'rename', 'unlink', 'realpath'])
patch(fs, ['openSync', 'fsyncSync'])
syncBuiltinESMExports()
steps = 0
const { replaceAppImage } = await import('#main/updates/package-file.ts')
await replaceAppImage(join(folder, 'new'), expectedOf('n'), join(folder, 'apps', 'app.AppImage'))
writeSync(1, String(steps))
