import type { Table, TableRow } from '../../../src-shared/service/answers.ts'
import type { Column } from './columns.ts'
import { LONGEST_LABEL, cut, labelText, rowTexts } from './columns.ts'

/** Rows that are made at once: more than any screen shows. The others follow when they are painted. */
const AT_ONCE = 60
const THEN = 240

/**
 * Fills a table's body with plain cells, several thousand of them within a frame or two. Labels are hostile: they
 * only ever become text. The result stops what is still to come.
 */
export function paintRows(body: HTMLElement, table: Table, columns: readonly Column[]): () => void {
  let done = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  const paint = (size: number) => {
    const rows = table.rows.slice(done, done + size)
    done += rows.length
    const piece = document.createDocumentFragment()
    for (const row of rows) piece.append(rowElement(row, columns))
    body.append(piece)
    if (done < table.rows.length) timer = setTimeout(() => paint(THEN))
  }
  body.replaceChildren()
  paint(AT_ONCE)
  return () => clearTimeout(timer)
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
  cell.dir = 'auto'
  if (label.trim() === '') {
    cell.textContent = '(empty)'
    cell.className = 'quiet'
  } else if (label.length > LONGEST_LABEL) {
    const text = document.createElement('span')
    text.textContent = `${cut(label)}…`
    cell.append(text, wholeLabelButton(text, label))
  } else {
    cell.textContent = label
    cell.title = label
  }
  return cell
}

/** A button that shows a long label whole, and cut again. */
function wholeLabelButton(text: HTMLElement, label: string): HTMLButtonElement {
  const button = document.createElement('button')
  const show = (whole: boolean) => {
    text.textContent = whole ? label : `${cut(label)}…`
    button.textContent = whole ? 'Less' : 'More'
    button.setAttribute('aria-expanded', String(whole))
    text.parentElement?.classList.toggle('whole', whole)
  }
  button.type = 'button'
  button.addEventListener('click', () => show(button.getAttribute('aria-expanded') === 'false'))
  show(false)
  return button
}
