import { buffer } from 'node:stream/consumers'
import yauzl from 'yauzl'

/** What a ZIP with one file holds. */
export type Unpacked = {
  readonly name: string
  readonly text: string
  /** The day and the time of day as ZIP itself packs them, and how many other timestamps there are. */
  readonly modified: { readonly date: number; readonly time: number; readonly others: number }
}

/** Reads a ZIP back with another library than the one that writes it; fails where it holds more than one file. */
export function unpack(bytes: Buffer): Promise<Unpacked> {
  return new Promise((resolve, reject) => {
    yauzl.fromBuffer(bytes, { lazyEntries: true }, (error, zip) => {
      if (error) return reject(error)
      if (zip.entryCount !== 1) return reject(new Error(`Expected one file, found ${zip.entryCount}`))
      zip.once('entry', (entry: yauzl.Entry) => {
        zip.openReadStream(entry, (failed, stream) => {
          if (failed) return reject(failed)
          const { fileName: name, lastModFileDate: date, lastModFileTime: time, extraFields } = entry
          const modified = { date, time, others: extraFields.length }
          buffer(stream).then((read) => resolve({ name, text: read.toString('utf8'), modified }), reject)
        })
      })
      zip.readEntry()
    })
  })
}

/** Reads RFC 4180 strictly, one character after another: lines end in CRLF, quotes stand around whole cells. */
export function readCsv(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let at = 0
  while (at < text.length) {
    let cell = ''
    if (text[at] === '"') {
      for (at += 1; text[at] !== '"' || text[at + 1] === '"'; at += 1) {
        if (at >= text.length) throw new Error('A quoted cell has no end')
        cell += text[at]
        if (text[at] === '"') at += 1
      }
      at += 1
    } else {
      while (at < text.length && text[at] !== ',' && text[at] !== '\r') {
        if (text[at] === '"' || text[at] === '\n')
          throw new Error(`A bare cell holds ${JSON.stringify(text[at])}`)
        cell += text[at]
        at += 1
      }
    }
    row.push(cell)
    if (text[at] === ',') {
      at += 1
    } else if (text.startsWith('\r\n', at)) {
      at += 2
      rows.push(row)
      row = []
    } else {
      throw new Error(`A cell is followed by ${JSON.stringify(text.slice(at, at + 4))}`)
    }
  }
  if (row.length > 0) throw new Error('The last line does not end')
  return rows
}
