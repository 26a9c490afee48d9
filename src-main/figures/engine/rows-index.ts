import type { PackedLabel } from './packed-rows.ts'

/** The place of the aggregate row, before all others. */
export const aggregatePlace = 0

/** At which place each label stands. Two rows with the same label are one (src-shared/reports/labels.ts: labelKey). */
export class RowsIndex {
  /** By place; the first is the aggregate's. Of an instance that was renamed, the name that came last. */
  readonly labels: PackedLabel[] = [[null]]
  readonly #texts = new Map<string, number>()
  readonly #instances = new Map<string, number>()
  #other: number | undefined

  get size(): number {
    return this.labels.length
  }

  /** The place of a label, a new one where it has none yet. */
  take(label: PackedLabel): number {
    const known = this.find(label)
    if (known !== undefined) {
      if (typeof label !== 'string') this.labels[known] = label
      return known
    }
    const place = this.labels.length
    this.labels.push(label)
    if (typeof label === 'string') this.#texts.set(label, place)
    else if (label.length === 2) this.#instances.set(label[0], place)
    else this.#other = place
    return place
  }

  /** The place of the row that a key names; undefined where there is none. */
  placeOf(key: string): number | undefined {
    if (key === 'all') return this.#other
    const space = key.indexOf(' ')
    const name = key.slice(space + 1)
    switch (key.slice(0, space)) {
      case 'text':
        return this.#texts.get(name)
      case 'instance':
        return this.#instances.get(name)
      default:
        return undefined
    }
  }

  /** The place of a label; undefined where it has none. */
  find(label: PackedLabel): number | undefined {
    if (typeof label === 'string') return this.#texts.get(label)
    return label.length === 2 ? this.#instances.get(label[0]) : this.#other
  }
}
