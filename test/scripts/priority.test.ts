import { existsSync, readFileSync } from 'node:fs'
import { constants, getPriority } from 'node:os'
import { expect, it } from 'vitest'
import { start, stop } from '../../scripts/common/processes.mjs'

const shared = '/proc/self/autogroup'

it.skipIf(process.platform === 'win32')(
  'leaves the processors to all others, those of other sessions too, where it is asked to',
  async () => {
    const priority = constants.priority.PRIORITY_LOW
    const child = start('sleep', ['60'], { priority })
    try {
      if (child.pid === undefined) throw new Error('Nothing was started')
      expect(getPriority(child.pid)).toBe(priority)
      if (existsSync(shared))
        expect(readFileSync(`/proc/${child.pid}/autogroup`, 'utf8')).toMatch(
          new RegExp(` nice ${priority}$`, 'm'),
        )
    } finally {
      await stop(child)
    }
  },
)
