import type { HistoryPath, StoredTable } from '#main/database/cache/catalogue-repository.ts'

/** Files that are being read for long: none goes meanwhile, though others replace it. It goes afterwards. */
export class HeldFiles {
  /** How often each is held. */
  readonly #held = new Map<HistoryPath, number>()
  readonly #leaving = new Set<HistoryPath>()

  /** Those of these files that may go now; the others are remembered. */
  leave(paths: readonly HistoryPath[]): readonly HistoryPath[] {
    const held = paths.filter((path) => this.#held.has(path))
    for (const path of held) this.#leaving.add(path)
    return paths.filter((path) => !held.includes(path))
  }

  /**
   * Does something with tables whose files stay meanwhile.
   * @param remove is given the files that have to go then
   * @throws what `work` rejects with
   */
  async during<T>(
    tables: readonly Pick<StoredTable, 'file'>[],
    work: () => Promise<T>,
    remove: (paths: readonly HistoryPath[]) => Promise<void>,
  ): Promise<T> {
    const paths = [...new Set(tables.map(({ file }) => file.path))]
    for (const path of paths) this.#held.set(path, (this.#held.get(path) ?? 0) + 1)
    try {
      return await work()
    } finally {
      for (const path of paths) {
        const left = (this.#held.get(path) ?? 1) - 1
        if (left > 0) this.#held.set(path, left)
        else this.#held.delete(path)
      }
      await remove(paths.filter((path) => !this.#held.has(path) && this.#leaving.delete(path)))
    }
  }
}
