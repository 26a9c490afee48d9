import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { addDays, dayToWire } from '#shared/values/day.ts'
import { firstDay, madeFigures } from '../src-main/watch/detector/made-figures.ts'
import { readDays } from '../../scripts/alerts/days-file.ts'

const script = resolve(import.meta.dirname, '../../scripts/alerts.mjs')

function fileOf(content: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'traffic-desk-alerts-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'days.csv'), content)
  return join(folder, 'days.csv')
}

async function alerts(...args: readonly string[]) {
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  const code = new Promise((done) => child.once('exit', done))
  const [output, words] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: await code, output, words }
}

const head = 'day,label,requests,bad'

/** A row doubles its bad rate on day 80, and another one stops on day 85. */
function linesOf(days: number): string[] {
  const { rows } = madeFigures({
    ...{ rows: 24, days, bad: (row, index) => (row === 3 && index >= 80 ? 2.2 : 1) },
    volume: (row, index) => (row === 5 && index >= 85 ? 0 : 1),
  })
  return rows.flatMap(({ label, requests, bad }) =>
    requests.flatMap((count, index) =>
      count === 0 ? [] : [`${dayToWire(addDays(firstDay, index))},"${label}, ""a""",${count},${bad[index]}`],
    ),
  )
}

it('prints what the app would have told, in the form of the file', async () => {
  const file = fileOf(`\uFEFF${[head, ...linesOf(90)].join('\r\n')}\r\n`)
  const { code, output, words } = await alerts('--days', file, '--settled', '3', '--today', '20260405')
  expect({ code, words }).toEqual({ code: 0, words: '' })
  const findings = output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(findings).toMatchObject([
    { day: '20260326', label: 'row-3, "a"', kind: 'bad-rate', from: '20260326' },
    { day: '20260331', label: 'row-5, "a"', kind: 'stopped', from: '20260331', now: 0 },
  ])
  expect(Object.keys(findings[0] ?? {})).toEqual(['day', 'label', 'kind', 'from', 'usual', 'now', 'z'])
  const earlier = await alerts('--days', file, '--settled', '3', '--today', '2026-03-26')
  expect(earlier.output).toBe('')
})

it('refuses bad input with a sentence and exit code 2', async () => {
  const file = fileOf(`${head}\n20260101,a,10,11\n`)
  const refusals = [
    [[], /^Usage: /],
    [['--days', file, '--settled', 'x', '--today', '20260101'], /--settled has to be/],
    [['--days', file, '--settled', '3', '--today', 'tomorrow'], /--today has to be a day/],
    [['--days', file, '--settled', '29', '--today', '20260101'], /--settled has to be .* from 0 to 28/],
    [['--days', `${file}.none`, '--settled', '3', '--today', '20260101'], /cannot be read/],
    [['--days', file, '--settled', '3', '--today', '20260101'], /^Line 2: 11 bad of 10 requests/],
  ] as const
  for (const [args, words] of refusals)
    expect(await alerts(...args)).toMatchObject({ code: 2, output: '', words: expect.stringMatching(words) })
})

it('names the line that it cannot read, and says what to do', () => {
  const refused = (...lines: readonly string[]) => expect(() => readDays([head, ...lines].join('\n'), 3))
  refused().toThrow('no days')
  refused('2026-02-30,a,1,1').toThrow('Line 2: “2026-02-30” is no day')
  refused('20260101,a,1,1', '20260101, ,1,1').toThrow('Line 3: the label is missing')
  for (const count of ['1.5', '-1', '1e3', '0x10', '9007199254740993'])
    refused(`20260101,a,${count},1`).toThrow(
      `Line 2: “${count}” is no count of requests. Write a whole number`,
    )
  refused('20260101,a,5').toThrow('Line 2: 3 fields instead of 4')
  refused('20260101,Smith, 12,5,1').toThrow('Line 2: 5 fields instead of 4. Put quotes around a label')
  refused('20260101,a,1,1', '2026-01-01,a,1,1').toThrow('Line 3: 2026-01-01 has a line for “a” already')
  refused('20260101,a,1,1', '99990101,a,1,1').toThrow('2026-01-01 (line 2) to 9999-01-01 (line 3)')
  refused('20260101,"a,1,1').toThrow('Line 2: Quoted field unterminated. Put')
  for (const columns of ['a,b', 'day,label,requests', `${head},bad`])
    expect(() => readDays(`\n${columns}\n20260101,a,1,1,1\n`, 3)).toThrow('Line 2: the columns day, label')
  expect(readDays(`site,${head}\nx,20260101,a,5,1\n`, 3).figures.rows).toMatchObject([
    { label: 'a', requests: [5], bad: [1] },
  ])
})

it('counts blank lines, and lines within a label, when it names a line', () => {
  const lines = ['', head, '20260101,"a', '', 'b",1,1', ' ', '', '20260102,a,x,1', '']
  for (const end of ['\n', '\r\n', '\r'])
    expect(() => readDays(lines.join(end), 3)).toThrow('Line 8: “x” is no count of requests')
  // Each system ends lines in its own way, and some files come from two.
  const mixed = readDays(`bad,day,requests,label\r\n1,20260101,5,a\r\n2,20260102,6,a\n3,20260103,7,a`, 3)
  expect(mixed.figures.rows).toMatchObject([{ label: 'a', requests: [5, 6, 7], bad: [1, 2, 3] }])
})

it('comes to the same in any order of lines, and whatever is added later', async () => {
  const lines = linesOf(90)
  // The number of rows says how unusual a day has to be.
  const late = Array.from({ length: 2000 }, (_, row) => `20260404,late-${row},50,4`)
  const printed = async (content: readonly string[], today: string) => {
    const file = fileOf([head, ...content].join('\n'))
    return alerts('--days', file, '--settled', '0', '--today', today)
  }
  const sorted = await printed(lines, '20260404')
  expect(sorted.output.trim().split('\n')).toHaveLength(2)
  expect(await printed([...late, ...lines.toReversed()], '20260404')).toEqual(sorted)
})

it('tells days without requests from days that are unknown', () => {
  const lines = ['2026-01-01,a,5,1', '2026-01-02,b,5,', '2026-01-04,a,7,0']
  const { figures } = readDays([head, ...lines].join('\n'), 3)
  expect(figures.settled).toEqual([true, true, false, true])
  expect(figures.rows.map(({ requests, bad }) => ({ requests, bad }))).toEqual([
    { requests: [5, 0, null, 7], bad: [1, 0, null, 0] },
    { requests: [null, 5, null, 0], bad: [null, null, null, 0] },
  ])
})
