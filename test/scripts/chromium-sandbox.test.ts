import { describe, expect, it } from 'vitest'
import { sandboxFaults } from '../../scripts/package-test/chromium-sandbox.mjs'

const main = { pid: 10, type: '', command: 'app', seccomp: false, processes: 'pid:[1]' }
const renderer = {
  pid: 11,
  type: 'renderer',
  command: 'app --type=renderer',
  seccomp: true,
  processes: 'pid:[2]',
}

describe('sandboxFaults', () => {
  it('finds none in an app whose renderers are shut in', () => {
    expect(sandboxFaults([main, renderer])).toEqual([])
  })

  it.each([
    ['no process at all', []],
    ['no renderer', [main]],
    ['a renderer without a filter', [main, { ...renderer, seccomp: false }]],
    ["a renderer in the main process's namespace", [main, { ...renderer, processes: main.processes }]],
    ['the sandbox switched off', [{ ...main, command: 'app --no-sandbox' }, renderer]],
    ['one bad renderer among good ones', [main, renderer, { ...renderer, pid: 12, seccomp: false }]],
  ])('complains of %s', (_what, processes) => {
    expect(sandboxFaults(processes)).not.toEqual([])
  })
})
