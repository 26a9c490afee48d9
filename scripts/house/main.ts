import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readCode } from './code.ts'
import { filesEntered, runModulesEntered } from './entered.ts'
import { figuresOf, isReached, worseFigures } from './figures.ts'
import type { Count, Figure } from './figures.ts'

const root = resolve(import.meta.dirname, '../..')
const recordedFile = join(import.meta.dirname, 'recorded.json')
const recorded: Readonly<Record<string, number>> = JSON.parse(readFileSync(recordedFile, 'utf8'))

/** A line: name, figure, last recorded, what is to be reached, and whether it is. */
function lineFor({ name, better, reach, ...figure }: Figure, now: number): string {
  return [
    name.padEnd(22),
    now.toLocaleString('en').padStart(8),
    (recorded[name]?.toLocaleString('en') ?? '–').padStart(8),
    `${better === 'less' ? '≤' : '≥'} ${reach.toLocaleString('en')}`.padStart(10),
    `  ${isReached({ name, better, reach, ...figure }, now) ? 'reached' : 'missed'}`,
  ].join('')
}

/** Prints the rule and the places of the figures whose names contain what is asked for. */
function showPlaces(figures: readonly Figure[], counts: ReadonlyMap<string, Count>): void {
  for (const { name, rule } of figures) {
    const { figure, places } = counts.get(name) ?? { figure: 0, places: [] }
    console.log([`${name}: ${figure} (${rule})`, ...places.map((place) => `  ${place}`)].join('\n'))
  }
}

const [wanted] = process.argv.slice(2).filter((each) => each !== '--record')
const isRecording = process.argv.includes('--record')
const figures = figuresOf(root).filter(({ name }) => !wanted || name.includes(wanted))
const running = wanted ? undefined : runModulesEntered(root)
const code = readCode(root)
const counts = new Map(figures.map((figure) => [figure.name, figure.count(code)]))

if (wanted) showPlaces(figures, counts)
else {
  console.log(`${'What'.padEnd(22)}${'now'.padStart(8)}${'last'.padStart(8)}${'to reach'.padStart(10)}`)
  for (const figure of figures) console.log(lineFor(figure, counts.get(figure.name)?.figure ?? 0))
  for (const figure of filesEntered(await running)) {
    console.log(lineFor(figure, figure.count(code).figure))
    counts.set(figure.name, figure.count(code))
  }
  console.log(
    'What is counted, and where: npm run house -- <name>. To record these figures: npm run house -- --record',
  )
}
if (isRecording) {
  const now = [...counts].map(([name, { figure }]) => [name, figure])
  writeFileSync(recordedFile, `${JSON.stringify({ ...recorded, ...Object.fromEntries(now) }, null, 2)}\n`)
}
const worse = worseFigures(figures, counts, recorded)
for (const words of worse) console.log(`Worse: ${words}`)
process.exitCode = worse.length > 0 && !isRecording ? 1 : 0
