import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSandbox } from '#main/sandbox/sandbox.ts'
import type { Sandbox } from '#main/sandbox/sandbox.ts'
import { day } from '#shared/values/day.ts'
import { ask, control, decode } from './asking.ts'

let sandbox: Sandbox
const week = { start: 20261113, end: 20261119 }

beforeAll(async () => {
  sandbox = await createSandbox({ seed: 7, today: day('2026-11-20') })
})
afterAll(() => sandbox.close())

const table = async (path: string, parameters: Record<string, unknown> = {}) =>
  (await ask(sandbox, path, { ...week, ...parameters })).body

describe('additions', () => {
  it('rates stand directly after each count and are shares of Requests', async () => {
    const { headers, all, rows } = (await table('script/geography', { rates: true })).table
    const titles = headers.map(decode)
    expect(titles.slice(1, 5)).toEqual(['Requests', 'Requests Rate', 'Responses', 'Responses Rate'])
    for (const row of [all, ...rows]) {
      titles.forEach((title, index) => {
        if (!title.endsWith(' Rate')) return
        expect(titles[index - 1]).toBe(title.replace(' Rate', ''))
        const share = row[index - 1] === null ? null : (100 * Number(row[index - 1])) / Number(row[1])
        if (share === null) expect(row[index]).toBeNull()
        else expect(row[index]).toBeCloseTo(share, 1)
      })
    }
  })

  it('rates of referrers are shares of Responses; as texts where the service writes them so', async () => {
    await control(sandbox, '/behaviour', { rates: 'texts' })
    const { headers, all } = (await table('script/referrers', { rates: true })).table
    await control(sandbox, '/behaviour', { rates: 'numbers' })
    expect(headers.slice(0, 3).map(decode)).toEqual(['Host', 'Responses', 'Responses Rate'])
    expect([all[0], all[2]]).toEqual([false, '100.00'])
  })

  it('rule sets stand at the end, and others in another week', async () => {
    const codes = async (start: number, end: number) => {
      const { headers } = (await table('direct/networks', { start, end, rules: true })).table
      return headers.slice(5)
    }
    const one = await codes(20261108, 20261110)
    const other = await codes(20261101, 20261103)
    expect(one.length).toBeGreaterThan(2)
    expect(one.every((code) => /^[A-Z]{2}$/.test(code))).toBe(true)
    expect(one).not.toEqual(other)
  })

  it('charts can be of no known shape, only for Direct, or missing', async () => {
    const chartOf = async (path: string) => (await ask(sandbox, path, { ...week, chart: true })).body.chart
    await control(sandbox, '/behaviour', { charts: 'direct-overview' })
    expect(await chartOf('script/overview')).toBeUndefined()
    expect((await chartOf('direct/overview'))[0]).toEqual(['Date', 'Suspect', 'Non-Suspect'])
    await control(sandbox, '/behaviour', { charts: 'unknown-shape' })
    expect(Array.isArray(await chartOf('direct/overview'))).toBe(false)
    await control(sandbox, '/behaviour', { charts: 'none' })
    expect(await chartOf('direct/overview')).toBeUndefined()
    await control(sandbox, '/behaviour', { charts: 'all' })
    expect(await chartOf('script/overview')).toHaveLength(8)
  })
})

describe('the wide instance', () => {
  it('holds 50,000 hosts', async () => {
    const range = { start: 20260724, end: 20261120, instance: '4205', limit: 1 }
    expect((await table('script/referrers', range)).query).toMatchObject({ results: 50_000, pages: 50_000 })
  })
})
