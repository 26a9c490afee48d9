import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { addDays } from '#shared/values/day.ts'
import { evaluateMorning } from '#main/watch/detector/evaluate.ts'
import type { DetectedFinding } from '#main/watch/detector/detected-findings.ts'
import type { Episode } from '#main/watch/detector/episodes.ts'
import { BadInput, figuresOn, morningsOf, readDay, readDays } from './days-file.ts'

const usage = 'npm run alerts -- --days <CSV of day,label,requests,bad> --settled <days> --today <YYYYMMDD>'
const measures = ['bad-rate', 'volume'] as const
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
  const { start, end } = morningsOf(file, today)
  let episodes: readonly Episode[] = []
  for (let morning = start; morning <= end; morning = addDays(morning, 1)) {
    const figures = figuresOn(file, morning)
    const outcomes = measures.map((name) => evaluateMorning(figures, episodes, morning, name))
    episodes = outcomes.flatMap((outcome) => outcome.episodes)
    for (const finding of outcomes.flatMap(({ findings }) => findings))
      process.stdout.write(`${lineOf(finding, file.format)}\n`)
  }
}

function textOf(path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path))
  } catch (error) {
    throw new BadInput(
      `${path} cannot be read as UTF-8: ${error instanceof Error ? error.message : String(error)}`,
    )
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
