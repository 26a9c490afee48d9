import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { randomFrom } from '#test/helpers/random.ts'

export const rowsColumns = [
  ...[
    'TIMESTAMP',
    'RESULT',
    'RULE SETS',
    'INVALID TRAFFIC TYPE',
    'SOURCE',
    'CAMPAIGN',
    'REMOTE ADDRESS',
    'NETWORK',
  ],
  ...['COUNTRY', 'USER AGENT', 'DEVICE TYPE', 'REFERRER'],
]

const some = (count: number, of: (nth: number) => string) =>
  Array.from({ length: count }, (_, nth) => of(nth))
const agents = some(
  400,
  (nth) =>
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${90 + (nth % 40)}.0.${1000 + nth}.${nth} Safari/537.36`,
)
const sources = some(60, (nth) => `source-${nth}`)
const campaigns = some(300, (nth) => `campaign ${nth}`)
const networks = some(200, (nth) => `Network ${nth} Ltd`)
const countries = some(80, (nth) => `C${nth}`)

/** A table of raw rows of a month, the same for the same count. Some values are far more frequent than others. */
export async function makeRows(path: string, rows: number): Promise<void> {
  const random = randomFrom(7)
  const pick = (values: readonly string[]) => values[Math.floor(random() * random() * values.length)] ?? ''
  const out = createWriteStream(path)
  const step = (30 * 86_400_000) / rows
  let time = Date.UTC(2026, 9, 1)
  let lines = [rowsColumns.join(',')]
  for (let row = 0; row < rows; row += 1) {
    time += random() * 2 * step
    const isBad = random() < 0.2
    lines.push(
      [
        `${new Date(time).toISOString().slice(0, 19)}Z`,
        ...(isBad ? ['suspect', '"UE,SP"', 'Sophisticated'] : ['non-suspect', '', '']),
        ...[pick(sources), pick(campaigns)],
        `198.51.${Math.floor(random() * 40)}.${Math.floor(random() * 256)}`,
        ...[pick(networks), pick(countries), `"${pick(agents)}"`],
        random() < 0.5 ? 'desktop' : 'mobile: phone',
        `https://host${Math.floor(random() * random() * 500)}.example/p`,
      ].join(','),
    )
    if (lines.length < 5000) continue
    if (!out.write(`${lines.join('\r\n')}\r\n`)) await once(out, 'drain')
    lines = []
  }
  out.end(lines.length > 0 ? `${lines.join('\r\n')}\r\n` : '')
  await once(out, 'close')
}
