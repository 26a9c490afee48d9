import { seed } from '../properties.ts'
import { randomFrom } from '../random.ts'
import { encoded } from './made-table.ts'
import type { MadeTable } from './made-table.ts'

const encodings = ['utf-8', 'utf-8 with a mark', 'utf-16le', 'windows-1252', 'windows-1250', 'windows-1251']
const delimiters = [',', ';', '\t', '|']
const quotings = ['all', 'needed', 'backslash']
const befores = ['', 'Clicks by source\n\n', '# exported\n# 18 to 20 November\n']
const endings = ['\n', '\r\n']

const lettersOf: Readonly<Record<string, readonly string[]>> = {
  'windows-1250': ['Łódź Świat', 'Kraków Żółty', 'Gdańsk, "Wrocław"', 'Źródło; Jesień'],
  'windows-1251': ['Яндекс Директ', 'Реклама, осень', 'Москва "Юг"', 'Новая; кампания'],
}
const usualLetters = ['Grün & Söhne', 'Café, Olé', 'Straße "Süd"', 'Zürich; Herbst | neu']

/** 60 tables of all that their dialects are made of, and the cells that each has. */
export function madeTables(): readonly MadeTable[] {
  const random = randomFrom(seed)
  const pick = (items: readonly string[]): string => items[Math.floor(random() * items.length)] ?? ''
  return Array.from({ length: 60 }, (_, nth) => {
    const encoding = encodings[nth % encodings.length] ?? 'utf-8'
    const [delimiter, quoting, before] = [pick(delimiters), pick(quotings), pick(befores)]
    const [ending, hasHeader, hasTotal] = [pick(endings), random() < 0.7, random() < 0.3]
    const letters = lettersOf[encoding] ?? usualLetters
    const rows = Array.from({ length: 12 + Math.floor(random() * 30) }, (_, row) => [
      `2026-11-${10 + (row % 20)}T${10 + (row % 14)}:05:09Z`,
      letters[row % letters.length] ?? '',
      `192.0.2.${row + 1}`,
      row % 5 === 3 ? '' : `${row * 3}.5`,
      row % 4 === 1 ? 'two\nlines' : `Mozilla/5.0 (X11; Linux, like "Gecko")`,
    ])
    const written = (cell: string) => {
      const needs = quoting === 'all' || /["\n\r]/.test(cell) || cell.includes(delimiter)
      if (!needs) return cell
      const text = quoting === 'backslash' ? cell.replaceAll('"', '\\"') : cell.replaceAll('"', '""')
      return `"${text}"`
    }
    const line = (cells: readonly string[]) => cells.map(written).join(delimiter) + '\n'
    const header = ['Date', 'Source', 'IP', 'Cost', 'User agent']
    const text = [
      before,
      hasHeader ? line(header) : '',
      ...rows.map(line),
      hasTotal ? line(['Total', '--', '--', '99', '--']) : '',
    ].join('')
    const about = [
      encoding,
      JSON.stringify(delimiter),
      quoting,
      JSON.stringify(before),
      JSON.stringify(ending),
    ]
    return {
      family: 'made dialects',
      name: `${nth}: ${about.join(' ')}${hasHeader ? ' header' : ''}${hasTotal ? ' total' : ''}`,
      bytes: encoded(text.replaceAll('\n', ending), encoding),
      answer: {
        encoding: encoding.replace(' with a mark', ''),
        delimiter,
        header: hasHeader ? header : null,
        rows: rows.map((row) => row.map((cell) => cell.replaceAll('\n', ending))),
        kinds: new Map([[0, 'time'] as const]),
        others: 0,
      },
    }
  })
}
