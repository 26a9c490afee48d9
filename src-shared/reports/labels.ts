import type { Label } from '../service/answers.ts'

/** A row's name as people read it. An instance is called by its name, or by its id where it has none. */
export function labelText(label: Label): string {
  switch (label.kind) {
    case 'all':
      return label.name ?? 'All'
    case 'instance':
      return label.name === '' ? label.id : label.name
    case 'text':
      return label.text
  }
}

/** What tells rows apart: two rows with one key are the same row of different days. */
export function labelKey(label: Label): string {
  switch (label.kind) {
    case 'all':
      return 'all'
    case 'instance':
      return `instance ${label.id}`
    case 'text':
      return `text ${label.text}`
  }
}
