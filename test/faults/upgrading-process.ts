import fs, { writeSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import Database from 'better-sqlite3'
import { openSession } from '#main/database/store-session.ts'
import { takeOverTables } from './take-over-tables.ts'

/**
 * Takes a profile of version 0.1.0 over, and ends as kill -9 does before the n-th step on the disk: a statement of SQLite, or
 * a change of a folder. It says how many steps there were where it was not ended.
 */
const [folder = '', last = ''] = process.argv.slice(2)
let steps = 0

function step(): void {
  steps += 1
  if (steps === Number(last)) process.kill(process.pid, 'SIGKILL')
}

type Call = (...given: unknown[]) => unknown

function patch(of: Record<string, Call>, names: readonly string[]): void {
  for (const name of names) {
    const call = of[name]
    if (call === undefined) throw new Error(`No ${name}`)
    of[name] = function (this: unknown, ...given) {
      step()
      return call.apply(this, given)
    }
  }
}

const memory = new Database(':memory:')
const prototypeOf = (made: object) => Object.getPrototypeOf(made) as Record<string, Call>
patch(prototypeOf(memory), ['exec', 'pragma', 'close'])
patch(prototypeOf(memory.prepare('SELECT 1')), ['run'])
patch(fs as unknown as Record<string, Call>, [
  'renameSync',
  'rmSync',
  'fsyncSync',
  'copyFileSync',
  'mkdirSync',
])
syncBuiltinESMExports()

const ignore = () => undefined
const session = openSession({ folder, onState: ignore, onCache: ignore })
takeOverTables(session)
session.keepHouse()
session.close()
writeSync(1, `${steps}`)
