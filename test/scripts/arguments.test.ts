import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { argumentsForTheApp, electronArguments, requireOption } from '../../scripts/common/arguments.mjs'

describe('argumentsForTheApp', () => {
  it('hands on what npm left after taking its own separator away', () => {
    expect(argumentsForTheApp(['--user-data-dir=/a b', '--remote-debugging-port=9333'])).toEqual([
      '--user-data-dir=/a b',
      '--remote-debugging-port=9333',
    ])
  })

  it('takes one separator away itself, and no more', () => {
    expect(argumentsForTheApp(['--', '--one', '--', 'two'])).toEqual(['--one', '--', 'two'])
  })

  it('takes nothing for nothing', () => {
    expect(argumentsForTheApp([])).toEqual([])
  })
})

describe('electronArguments', () => {
  it('opens the folder first, then the rest', () => {
    expect(electronArguments({ folder: '/checkout', root: false, rest: ['--x=1'] })).toEqual([
      '/checkout',
      '--x=1',
    ])
  })

  it("goes without Chromium's sandbox as root alone", () => {
    expect(electronArguments({ folder: '/checkout', root: true, rest: [] })).toEqual([
      '/checkout',
      '--no-sandbox',
    ])
  })

  it('says so once', () => {
    const args = electronArguments({ folder: '/checkout', root: true, rest: ['--no-sandbox'] })
    expect(args.filter((arg) => arg === '--no-sandbox')).toHaveLength(1)
  })
})

describe('requireOption', () => {
  it('keeps what is there already', () => {
    expect(requireOption('--max-old-space-size=100', '/a/b.cjs')).toBe(
      '--max-old-space-size=100 --require="/a/b.cjs"',
    )
  })

  it.each(['/with space/x.cjs', '/with"quote/x.cjs', '/with\\slash/x.cjs'])(
    'is understood by Node: %s',
    (file) => {
      const answer = () =>
        execFileSync(process.execPath, ['--eval', ''], {
          env: { NODE_OPTIONS: requireOption(undefined, file) },
          encoding: 'utf8',
          stdio: 'pipe',
        })
      expect(answer).toThrow(`Cannot find module '${file}'`)
    },
  )
})
