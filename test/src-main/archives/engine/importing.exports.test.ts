import { expect, it } from 'vitest'
import { exportedTables, judge } from '#test/helpers/made-tables/judged.ts'
import type { Judged } from '#test/helpers/made-tables/judged.ts'
import { openRowsDesk } from '../helpers.ts'

it('reads what others export, and is in doubt rather than wrong', async () => {
  const desk = openRowsDesk()
  const judged: Judged[] = []
  for (const table of exportedTables()) judged.push(await judge(desk, table))
  expect(judged.length).toBeGreaterThanOrEqual(100)
  expect(judged.filter(({ isSure, wrong }) => isSure && wrong.length > 0)).toEqual([])
  expect(judged.filter(({ isSure }) => isSure).length / judged.length).toBeGreaterThanOrEqual(0.95)
}, 120_000)
