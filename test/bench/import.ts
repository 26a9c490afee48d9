import { madeTables } from '#test/helpers/made-tables/dialects.ts'
import { exportedTables, judge, precisionOf } from '#test/helpers/made-tables/judged.ts'
import type { Judged, Precision } from '#test/helpers/made-tables/judged.ts'
import { openRowsDesk } from '#test/src-main/archives/helpers.ts'

/** The least share of tables that are read right and without a doubt. */
const GOAL = 0.95

/** How precisely tables of others are recognised: right or wrong, and what the import says of it, by family. */
export async function imported(): Promise<string> {
  let clean = async (): Promise<void> => undefined
  const desk = openRowsDesk((done) => (clean = done))
  const judged: Judged[] = []
  try {
    for (const table of [...madeTables(), ...exportedTables()]) judged.push(await judge(desk, table))
  } finally {
    await clean()
  }
  const families = precisionOf(judged)
  const sum = (of: (one: Precision) => number) => families.reduce((total, one) => total + of(one), 0)
  const [right, wrong] = [sum(({ sureRight }) => sureRight), sum(({ sureWrong }) => sureWrong)]
  const isReached = right >= judged.length * GOAL && wrong === 0
  return [
    `How ${judged.length} tables of others are read    sure: right  wrong    in doubt: right  wrong`,
    ...families.map(
      ({ family, sureRight, sureWrong, doubtRight, doubtWrong }) =>
        `  ${family.padEnd(32)}${[sureRight, sureWrong].map((count) => String(count).padStart(10)).join('')}${[doubtRight, doubtWrong].map((count) => String(count).padStart(12)).join('')}`,
    ),
    ...judged
      .filter((one) => one.wrong.length > 0)
      .map(({ table, isSure, wrong: why }) => `  ${isSure ? 'WRONG' : 'in doubt'}: ${table.name}: ${why[0]}`),
    `  ${((right * 100) / judged.length).toFixed(1)} of 100 sure and right, ${wrong} sure and wrong; to reach 95 and 0: ${isReached ? 'reached' : 'MISSED'}`,
  ].join('\n')
}
