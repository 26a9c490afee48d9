import type { Table, TableRow } from '../../../src-shared/service/answers.ts'
import type { Column } from './columns.ts'
import { labelText } from '../../../src-shared/reports/labels.ts'
import { LONGEST_LABEL, cut, rowTexts } from './columns.ts'

/** Rows that are made at once: more than any screen shows. The others follow when these are painted. */
const AT_ONCE = 60
const THEN = 200

/**
 * Fills a table's body with plain cells, several thousand of them within a frame or two. Labels are hostile: they
 * only ever become text. The result stops what is still to come.
 */
export function paintRows(body: HTMLElement, table: Table, columns: readonly Column[]): () => void {
  let done = 0
  let frame = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  const paint = (size: number) => {
    const rows = table.rows.slice(done, done + size)
    done += rows.length
    const piece = document.createDocumentFragment()
    for (const row of rows) piece.append(rowElement(row, columns))
    body.append(piece)
    if (done < table.rows.length) afterThisFrame(() => paint(THEN))
  }
  const afterThisFrame = (then: () => void) => {
    frame = requestAnimationFrame(() => (timer = setTimeout(then)))
  }
  body.replaceChildren()
  paint(AT_ONCE)
  return () => {
    cancelAnimationFrame(frame)
    clearTimeout(timer)
  }
}

/** One row: its label as the row's header, then its figures. */
function rowElement(row: TableRow, columns: readonly Column[]): HTMLTableRowElement {
  const line = document.createElement('tr')
  line.append(labelElement(row))
  for (const text of rowTexts(row, columns)) {
    const cell = document.createElement('td')
    cell.textContent = text
    line.append(cell)
  }
  return line
}

function labelElement(row: TableRow): HTMLTableCellElement {
  const cell = document.createElement('th')
  const label = labelText(row.label)
  cell.scope = 'row'
  if (label.trim() === '') {
    cell.textContent = '(empty)'
    cell.className = 'quiet'
  } else if (label.length > LONGEST_LABEL) {
    cell.append(longLabel(label))
  } else {
    cell.textContent = label
    cell.title = label
  }
  return cell
}

/** The beginning of a long label, with a button that shows it whole, and cut again. */
function longLabel(label: string): HTMLElement {
  const place = document.createElement('div')
  const text = document.createElement('span')
  const button = document.createElement('button')
  const show = (whole: boolean) => {
    text.textContent = whole ? label : `${cut(label)}…`
    button.textContent = whole ? 'Less' : 'More'
    button.setAttribute('aria-expanded', String(whole))
    place.classList.toggle('whole', whole)
  }
  place.className = 'long'
  button.type = 'button'
  button.addEventListener('click', () => show(button.getAttribute('aria-expanded') === 'false'))
  show(false)
  place.append(text, button)
  return place
}
