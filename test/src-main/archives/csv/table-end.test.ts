import { describe, expect, it } from 'vitest'
import { sniffDialect } from '#main/archives/csv/dialect.ts'

/** Reads a table from its whole text, or from a piece of the beginning and of the end. */
function read(start: string, end = '') {
  const bytes = { start: Buffer.from(start), middle: Buffer.alloc(0), end: Buffer.from(end) }
  const { linesAfter, bytesAfter, doubts } = sniffDialect(bytes) ?? {}
  return { linesAfter, bytesAfter, doubts }
}

const lines = (count: number, line: (nth: number) => string) =>
  Array.from({ length: count }, (_, nth) => `${line(nth)}\n`).join('')

const row = { linesAfter: 0, bytesAfter: 0, doubts: [] }
const doubted = { linesAfter: 0, bytesAfter: 0, doubts: ['totals'] }

/** A name without digits. */
const letters = (nth: number) => String.fromCharCode(97 + (nth % 26), 97 + (Math.trunc(nth / 26) % 26))
const names = ['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta']
const named = (header: string, ...numbers: readonly string[]) =>
  `${header}\n${lines(numbers.length, (nth) => `${names[nth]},${numbers[nth]}`)}`

const minute = (nth: number) => `2026-11-19T01:0${nth}:00Z`
const dated = `timestamp,ip,click\n${lines(8, (nth) => `${minute(nth)},192.0.2.${nth},${nth === 3 ? 1 : 0}`)}`
const timed = `timestamp,click\n${lines(8, (nth) => `${minute(nth)},${nth === 3 ? 1 : 0}`)}`
const days = `Day,Clicks\n${lines(6, (nth) => `2026-11-0${nth + 1},${100 + nth * 37}`)}`

type Case = readonly [name: string, table: string, expected: typeof row | typeof doubted]

/** 400 raw rows with a click in one row and a bad click in another. */
function clicked(at: number): Case {
  const click = (nth: number) => `${nth === at ? 1 : 0},${nth === 399 - at ? 1 : 0}`
  const raw = lines(400, (nth) => `${letters(nth)},${minute(nth % 10)},192.0.2.${nth % 250},${click(nth)}`)
  return [`400 rows, click in ${at}`, `source,timestamp,ip,click,bad\n${raw}`, row]
}

describe('rows of a table with sparse numbers', () => {
  it.each<Case>([
    ...[7, 200, 399].map(clicked),
    [
      '1,200 counts',
      `source,clicks,good,bad\n${lines(1200, (nth) => `${letters(nth)},${nth % 7},${nth % 300 === 5 ? 1 : 0},${nth % 400 === 9 ? 1 : 0}`)}`,
      row,
    ],
    [
      '30 rates',
      `source,clicks,bad rate,warning rate\n${lines(30, (nth) => `${letters(nth)},${nth % 7},${nth === 4 ? 0.05 : 0},${nth === 6 ? 0.02 : 0}`)}`,
      row,
    ],
    ['a number that repeats', named('source,cost', '0', '0', '1500', '0', '0', '1500'), doubted],
    ['prices', named('source,budget', '100', '200', '300', '400', '500', '1500'), doubted],
    ['equal counts', named('source,a,b', '1,1', '1,1', '1,1', '1,1', '1,1', '5,5'), row],
    ['rates near a sum', named('source,rate', '0.10', '0.20', '0.30', '0.15', '0.10', '0.86'), row],
    ['counts near a sum', named('source,a,b', '900,1', '1,2', '2,3', '3,4', '4,5', '911,16'), row],
  ])('stay: %s', (_, table, expected) => {
    expect(read(table)).toEqual(expected)
  })

  it.each([
    ['clicks,unique', ['1,1', '0,0', '0,0', '2,2', '0,0', '3,3']],
    ['bad,warning', ['0,1', '1,0', '0,0', '0,1', '0,0', '1,2']],
    ['bad', ['1', '2', '3', '4', '5', '15']],
  ])('stay in doubt when the last is a sum by chance: %s', (header, numbers) => {
    expect(read(named(`source,${header}`, ...numbers))).toEqual(doubted)
  })
})

const placeholders = [
  ...['NaT', 'undefined', '#N/A', 'missing', 'no data', '(empty)', 'never', 'unbekannt', 'null', '-', ''],
  ...['unknown', '(not set)', 'n.a.'],
]

describe('rows without a time', () => {
  it.each(placeholders.flatMap((time) => [`${time},192.0.2.99,0`, `${time},192.0.2.99,1`]))(
    'are rows with an address: %s',
    (last) => {
      expect(read(`${dated}${last}\n`)).toEqual(row)
    },
  )

  it.each(placeholders.flatMap((time) => [`${time},0`, `${time},1`]))('are doubts without: %s', (last) => {
    expect(read(`${timed}${last}\n`)).toEqual(doubted)
  })

  it.each(['NaT', 'never', ''])('stay when they fill the end of a large table: %j', (time) => {
    const start = lines(300, (nth) => `${minute(nth % 10)},192.0.2.1,1`)
    const head = 'timestamp,ip,click\n'
    expect(read(head + start, `cut\n${lines(80, () => `${time},192.0.2.7,1`)}`)).toEqual(row)
    const bare = `timestamp,click\n${start.replaceAll('192.0.2.1,', '')}`
    expect(read(bare, `cut\n${lines(80, () => `${time},1`)}`)).toEqual(doubted)
  })
})

describe('rows with the word of a total', () => {
  const raw = `source,timestamp,ip\n${lines(8, (nth) => `${letters(nth)},${minute(nth)},192.0.2.${nth}`)}`
  const counts = `source,clicks,ip\n${lines(8, (nth) => `${letters(nth)},${nth},192.0.2.${nth}`)}`
  const campaigns = named('source,clicks', '5', '9', '2', '8', '4')

  it.each([
    ...[`Total,${minute(3)},192.0.2.7`, `Sum-Up,${minute(3)},192.0.2.7`].map((last) => [raw, last]),
    ...[`Total,${minute(3)},`, `Gesamt,${minute(3)},n/a`].map((last) => [raw, last]),
    ...['total-sports.de', 'Total of 3 deals', 'ergebnis-live.de', 'overall-deals.com', 'Total'].map(
      (name) => [counts, `${name},7,192.0.2.7`],
    ),
    ...['total-sports.de', 'Total of 3 deals', 'ergebnis-live.de', 'overall-deals.com', 'Sum-Up'].map(
      (name) => [campaigns, `${name},7`],
    ),
    ...['Gesamt GmbH', 'Total Wine', 'sum-up.com', 'total–mix', 'Summe(alt)'].map((name) => [
      campaigns,
      `${name},7`,
    ]),
  ])('are rows by the evidence: %#', (table, last) => {
    expect(read(`${table}${last}\n`)).toEqual(row)
  })

  it.each([
    ['keyword,page\nalpha,www.a.example\nbeta,www.b.example\ngamma,www.c.example\n', 'total,www.d.example'],
    ['source,clicks\nalpha,3\nTotal,4\nbeta,5\ngamma,1\n', 'Total,2'],
    ['source,clicks\nalpha,3\nbeta,5\ngamma,1\n', 'Total,2\nTotal,3'],
  ])('are doubts without numbers, and when the word repeats: %#', (table, last) => {
    expect(read(`${table}${last}\n`)).toEqual(doubted)
  })

  it('are rows with a time between blanks', () => {
    const padded = lines(8, (nth) => `${letters(nth)}, ${minute(nth)}, ${nth}`)
    expect(read(`source, timestamp, clicks\n${padded}Total, ${minute(3)}, 7\n`)).toEqual(row)
  })

  it('are doubts when the word repeats at the end of a large table', () => {
    const start = `source,clicks\n${lines(300, (nth) => `${letters(nth)},${nth}`)}`
    expect(read(start, 'cut\nalpha,1\nTotal,3\nbeta,2\nTotal,4\n')).toEqual(doubted)
    expect(read(start, 'cut\nalpha,1\nbeta,2\nTotal,4\n')).toMatchObject({ linesAfter: 1, doubts: [] })
  })

  it.each([
    ...['Total', 'Total: Campaigns', 'Total – all', 'Summe (netto)', 'Total of 30 results', 'Gesamt'],
    ...['Grand Total:', 'Итого', '合计'],
  ])('are totals otherwise: %s', (name) => {
    expect(read(`${campaigns}${name},28\n`)).toMatchObject({ linesAfter: 1, doubts: [] })
  })
})

describe('totals by their sums', () => {
  const table = `Campaign,Clicks,Cost\n${lines(6, (nth) => `${names[nth]},${(nth + 1) * 111},${nth * 0.5}`)}`

  it.each([
    ['named', `${table}Kaikki,2331,7.5\n`, 1],
    ['rounded', `${table}Kaikki,"2,331",7.50\n`, 1],
    ['without a day', `${days},1155\n`, 1],
    ['with a word for a day', `${days}Kaikki,1155\n`, 1],
  ])('are left out: %s', (_, text, linesAfter) => {
    expect(read(text)).toMatchObject({ linesAfter, doubts: [] })
  })

  it('are left out once', () => {
    const twice = `${table}Kaikki,2331,7.5\nKaikki,4662,15.0\n`
    expect(read(twice)).toMatchObject({ linesAfter: 1, doubts: ['totals'] })
  })
})

describe('a line with a number sign', () => {
  const tags = 'tag,clicks,cost\nalpha,1,2\nbeta,2,3\ngamma,3,1\n'

  it('is a row when it is as wide as the rows', () => {
    expect(read(`${tags}#promo,,\n`)).toEqual(row)
    expect(read(`${tags}\n#promo,,\n`)).toEqual(doubted)
  })

  it('is a remark when it is alone, unless rows leave out their last cells', () => {
    expect(read(`${tags}# exported\n`)).toMatchObject({ linesAfter: 1, doubts: [] })
    expect(read(`${tags}delta\nzeta,4,2\n#promo\n`)).toMatchObject({ linesAfter: 0, doubts: ['totals'] })
  })

  it('does not make the first line of a piece of the end a remark', () => {
    expect(read(`${tags}${lines(300, () => 'delta,1,1')}`, 'cut\nomega\n')).toMatchObject({ linesAfter: 0 })
  })
})
