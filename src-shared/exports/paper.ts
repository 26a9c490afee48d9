/** What a person says of a PDF before it is saved. */
export type Paper = {
  /** In place of the view's name; empty for that. */
  readonly title: string
  /** Beneath the title; empty for none. */
  readonly comment: string
  /** Headers of the table's columns that are left out. */
  readonly without: readonly string[]
  /** Whether the last page says what the words mean. */
  readonly words: boolean
}

export const usualPaper: Paper = { title: '', comment: '', without: [], words: true }

export const longestTitle = 200
export const longestComment = 2000

const isText = (value: unknown, longest: number): value is string =>
  typeof value === 'string' && value.length <= longest

/** Reads what the address of printed pages says; the usual where that cannot be understood. */
export function readPaper(text: string | null): Paper {
  try {
    const read: unknown = JSON.parse(text ?? 'null')
    if (typeof read !== 'object' || read === null) return usualPaper
    const { title, comment, without, words }: Partial<Record<keyof Paper, unknown>> = read
    return {
      title: isText(title, longestTitle) ? title : '',
      comment: isText(comment, longestComment) ? comment : '',
      without: Array.isArray(without) ? without.filter((item) => isText(item, 1000)) : [],
      words: words !== false,
    }
  } catch {
    return usualPaper
  }
}
