import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { evaluateMornings } from '#main/watch/detector/evaluate.ts'
import type { DetectedFinding } from '#main/watch/detector/detected-findings.ts'
import { BadInput, morningsOf, readDay, readDays } from './days-file.ts'

const usage = 'npm run alerts -- --days <CSV of day,label,requests,bad> --settled <days> --today <YYYYMMDD>'
/** The service settles within days. */
const maxSettled = 28

function given() {
  const text = { type: 'string' } as const
  try {
    const { days, settled, today } = parseArgs({ options: { days: text, settled: text, today: text } }).values
    if (days && settled && today) return { days, settled, today }
  } catch {
    // The usage says what is wrong.
  }
  throw new BadInput(`Usage: ${usage}`)
}

/** Prints each finding of each morning as a line of JSON. `day` is the newest day known that morning. */
function printFindings(): void {
  const { days, settled, today: todayText } = given()
  const settlesAfter = Number(settled)
  if (!/^\d+$/.test(settled) || settlesAfter > maxSettled)
    throw new BadInput(`--settled has to be a number of days from 0 to ${maxSettled}.`)
  const today = readDay(todayText)
  if (today === undefined) throw new BadInput(`--today has to be a day, such as 20261130.`)
  const file = readDays(textOf(days), settlesAfter)
  const byMorning = new Map<string, string[]>()
  for (const name of ['bad-rate', 'volume'] as const)
    evaluateMornings(file.figures, [], morningsOf(file, today), name, ({ findings }, morning) => {
      const lines = findings.map((finding) => lineOf(finding, file.format))
      byMorning.set(morning, [...(byMorning.get(morning) ?? []), ...lines])
    })
  for (const [, lines] of [...byMorning].sort(([one], [other]) => one.localeCompare(other)))
    if (lines.length > 0) process.stdout.write(`${lines.join('\n')}\n`)
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new BadInput(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
}

const rounded = (value: number): number => Number(value.toPrecision(6))

const lineOf = (
  { day, label, kind, from, usual, now, z }: DetectedFinding,
  format: ReturnType<typeof readDays>['format'],
): string =>
  JSON.stringify({
    ...{ day: format(day), label, kind, from: format(from) },
    ...{ usual: rounded(usual), now: rounded(now), z: rounded(z) },
  })

try {
  printFindings()
} catch (error) {
  if (!(error instanceof BadInput)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 2
}
